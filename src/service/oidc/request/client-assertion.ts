import { excerpt } from '../../text/message-parts.ts'
import type { ServerRequest } from './server-request.ts'

/** The credentials that a call sends to authenticate its client. */
interface SentCredentials {
  readonly authorization: string | undefined
  readonly clientSecret: string | undefined
  readonly assertion: string | undefined
}

/**
 * Why a client assertion beside other credentials is refused (RFC 6749 section 2.3, RFC 7521
 * section 4.2); `undefined` when the call has only one method.
 */
export function assertionBeside({
  authorization,
  clientSecret,
  assertion,
}: SentCredentials): string | undefined {
  if (assertion === undefined) return undefined
  if (clientSecret !== undefined) return besides('client_secret')
  return authorization ? besides('an Authorization header') : undefined
}

const besides = (other: string) =>
  `client_assertion is sent beside ${other}: a request authenticates by one of them (RFC 6749 section 2.3, RFC 7521 section 4.2)`

/**
 * The problem of a call that authenticates only by an assertion (such as `private_key_jwt`), or
 * sends only the type of an assertion. The message does not repeat the assertion.
 * @param usedHere the authentication method of the endpoint: `E4 takes HTTP Basic`
 * @returns `undefined` for a call without assertion parameters
 */
export function assertionAlone(
  { formPairs }: ServerRequest,
  usedHere: string,
): { readonly path: string; readonly message: string } | undefined {
  const sent = new Map(formPairs)
  const path = ['client_assertion', 'client_assertion_type'].find((name) => sent.get(name))
  if (path === undefined) return undefined
  const type = sent.get('client_assertion_type')
  const ofType = type ? ` of the client_assertion_type ${excerpt(type)}` : ''
  const message = `${path} authenticates no client here: an assertion${ofType} (private_key_jwt, client_secret_jwt) is not read; ${usedHere}`
  return { path, message }
}
