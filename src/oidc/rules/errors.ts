import type { Finding } from './findings.ts'

/** Error codes of RFC 6749, RFC 6750, RFC 9126, RFC 9396 and OpenID Connect Core that the service sends, with their status. */
export const ERROR_STATUS = {
  invalid_request: 400,
  invalid_scope: 400,
  unsupported_response_type: 400,
  unsupported_grant_type: 400,
  invalid_grant: 400,
  invalid_authorization_details: 400,
  invalid_request_uri: 400,
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
 * A request that the service refuses. Server-to-server calls answer it as JSON
 * `{error, error_description, findings}`; browser endpoints show it as an error page, never as a redirect.
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: ErrorCode
  readonly status: number
  readonly findings: readonly Finding[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ErrorCode,
    description: string,
    options: { status?: number; findings?: readonly Finding[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(description)
    this.code = code
    this.status = options.status ?? ERROR_STATUS[code]
    this.findings = options.findings ?? []
    this.headers = options.headers ?? {}
  }
}

/** A text in the characters that RFC 6749 (4.1.2.1, 5.2) and RFC 6750 (3) leave to an `error_description`. */
export function printableDescription(text: string): string {
  return text
    .replaceAll('…', '...')
    .replaceAll(/["\\]/g, "'")
    .replaceAll(/[^\x20-\x7e]/g, '?')
}
