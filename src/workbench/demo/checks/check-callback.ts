import * as z from 'zod'
import type { ResponseMode } from '../../../service/oidc/callback.ts'
import { decodePairs } from '../../../service/oidc/request/parameters.ts'
import { exchangeSchema, type FetchedKeys } from '../server-calls.ts'
import { allPassed, applying, type CheckResult, check, checkResultSchema, equal } from './check.ts'
import { checkClaims, type UseFacts } from './check-claims.ts'
import { checkToken } from './check-token.ts'

export const checkedCallbackSchema = z.object({
  /**
   * The parameters as sent. A parameter without a value is the empty string, since `error=` is an
   * error too.
   */
  params: z.record(z.string(), z.string()).readonly(),
  checks: z.array(checkResultSchema).readonly(),
  /** The payload of the id_token, if one came. */
  claims: z.record(z.string(), z.unknown()).readonly().optional(),
  /** The calls for the keys of the service. */
  reads: z.array(exchangeSchema).readonly(),
})

/** A callback with its checks. */
export type CheckedCallback = Readonly<z.infer<typeof checkedCallbackSchema>>

/** Whether all checks of a callback passed, and all checks of the calls for the keys. */
export const isTrusted = ({ checks, reads }: CheckedCallback) =>
  allPassed([...checks, ...reads.flatMap((read) => read.checks)])

/** A callback as it arrives. */
export interface Arrived {
  /** The query or the form, as sent. */
  readonly encoded: string
  readonly mode: ResponseMode
}

/** Create: a callback without error is a success and carries nothing but the state. */
export function checkCreateCallback(
  arrived: Arrived,
  expected: { state: string; issuer: string },
): CheckedCallback {
  const read = readParameters(arrived.encoded)
  const { params, repeated } = read
  const parameters = check('parameters', {
    passed: repeated.length === 0,
    found: repeated.map((name) => `${name} twice`).join(', ') || 'each once',
  })
  const checks = [parameters, ...checkCommon(read, arrived.mode, { ...expected, mode: 'query' })]
  return { params, checks, reads: [] }
}

/**
 * Makes all checks of a Use callback (section "Authentication", rules 2 and 3). A failed check does
 * not end the list, so that a reader sees all results; unreadable parts are not checked.
 * @param expected.fetchKeys fetches the keys of the service; called only when there is an id_token
 */
export async function checkUseCallback(
  arrived: Arrived,
  { fetchKeys, ...expected }: UseFacts & { fetchKeys(): Promise<FetchedKeys> },
): Promise<CheckedCallback> {
  const read = readParameters(arrived.encoded)
  const { params, repeated } = read
  const { state = '', response_mode: mode = 'fragment' } = expected.request
  const checks = applying([
    checkResults(params, repeated),
    ...checkCommon(read, arrived.mode, { state, mode, issuer: expected.issuer }),
    checkCreateRequested(params, expected.request),
  ])
  const token = params['id_token']
  if (token === undefined || repeated.includes('id_token')) return { params, checks, reads: [] }
  const { keys, exchanges: reads } = await fetchKeys()
  const { checks: ofToken, claims } = await checkToken(token, keys)
  if (!claims) return { params, checks: [...checks, ...ofToken], reads }
  // An answer that the service has not signed says nothing about a code.
  const isSigned = ofToken.every(({ name, passed }) => name !== 'signature' || passed)
  const ofClaims = checkClaims(claims, params['code'], expected).filter(
    ({ name }) => isSigned || name !== 'code',
  )
  return { params, checks: [...checks, ...ofToken, ...ofClaims], claims, reads }
}

/** The parameters of a callback. */
interface ReadParameters {
  readonly params: CheckedCallback['params']
  /** The names that came more than once. None of the values of such a name can be trusted. */
  readonly repeated: readonly string[]
}

function readParameters(encoded: string): ReadParameters {
  const pairs = decodePairs(encoded).map(([name, value = '']): [string, string] => [name, value])
  const names = pairs.map(([name]) => name)
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  return { params: Object.fromEntries(pairs), repeated: [...new Set(repeated)] }
}

/** The checks of both flows. A repeated state has no value to compare. */
function checkCommon(
  { params, repeated }: ReadParameters,
  mode: ResponseMode,
  expected: { state: string; mode: string; issuer: string },
): CheckResult[] {
  const { state, error, iss } = params
  return applying([
    !repeated.includes('state') && equal('state', { found: state, expected: expected.state }),
    equal('response_mode', { found: mode, expected: expected.mode }),
    check('error', { passed: error === undefined, found: error }),
    // RFC 9207: the parameter is optional, but must be right when present.
    iss !== undefined && equal('callback_iss', { found: iss, expected: expected.issuer }),
  ])
}

/** A Use callback without error carries exactly one of these parameters. */
const RESULTS = ['id_token', 'create_requested']

function checkResults(params: CheckedCallback['params'], repeated: readonly string[]): CheckResult {
  const results = RESULTS.filter((name) => params[name] !== undefined)
  const isOne = results.length === 1 || (results.length === 0 && params['error'] !== undefined)
  const found = [results.join(' and ') || 'none', ...repeated.map((name) => `${name} twice`)]
  return check('parameters', {
    passed: isOne && repeated.length === 0,
    found: found.join(', '),
    expected: `one of ${RESULTS.join(', ')} or an error, each once`,
  })
}

function checkCreateRequested(
  params: CheckedCallback['params'],
  request: UseFacts['request'],
): CheckResult | false {
  const { create_requested: found, id_token: token } = params
  // Beside an id_token this parameter is no answer.
  if (found === undefined || token !== undefined) return false
  const wasOffered = request['can_create'] === 'true'
  return check('create_requested', {
    passed: found === 'true' && wasOffered,
    found,
    expected: wasOffered ? 'true' : 'absent without can_create=true',
  })
}
