/**
 * The error codes that the service sends, with their HTTP status: RFC 6749, RFC 6750, RFC 9126, RFC
 * 9396 and OpenID Connect Core.
 */
export const ERROR_STATUS = {
  invalid_request: 400,
  invalid_scope: 400,
  unsupported_response_type: 400,
  unsupported_grant_type: 400,
  invalid_grant: 400,
  invalid_authorization_details: 400,
  invalid_request_uri: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  invalid_client: 401,
  invalid_token: 401,
  unauthorized_client: 400,
  insufficient_scope: 403,
  access_denied: 403,
  server_error: 500,
  temporarily_unavailable: 503,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof ERROR_STATUS

/**
 * Replaces the characters that `error_description` must not contain (RFC 6749 sections 4.1.2.1 and
 * 5.2, RFC 6750 section 3).
 * @example
 * ```ts
 * printableDescription('is "credti"…') // "is 'credti'..."
 * ```
 */
export function printableDescription(text: string): string {
  return text
    .replaceAll('…', '...')
    .replaceAll(/\\?"/g, "'")
    .replaceAll('\\', '/')
    .replaceAll(/[^\x20-\x7e]/g, '?')
}
