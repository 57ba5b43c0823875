import { createHash } from 'node:crypto'
import { compactVerify, importJWK, type JWK } from 'jose'
import * as z from 'zod'
import { messageOf } from '../../../sandbox/files/caught.ts'
import { decodeIdToken } from '../../../server/http/html/id-token-table.ts'
import { isJsonObject } from '../../../service/age/json-object.ts'
import type { ResponseMode } from '../../../service/oidc/callback.ts'
import { parseJson, repeatedMembers } from '../../../service/oidc/request/json.ts'
import { decodePairs } from '../../../service/oidc/request/parameters.ts'
import { exchangeSchema, type FetchedKeys } from '../server-calls.ts'
import { allPassed, applying, type CheckResult, check, checkResultSchema, equal } from './check.ts'

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
  const parameters = check('parameters', 'each once', {
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
  { fetchKeys, ...expected }: ExpectedFacts & { fetchKeys(): Promise<FetchedKeys> },
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
  const ofClaims = checkClaims(claims, params, expected).filter(
    ({ name }) => isSigned || name !== 'code',
  )
  return { params, checks: [...checks, ...ofToken, ...ofClaims], claims, reads }
}

/**
 * The parameters by name, and the names that came more than once, none of whose values can be
 * trusted.
 */
function readParameters(encoded: string) {
  const pairs = decodePairs(encoded).map(([name, value = '']): [string, string] => [name, value])
  const names = pairs.map(([name]) => name)
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  return { params: Object.fromEntries(pairs), repeated: [...new Set(repeated)] }
}

/** The checks of both flows. A repeated state has no value to compare. */
function checkCommon(
  { params, repeated }: ReturnType<typeof readParameters>,
  mode: ResponseMode,
  expected: { state: string; mode: string; issuer: string },
): CheckResult[] {
  const { state, error, iss } = params
  return applying([
    !repeated.includes('state') &&
      equal('state', 'the one of the session', { expected: expected.state, actual: state }),
    equal('response_mode', 'the one that was asked for', { expected: expected.mode, actual: mode }),
    check('error', 'absent: an error is no result', { passed: error === undefined, found: error }),
    // RFC 9207: the parameter is optional, but must be right when present.
    iss !== undefined &&
      equal('callback_iss', 'the issuer', { expected: expected.issuer, actual: iss }),
  ])
}

/** A Use callback without error carries exactly one of these parameters. */
const RESULTS = ['id_token', 'create_requested']

function checkResults(params: CheckedCallback['params'], repeated: readonly string[]): CheckResult {
  const results = RESULTS.filter((name) => params[name] !== undefined)
  const found = [results.join(' and ') || 'none', ...repeated.map((name) => `${name} twice`)].join(
    ', ',
  )
  const isOne = results.length === 1 || (results.length === 0 && params['error'] !== undefined)
  return check('parameters', `one of ${RESULTS.join(', ')} or an error, each once`, {
    passed: isOne && repeated.length === 0,
    found,
  })
}

function checkCreateRequested(
  params: CheckedCallback['params'],
  request: ExpectedFacts['request'],
): CheckResult | false {
  const { create_requested: found, id_token: token } = params
  const passed = found === 'true' && request['can_create'] === 'true'
  // Beside an id_token this parameter is no answer.
  const isAnswer = found !== undefined && token === undefined
  return (
    isAnswer &&
    check('create_requested', 'true, to a request with can_create=true', { passed, found })
  )
}

/** A real id_token has about one kilobyte. */
const MAX_TOKEN_LENGTH = 8_192

const ALGORITHMS = ['RS256', 'ES256']

/**
 * Makes all checks of an id_token except those of its claims. A token that is too long or no
 * compact JWS is not read further.
 * @param keys the key set; absent when it could not be used
 * @returns `claims`: the payload, if it can be read in exactly one way
 */
export async function checkToken(
  token: string,
  keys: readonly JWK[] | undefined,
): Promise<Pick<CheckedCallback, 'checks' | 'claims'>> {
  const form = [
    check('size', `at most ${MAX_TOKEN_LENGTH} characters`, {
      passed: token.length <= MAX_TOKEN_LENGTH,
      found: `${token.length} characters`,
    }),
    check('serialisation', 'three parts of base64url', {
      passed: /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token),
      found: `${token.split('.').length} parts`,
    }),
  ]
  if (form.some(({ passed }) => !passed))
    return { checks: form.filter(({ passed }) => !passed).slice(0, 1) }
  const header = checkHeader(token, keys)
  const signature =
    keys && !header.some(({ name }) => name === 'crit') ? [await checkSignature(token, keys)] : []
  const { payload, claims } = readPayload(token)
  return { checks: [...form, ...header, ...signature, payload], ...(claims ? { claims } : {}) }
}

/** Beside another source of keys, the kid names a key from that source. */
function checkHeader(token: string, keys: readonly JWK[] | undefined): CheckResult[] {
  const { header } = decodeIdToken(token)
  const { alg, kid, crit, typ } = header
  const isOnlyKey = keys?.length === 1 && kid === undefined && keys[0]?.kid === undefined
  const isOfKey = keys?.some((key) => key.kid === kid && kid) || isOnlyKey
  const sources = ['jwk', 'jku', 'x5u', 'x5c'].filter((name) => header[name] !== undefined)
  const isJwt = typ === undefined || (typeof typ === 'string' && typ.toUpperCase() === 'JWT')
  return applying([
    check('alg', ALGORITHMS.join(' or '), {
      passed: ALGORITHMS.some((one) => one === alg),
      found: alg,
    }),
    keys !== undefined &&
      sources.length === 0 &&
      check('kid', 'of a key of the key set', { passed: isOfKey, found: kid }),
    ...sources.map((name) =>
      check('key_source', 'the key set only', { passed: false, found: name }),
    ),
    crit !== undefined &&
      check('crit', 'absent: no extension is known', { passed: false, found: crit }),
    check('typ', 'JWT or absent', { passed: isJwt, found: typ }),
  ])
}

/**
 * Verifies by the key that the kid names. A kid that names no key is its own fault, so the
 * signature is tried with every key then.
 */
async function checkSignature(token: string, keys: readonly JWK[]): Promise<CheckResult> {
  const { alg, kid } = decodeIdToken(token).header
  const named = keys.filter((key) => key.kid === kid)
  const problems: string[] = []
  for (const key of named.length > 0 ? named : keys) {
    try {
      await compactVerify(token, await importJWK(key, String(alg)), { algorithms: ALGORITHMS })
      return check('signature', SIGNATURE, {
        passed: true,
        found: `${alg} by ${key.kid ?? 'a key without kid'}`,
      })
    } catch (error) {
      problems.push(messageOf(error))
    }
  }
  return check('signature', SIGNATURE, {
    passed: false,
    found: problems[0] ?? 'the key set has no key',
  })
}

const SIGNATURE = 'by a key of the key set'

function readPayload(token: string): { payload: CheckResult; claims?: Claims } {
  const text = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')
  const json = parseJson(text)
  const payload = (passed: boolean, found: string) =>
    check('payload', 'a JSON object whose members come once', { passed, found })
  if (!json.ok) return { payload: payload(false, json.reason) }
  if (!isJsonObject(json.value)) return { payload: payload(false, 'JSON, but no object') }
  const [twice] = repeatedMembers(text)
  if (twice !== undefined) return { payload: payload(false, `${twice} twice`) }
  return { payload: payload(true, 'a JSON object'), claims: json.value }
}

/** The facts for the checks of a callback. */
interface ExpectedFacts {
  /** The parameters of the request. */
  readonly request: Readonly<Record<string, string>>
  /**
   * When the request was made, in milliseconds since the UNIX epoch by the clock of the sandbox,
   * like `now`.
   */
  readonly startedAt: number
  readonly now: number
  readonly issuer: string
}

type Claims = Readonly<Record<string, unknown>>

/** Tolerance between two clocks. */
const SKEW_SECONDS = 60

/** The longest lifetime of an id_token (section "ID token claims"). */
const MAX_LIFETIME_SECONDS = 600

/** Makes all checks of the payload of an id_token; `params` are those of the callback. */
function checkClaims(
  claims: Claims,
  params: CheckedCallback['params'],
  expected: ExpectedFacts,
): CheckResult[] {
  const { client_id: clientId = '', nonce = '', claims: asked = '' } = expected.request
  const { iss, aud, azp, sub, nonce: ofToken, req_claims_hash: hash } = claims
  const audience = Array.isArray(aud) ? aud : [aud]
  return applying([
    equal('iss', 'the issuer', { expected: expected.issuer, actual: iss }),
    check('aud', `contains ${clientId}`, { passed: audience.includes(clientId), found: aud }),
    // OpenID Connect Core 3.1.3.7 (3) to (5): an audience that is not trusted needs azp, and azp is
    // this client.
    check('azp', `${clientId}, or absent with one audience`, {
      passed: azp === undefined ? audience.length <= 1 : azp === clientId,
      found: azp,
    }),
    ...checkTimes(claims, expected),
    equal('nonce', 'the one of the session', { expected: nonce, actual: ofToken }),
    check('sub', 'a text of 1 to 255 characters, to log', {
      passed: z.string().min(1).max(255).safeParse(sub).success,
      found: sub,
    }),
    equal('req_claims_hash', 'of the claims text that was sent', {
      expected: sha256(asked).toString('base64url'),
      // RFC 4648 has padding, RFC 7515 has none.
      actual: typeof hash === 'string' ? hash.replace(/=+$/, '') : hash,
    }),
    ...checkAnswers(claims, asked),
    checkCode(claims, params['code'], expected.request),
    checkCodeHash(claims, params['code']),
  ])
}

function checkTimes(
  { iat, exp, nbf }: Claims,
  { startedAt, now }: ExpectedFacts,
): (CheckResult | false)[] {
  const seconds = now / 1000
  const issued = typeof iat === 'number' ? iat : Number.NaN
  const end = typeof exp === 'number' ? exp : Number.NaN
  const lifetime = end - (Number.isNaN(issued) ? seconds : issued)
  return [
    check('exp', 'in the future by the clock of the sandbox', {
      passed: end > seconds,
      found: exp,
    }),
    !Number.isNaN(end) &&
      check('lifetime', 'at most 10 minutes', {
        passed: lifetime <= MAX_LIFETIME_SECONDS + SKEW_SECONDS,
        found: `${Math.round(lifetime)} seconds`,
      }),
    check('iat', 'since the request was sent', {
      passed: issued >= startedAt / 1000 - SKEW_SECONDS && issued <= seconds + SKEW_SECONDS,
      found: iat,
    }),
    nbf !== undefined &&
      check('nbf', 'in the past', {
        passed: typeof nbf === 'number' && nbf <= seconds + SKEW_SECONDS,
        found: nbf,
      }),
  ]
}

/** The answers in an id_token. */
export const answersSchema = z.record(z.string(), z.boolean())

/** Every answer is a boolean; all requested ages have one, and no other age. */
function checkAnswers({ age_thresholds: given }: Claims, claimsText: string): CheckResult[] {
  const json = parseJson(claimsText)
  const asked = json.ok && isJsonObject(json.value) ? json.value['age_thresholds'] : undefined
  const names = Array.isArray(asked) ? [...new Set(asked.map(String))] : []
  const { data } = answersSchema.safeParse(given)
  const shape = check('age_thresholds', 'true or false for each age', {
    passed: data !== undefined,
    found: given,
  })
  if (!data) return [shape]
  const isComplete = Object.keys(data).sort().join() === [...names].sort().join()
  return [
    shape,
    check('requested_thresholds', names.join(', '), {
      passed: isComplete,
      found: Object.keys(data),
    }),
  ]
}

/**
 * A code comes exactly when an upgrade was allowed and no requested age is reached. Without the
 * requested answers nothing is checked.
 */
function checkCode(
  claims: Claims,
  code: string | undefined,
  { claims: asked = '', scope = 'openid' }: ExpectedFacts['request'],
): CheckResult | false {
  const { data } = answersSchema.safeParse(claims['age_thresholds'])
  if (!data || !allPassed(checkAnswers(claims, asked))) return false
  const isExpected = scope !== 'openid' && !Object.values(data).includes(true)
  const rule = isExpected
    ? 'there: an upgrade was allowed, and no age is reached'
    : 'absent: no upgrade is offered'
  return check('code', rule, {
    passed: isExpected === (code !== undefined),
    found: code === undefined ? code : '***',
  })
}

/** `c_hash` matches the code (OpenID Connect Core 3.3.2.11); without a code nothing is compared. */
const checkCodeHash = ({ c_hash: given }: Claims, code: string | undefined): CheckResult | false =>
  code !== undefined &&
  equal('c_hash', 'of the code that came', {
    expected: sha256(code).subarray(0, 16).toString('base64url'),
    actual: given,
  })

const sha256 = (text: string) => createHash('sha256').update(text).digest()
