import { isJsonObject } from '../../service/age/json-object.ts'
import type { Callback, IdTokenClaims } from '../../service/oidc/callback.ts'
import { signCompact, takeApart, type Unsigned } from '../keys/compact-jws.ts'
import type { SigningKey } from '../keys/signing-keys.ts'
import type { ServerReply } from './outcome.ts'
import type { TamperTools } from './tamper-tools.ts'
/** Sets a parameter: replaces its value, or appends the parameter. */
export function withParam(callback: Callback, name: string, value: string): Callback {
  if (!callback.params.some(([sent]) => sent === name)) return withAnother(callback, name, value)
  return {
    ...callback,
    params: callback.params.map(([sent, was]) => [sent, sent === name ? value : was] as const),
  }
}

/** Appends a parameter, even if one with this name exists. */
export const withAnother = (callback: Callback, name: string, value: string): Callback => ({
  ...callback,
  params: [...callback.params, [name, value]],
})

/** Adds a parameter before all others. Most clients use the first of repeated parameters. */
export const withFirst = (callback: Callback, name: string, value: string): Callback => ({
  ...callback,
  params: [[name, value], ...callback.params],
})

/** Removes a parameter. */
export const withoutParam = (callback: Callback, name: string): Callback => ({
  ...callback,
  params: callback.params.filter(([sent]) => sent !== name),
})

/** The first value of a parameter. */
export const paramOf = (callback: Callback, name: string): string | undefined =>
  callback.params.find(([sent]) => sent === name)?.[1]

/**
 * Signs the token again.
 * @param change.header members to replace; `undefined` removes a member
 * @param change.payload the new claims, or a text that need not be JSON
 */
export async function signAgain(
  idToken: string,
  { keys }: TamperTools,
  change: Partial<Pick<Unsigned, 'header' | 'payload'>> & { key?: SigningKey },
): Promise<string> {
  const { header, claims } = takeApart(idToken)
  const { payload = claims, key = await keys.signingKey() } = change
  return signCompact({ header: { ...header, ...change.header }, payload }, key)
}

/** Removes the signature and keeps the dot before it. */
export const withoutSignature = (idToken: string): string =>
  idToken.slice(0, idToken.lastIndexOf('.') + 1)

/** The requested thresholds with their answers. */
export const answers = ({
  age_thresholds: map,
}: IdTokenClaims): [threshold: string, answer: boolean][] =>
  typeof map === 'object' && map !== null
    ? Object.entries(map).map(([threshold, answer]): [string, boolean] => [
        threshold,
        answer === true,
      ])
    : []

/** Maps each requested threshold to the result of `write` for its answer. */
export const answersAs = (
  claims: IdTokenClaims,
  write: (answer: boolean) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(answers(claims).map(([threshold, answer]) => [threshold, write(answer)]))

export const withJson = (reply: ServerReply, value: unknown): ServerReply => ({
  ...reply,
  // A reading may have replaced the JSON body by text.
  headers: { ...reply.headers, 'Content-Type': 'application/json; charset=utf-8' },
  body: { kind: 'json', value },
})

/** Replaces the body by a text. The Content-Type is not changed. */
export const withText = (reply: ServerReply, text: string): ServerReply => ({
  ...reply,
  body: { kind: 'text', text },
})

export const withoutBody = (reply: ServerReply): ServerReply => ({
  ...reply,
  body: { kind: 'empty' },
})

export const withHeaders = (
  reply: ServerReply,
  headers: Readonly<Record<string, string>>,
): ServerReply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
})

/** Replaces members of the JSON body; `undefined` removes a member. */
export const withMembers = (
  reply: ServerReply,
  change: Readonly<Record<string, unknown>>,
): ServerReply => withJson(reply, { ...bodyOf(reply), ...change })

/** The JSON object in the body of a reply; empty for any other body. */
export function bodyOf({ body }: ServerReply): Readonly<Record<string, unknown>> {
  return body.kind === 'json' && isJsonObject(body.value) ? body.value : {}
}

/** The keys of a key set. */
export function keysOfReply(reply: ServerReply): Readonly<Record<string, unknown>>[] {
  const { keys } = bodyOf(reply)
  return Array.isArray(keys) ? keys.map((key: object) => ({ ...key })) : []
}

/** Replaces the number in expires_in by a string. */
export function withExpiryAsText(reply: ServerReply): ServerReply {
  return withMembers(reply, { expires_in: String(bodyOf(reply)['expires_in']) })
}
