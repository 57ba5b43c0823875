import { createHash } from 'node:crypto'
import * as z from 'zod'
import { isJsonObject } from '../../../service/age/json-object.ts'
import { parseJson } from '../../../service/oidc/request/json.ts'
import { allPassed, applying, type CheckResult, check, equal } from './check.ts'
import type { CheckedToken } from './check-token.ts'

/** The expected values for the checks of a Use callback. */
export interface UseFacts {
  /** The parameters of the request. */
  readonly request: Readonly<Record<string, string>>
  /**
   * When the request was made, and the time now: milliseconds since the UNIX epoch by the sandbox
   * clock.
   */
  readonly startedAt: number
  readonly now: number
  readonly issuer: string
}

type Claims = NonNullable<CheckedToken['claims']>

/**
 * Checks the payload of an id_token.
 * @param code the code of the callback, if there is one
 */
export function checkClaims(
  claims: Claims,
  code: string | undefined,
  expected: UseFacts,
): CheckResult[] {
  const { nonce = '', claims: asked = '' } = expected.request
  const { iss, sub, nonce: ofToken, req_claims_hash: hash } = claims
  return applying([
    equal('iss', { found: iss, expected: expected.issuer }),
    ...checkAudience(claims, expected.request),
    ...checkTimes(claims, expected),
    equal('nonce', { found: ofToken, expected: nonce }),
    check('sub', { passed: z.string().min(1).max(255).safeParse(sub).success, found: sub }),
    equal('req_claims_hash', {
      // base64url may have padding (RFC 4648) or none (RFC 7515).
      found: typeof hash === 'string' ? hash.replace(/=+$/, '') : hash,
      expected: sha256(asked).toString('base64url'),
    }),
    ...checkAnswers(claims, asked),
    checkCode(claims, code, expected.request),
    checkCodeHash(claims, code),
  ])
}

/**
 * Checks `aud` and `azp` (OpenID Connect Core 3.1.3.7, 3 to 5): several audiences need `azp`, and
 * `azp` must be this client.
 */
function checkAudience(
  { aud, azp }: Claims,
  { client_id: clientId = '' }: UseFacts['request'],
): CheckResult[] {
  const audience = Array.isArray(aud) ? aud : [aud]
  const isAuthorized = azp === undefined ? audience.length <= 1 : azp === clientId
  return [
    check('aud', { passed: audience.includes(clientId), found: aud, expected: clientId }),
    check('azp', { passed: isAuthorized, found: azp, expected: clientId }),
  ]
}

/** The tolerated difference between two clocks. */
const SKEW_SECONDS = 60

/** The maximum lifetime of an id_token (specification, "ID token claims"). */
const MAX_LIFETIME_SECONDS = 600

function checkTimes(
  { iat, exp, nbf }: Claims,
  { startedAt, now }: UseFacts,
): (CheckResult | false)[] {
  const seconds = now / 1000
  const issued = typeof iat === 'number' ? iat : Number.NaN
  const end = typeof exp === 'number' ? exp : Number.NaN
  const lifetime = end - (Number.isNaN(issued) ? seconds : issued)
  return [
    check('exp', { passed: end > seconds, found: exp }),
    !Number.isNaN(end) &&
      check('lifetime', {
        passed: lifetime <= MAX_LIFETIME_SECONDS + SKEW_SECONDS,
        found: `${Math.round(lifetime)} seconds`,
      }),
    check('iat', {
      passed: issued >= startedAt / 1000 - SKEW_SECONDS && issued <= seconds + SKEW_SECONDS,
      found: iat,
    }),
    nbf !== undefined &&
      check('nbf', {
        passed: typeof nbf === 'number' && nbf <= seconds + SKEW_SECONDS,
        found: nbf,
      }),
  ]
}

/** The answers in an id_token. */
export const answersSchema = z.record(z.string(), z.boolean())

/** Checks that every answer is a boolean, and that exactly the requested ages have one. */
function checkAnswers({ age_thresholds: given }: Claims, claimsText: string): CheckResult[] {
  const json = parseJson(claimsText)
  const asked = json.ok && isJsonObject(json.value) ? json.value['age_thresholds'] : undefined
  const names = Array.isArray(asked) ? [...new Set(asked.map(String))] : []
  const { data } = answersSchema.safeParse(given)
  const shape = check('age_thresholds', { passed: data !== undefined, found: given })
  if (!data) return [shape]
  const isComplete = Object.keys(data).sort().join() === [...names].sort().join()
  return [
    shape,
    check('requested_thresholds', {
      passed: isComplete,
      found: Object.keys(data),
      expected: names.join(', '),
    }),
  ]
}

/**
 * Checks that there is a code exactly when an upgrade was allowed and no requested age is reached.
 * Not checked without the requested answers.
 */
function checkCode(
  claims: Claims,
  code: string | undefined,
  { claims: asked = '', scope = 'openid' }: UseFacts['request'],
): CheckResult | false {
  const { data } = answersSchema.safeParse(claims['age_thresholds'])
  if (!data || !allPassed(checkAnswers(claims, asked))) return false
  const isDue = scope !== 'openid' && !Object.values(data).includes(true)
  return check('code', {
    passed: isDue === (code !== undefined),
    found: code === undefined ? code : '***',
    expected: isDue ? 'there' : 'absent',
  })
}

/** Checks that `c_hash` matches the code (OpenID Connect Core 3.3.2.11). */
const checkCodeHash = ({ c_hash: given }: Claims, code: string | undefined): CheckResult | false =>
  code !== undefined &&
  equal('c_hash', {
    found: given,
    expected: sha256(code).subarray(0, 16).toString('base64url'),
  })

const sha256 = (text: string) => createHash('sha256').update(text).digest()
