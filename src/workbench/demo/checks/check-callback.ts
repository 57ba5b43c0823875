import * as z from 'zod'
import type { ResponseMode } from '../../../service/oidc/callback.ts'
import { decodePairs } from '../../../service/oidc/request/parameters.ts'
import { exchangeSchema, type FetchedKeys } from '../server-calls.ts'
import { allPassed, applying, type CheckResult, check, checkResultSchema, equal } from './check.ts'
import { checkClaims, type UseFacts } from './check-claims.ts'
import { checkToken } from './check-token.ts'

export const checkedCallbackSchema = z.object({
  /**
   * The parameters as sent. A parameter without a value becomes the empty string, because `error=`
   * is an error too.
   */
  params: z.record(z.string(), z.string()).readonly(),
  checks: z.array(checkResultSchema).readonly(),
  /** The payload of the id_token, if the callback has one. */
  claims: z.record(z.string(), z.unknown()).readonly().optional(),
  /** The calls for the keys of the service. */
  reads: z.array(exchangeSchema).readonly(),
})

/** A callback with its checks. */
export type CheckedCallback = Readonly<z.infer<typeof checkedCallbackSchema>>

/** Whether all checks of a callback passed, and all checks of the calls for the keys. */
export const isTrusted = ({ checks, reads }: CheckedCallback) =>
  allPassed([...checks, ...reads.flatMap((read) => read.checks)])

/** A callback before it is checked. */
export interface Arrived {
  /** The query or the form, as sent. */
  readonly encoded: string
  readonly mode: ResponseMode
}

/** Checks a Create callback: without an error it is a success and contains only the state. */
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
 * Checks a Use callback (specification, "Authentication", rules 2 and 3). All checks run even after
 * a failure, so that a reader sees all results; parts that cannot be read are not checked.
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
  // Without a valid signature the answers do not tell whether a code is due.
  const isSigned = ofToken.every(({ name, passed }) => name !== 'signature' || passed)
  const ofClaims = checkClaims(claims, params['code'], expected).filter(
    ({ name }) => isSigned || name !== 'code',
  )
  return { params, checks: [...checks, ...ofToken, ...ofClaims], claims, reads }
}

/** The parameters of a callback. */
interface ReadParameters {
  readonly params: CheckedCallback['params']
  /** Names that occur more than once. None of their values can be trusted. */
  readonly repeated: readonly string[]
}

function readParameters(encoded: string): ReadParameters {
  const pairs = decodePairs(encoded).map(([name, value = '']): [string, string] => [name, value])
  const names = pairs.map(([name]) => name)
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  return { params: Object.fromEntries(pairs), repeated: [...new Set(repeated)] }
}

/** Makes the checks of both flows. A repeated state cannot be compared. */
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
    // RFC 9207: `iss` is optional but must be right when present.
    iss !== undefined && equal('callback_iss', { found: iss, expected: expected.issuer }),
  ])
}

/** A Use callback without an error contains exactly one of these parameters. */
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
  // With an id_token the parameter has no meaning.
  if (found === undefined || token !== undefined) return false
  const wasOffered = request['can_create'] === 'true'
  return check('create_requested', {
    passed: found === 'true' && wasOffered,
    found,
    expected: wasOffered ? 'true' : 'absent without can_create=true',
  })
}
