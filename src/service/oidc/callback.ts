import * as z from 'zod'
import { DEFAULT_POLICY, type Policy } from './policy.ts'
import type { Awaitable } from './ports.ts'
import { Refusal } from './refusal.ts'
import { printableDescription } from './rules/error-codes.ts'

/**
 * How the authorization response reaches the relying party (OAuth 2.0 Multiple Response Types, Form
 * Post).
 */
export const RESPONSE_MODES = ['fragment', 'query', 'form_post'] as const
export type ResponseMode = (typeof RESPONSE_MODES)[number]

export const isResponseMode = (value: string): value is ResponseMode =>
  RESPONSE_MODES.some((mode) => mode === value)

export const callbackSchema = z.object({
  mode: z.enum(RESPONSE_MODES),
  redirectUri: z.string(),
  /** Names and values in the order of the response. */
  params: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
  /** How the query string of a redirect encodes a space (default `%20`). */
  blanks: z.enum(['%20', '+']).optional(),
})

/**
 * An authorization response: the parameters that the browser brings to the redirect URI of the
 * relying party.
 */
export type Callback = Readonly<z.infer<typeof callbackSchema>>

/** Creates a callback. Parameters without a value are left out. */
export function createCallback(
  target: { mode: ResponseMode; redirectUri: string },
  params: Readonly<Record<string, string | undefined>>,
): Callback {
  const sent: [name: string, value: string][] = []
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) sent.push([name, value])
  return { mode: target.mode, redirectUri: target.redirectUri, params: sent }
}

/**
 * Creates a callback with an error: why there is no result, and what to do. Findings are not part
 * of it. `error_description` uses only the characters that RFC 6749 section 4.1.2.1 allows.
 */
export function createErrorCallback(
  target: { mode: ResponseMode; redirectUri: string; state: string | undefined },
  refusal: { error: string; description: string; hint?: string },
  { errorDescription }: Pick<Policy, 'errorDescription'> = DEFAULT_POLICY,
): Callback {
  const { hint } = refusal
  const end = /[.?]$/.test(refusal.description) ? ' ' : '. '
  const description = printableDescription(
    refusal.description + (hint === undefined ? '' : end + hint),
  )
  return createCallback(target, {
    error: refusal.error,
    error_description:
      errorDescription === 'absent' ? undefined : shortened(description, MAX_DESCRIPTION),
    state: target.state,
  })
}

/** Error codes of an invalid request, as opposed to the decision of a user. */
const OF_REQUEST: readonly string[] = [
  'invalid_request',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_response_type',
]

/**
 * Applies the policy that invalid requests are answered by an error page instead of a callback.
 * @throws Refusal when the policy is `page` and the error is one of an invalid request
 */
export function refuseOnPage(
  { error, description }: { readonly error: string; readonly description: string },
  { refusedRequest }: Pick<Policy, 'refusedRequest'>,
): void {
  if (refusedRequest === 'page' && OF_REQUEST.includes(error))
    throw Refusal.invalidRequest(`${error}: ${description}`)
}

/** Applies the policy of error codes to a refused authorization request. */
export const redirectedError = <Error extends { readonly error: string }>(
  error: Error,
  { errorCodes }: Pick<Policy, 'errorCodes'>,
): Error =>
  errorCodes === 'specific' || OF_REQUEST_OBJECT.includes(error.error)
    ? error
    : { ...error, error: 'invalid_request' }

/**
 * OpenID Connect Core 1.0 sections 6.1 and 6.2 require these errors of a service that does not
 * support request objects.
 */
const OF_REQUEST_OBJECT: readonly string[] = ['request_not_supported', 'request_uri_not_supported']

/** Appends a text to `error_description`, which is shortened to keep the maximum length. */
export function withDescriptionEnd(callback: Callback, end: string): Callback {
  const room = MAX_DESCRIPTION - end.length
  const params = callback.params.map(
    ([name, value]) =>
      [name, name === 'error_description' ? shortened(value, room) + end : value] as const,
  )
  return { ...callback, params }
}

/**
 * Decision: maximum length of `error_description`. Proxies and servers refuse long query strings.
 */
const MAX_DESCRIPTION = 400

const shortened = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most - 3).replace(/\.+$/, '')}...` : text

/**
 * The URL to which the browser is redirected, for the modes `query` and `fragment`. The query of
 * the redirect URI itself is kept.
 */
export function callbackUrl(callback: Callback): string {
  const form = new URLSearchParams(
    callback.params.map(([name, value]): [string, string] => [name, value]),
  ).toString()
  // Every client decodes %20 as a space; only form decoders decode + as a space.
  const sent = callback.blanks === '+' ? form : form.replaceAll('+', '%20')
  const url = new URL(callback.redirectUri)
  if (callback.mode === 'fragment') return `${url.href}#${sent}`
  url.search = [url.search, sent].filter((part) => part !== '').join('&')
  return url.href
}

/** The claims of an id_token, in the order of serialisation. */
export type IdTokenClaims = Readonly<Record<string, unknown>>

/**
 * Seams: places at which a host may change an answer, so that a relying party receives answers that
 * it must refuse. A real service has no seams.
 */
export interface Seams {
  /** Changes the claims before they are signed. */
  claims?(claims: IdTokenClaims): Awaitable<IdTokenClaims>
  /** Changes the signed id_token. */
  token?(idToken: string): Awaitable<string>
  /** Changes the parameters of the callback. */
  callback?(callback: Callback): Awaitable<Callback>
  /** Changes the callback of a refused request. No other seam applies to a refused request. */
  refusal?(callback: Callback): Awaitable<Callback>
}

/** Applies the seam `callback`. */
export const changedBy = async (
  { callback: change }: Seams,
  callback: Callback,
): Promise<Callback> => (await change?.(callback)) ?? callback
