import { compactVerify, createLocalJWKSet } from 'jose'
import * as z from 'zod'
import { decodeIdToken } from '../http/html/id-token-table.ts'
import { refuseLongValues } from '../oidc/request/echoed.ts'
import { decodePairs } from '../oidc/request/parameters.ts'
import { type CallbackCheck, callbackCheckSchema, checkClaims, type Expected, equal } from './check-claims.ts'

export const checkedCallbackSchema = z.object({
  /** As sent; a parameter without a value is the empty string, since `error=` is an error too. */
  params: z.record(z.string(), z.string()).readonly(),
  checks: z.array(callbackCheckSchema).readonly(),
  /** The payload of the id_token, when one came. */
  claims: z.record(z.string(), z.unknown()).readonly().optional(),
})

/** A callback with the results of its checks. */
export type CheckedCallback = Readonly<z.infer<typeof checkedCallbackSchema>>

/** Whether every check of a callback passed. */
export const isTrusted = ({ checks }: CheckedCallback) => checks.every(({ passed }) => passed)

/** Create: a callback without error is a success and carries nothing but the state. */
export function checkCreateCallback(encoded: string, state: string): CheckedCallback {
  const { params } = readParameters(encoded)
  return { params, checks: [checkState(params, state)] }
}

/**
 * Makes every check of a Use callback that a relying party makes (section "Authentication", rules 2 and 3). A failed check
 * does not end the list, so that a reader sees all results.
 *
 * @param encoded the query or the form, as sent
 * @param expected.keySet fetches the key set; called only when there is an id_token
 */
export async function checkUseCallback(
  encoded: string,
  { keySet, ...expected }: Expected & { keySet(): Promise<unknown> },
): Promise<CheckedCallback> {
  const { params, repeated } = readParameters(encoded)
  const { id_token: token, iss } = params
  const checks = [
    checkState(params, expected.request['state'] ?? ''),
    checkParameters(params, repeated),
    // RFC 9207: the parameter is optional, but must be right when present.
    ...(iss === undefined
      ? []
      : [equal('iss of the callback', 'the issuer', { expected: expected.issuer, actual: iss })]),
  ]
  if (token === undefined) return { params, checks }
  const { payload: claims } = decodeIdToken(token)
  checks.push(await checkSignature(token, await keySet()), ...checkClaims(claims, params, expected))
  return { params, checks, claims }
}

/** The parameters by name, and the names that came more than once: none of their values can be trusted. @throws Refusal 400 for a long one */
function readParameters(encoded: string) {
  const pairs = decodePairs(encoded).map(([name, value = '']): [string, string] => [name, value])
  refuseLongValues(pairs, 'id_token')
  const names = pairs.map(([name]) => name)
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  return { params: Object.fromEntries(pairs), repeated: [...new Set(repeated)] }
}

/** Whether the callback belongs to a request of this browser. */
const checkState = (params: CheckedCallback['params'], state: string): CallbackCheck =>
  equal('state', 'the one of the session', { expected: state, actual: params['state'] })

/** A Use callback carries exactly one of these. */
const RESULTS = ['id_token', 'create_requested', 'error']

function checkParameters(params: CheckedCallback['params'], repeated: readonly string[]): CallbackCheck {
  const results = RESULTS.filter((name) => params[name] !== undefined)
  const found = [results.join(' and ') || 'none', ...repeated.map((name) => `${name} twice`)]
  const passed = results.length === 1 && repeated.length === 0
  return { name: 'parameters', rule: `one of ${RESULTS.join(', ')}, each once`, passed, found: found.join(', ') }
}

const keySetSchema = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) })

async function checkSignature(token: string, keySet: unknown): Promise<CallbackCheck> {
  const check = { name: 'signature', rule: 'by a key of the key set, RS256 or ES256' }
  const keys = keySetSchema.safeParse(keySet)
  if (!keys.success) return { ...check, passed: false, found: 'the key set cannot be read' }
  try {
    const { protectedHeader } = await compactVerify(token, createLocalJWKSet(keys.data), {
      algorithms: ['RS256', 'ES256'],
    })
    return { ...check, passed: true, found: `${protectedHeader.alg} by ${protectedHeader.kid ?? 'a key without kid'}` }
  } catch (error) {
    return { ...check, passed: false, found: error instanceof Error ? error.message : String(error) }
  }
}
