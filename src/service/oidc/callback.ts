import * as z from 'zod'
import { DEFAULT_POLICY, type Policy } from './policy.ts'
import type { Awaitable } from './ports.ts'
import { Refusal } from './refusal.ts'
import { printableDescription } from './rules/error-codes.ts'

/**
 * How the answer of an authorization request reaches the relying party (OAuth 2.0 Multiple Response
 * Types, Form Post).
 */
export const RESPONSE_MODES = ['fragment', 'query', 'form_post'] as const
export type ResponseMode = (typeof RESPONSE_MODES)[number]

export const isResponseMode = (value: string): value is ResponseMode =>
  RESPONSE_MODES.some((mode) => mode === value)

export const callbackSchema = z.object({
  mode: z.enum(RESPONSE_MODES),
  redirectUri: z.string(),
  /** Names and values in the order in which they are sent. */
  params: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
  /** How a blank is written in a redirect; `%20` when absent. */
  blanks: z.enum(['%20', '+']).optional(),
})

/**
 * The answer of an authorization request: parameters that go back to the relying party through the
 * browser.
 */
export type Callback = Readonly<z.infer<typeof callbackSchema>>

/** Removes parameters without a value. */
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
 * A callback with an error: why there is no result, and what to do. It carries no findings.
 * `error_description` keeps to the characters of RFC 6749 section 4.1.2.1.
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

/** Errors of the request itself. */
const OF_REQUEST: readonly string[] = [
  'invalid_request',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_response_type',
]

/**
 * The callback of a refused request.
 * @throws Refusal when the service answers such an error by a page
 */
export function refuseOnPage(
  { error, description }: { readonly error: string; readonly description: string },
  { refusedRequest }: Pick<Policy, 'refusedRequest'>,
): void {
  if (refusedRequest === 'page' && OF_REQUEST.includes(error))
    throw Refusal.invalidRequest(`${error}: ${description}`)
}

/** The error code with which a refused authorization request returns. */
export const redirectedError = <Error extends { readonly error: string }>(
  error: Error,
  { errorCodes }: Pick<Policy, 'errorCodes'>,
): Error =>
  errorCodes === 'specific' || OF_REQUEST_OBJECT.includes(error.error)
    ? error
    : { ...error, error: 'invalid_request' }

/**
 * OpenID Connect Core 1.0 sections 6.1 and 6.2 require these errors of a service without request
 * objects.
 */
const OF_REQUEST_OBJECT: readonly string[] = ['request_not_supported', 'request_uri_not_supported']

/**
 * The same callback with a text at the end of `error_description`, which is shortened to make room.
 */
export function withDescriptionEnd(callback: Callback, end: string): Callback {
  const room = MAX_DESCRIPTION - end.length
  const params = callback.params.map(
    ([name, value]) =>
      [name, name === 'error_description' ? shortened(value, room) + end : value] as const,
  )
  return { ...callback, params }
}

/** Decision: the query of a callback stays short, because proxies and servers refuse long ones. */
const MAX_DESCRIPTION = 400

const shortened = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most - 3).replace(/\.+$/, '')}...` : text

/**
 * Where the browser goes with a callback in mode `query` or `fragment`; the query of the redirect
 * URI itself stays as it is.
 */
export function callbackUrl(callback: Callback): string {
  const form = new URLSearchParams(
    callback.params.map(([name, value]): [string, string] => [name, value]),
  ).toString()
  // Clients read a space as %20 in either way, whether they decode forms or URI components.
  const sent = callback.blanks === '+' ? form : form.replaceAll('+', '%20')
  const url = new URL(callback.redirectUri)
  if (callback.mode === 'fragment') return `${url.href}#${sent}`
  url.search = [url.search, sent].filter((part) => part !== '').join('&')
  return url.href
}

/** The claims of an id_token, in the order in which they are serialised. */
export type IdTokenClaims = Readonly<Record<string, unknown>>

/**
 * Seams: places at which a host may change an answer, so that a relying party meets what it must
 * refuse. The real service has none.
 */
export interface Seams {
  /** The claims before they are signed. */
  claims?(claims: IdTokenClaims): Awaitable<IdTokenClaims>
  /** The signed id_token. */
  token?(idToken: string): Awaitable<string>
  /** The parameters that the browser brings to the relying party. */
  callback?(callback: Callback): Awaitable<Callback>
  /** The parameters of a refused request, which has no other seam. */
  refusal?(callback: Callback): Awaitable<Callback>
}

/** The callback as it is sent. */
export const changedBy = async (
  { callback: change }: Seams,
  callback: Callback,
): Promise<Callback> => (await change?.(callback)) ?? callback
