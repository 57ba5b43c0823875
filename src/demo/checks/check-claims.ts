import { createHash } from 'node:crypto'
import * as z from 'zod'
import { isJsonObject } from '../../age/json-object.ts'
import { parseJson } from '../../oidc/request/json.ts'
import { allPassed, type CheckResult, check, equal } from './check.ts'

/** The facts for the checks of a callback. */
export interface ExpectedFacts {
  /** The parameters of the request. */
  readonly request: Readonly<Record<string, string>>
  /** When the request was made, in milliseconds since the UNIX epoch by the clock of the sandbox, like `now`. */
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
export function checkClaims(
  claims: Claims,
  params: Readonly<Record<string, string>>,
  expected: ExpectedFacts,
): CheckResult[] {
  const { request, issuer } = expected
  return [
    equal('iss', 'the issuer', { expected: issuer, actual: claims['iss'] }),
    ...checkAudience(claims, request['client_id'] ?? ''),
    ...checkTimes(claims, expected),
    equal('nonce', 'the one of the session', { expected: request['nonce'] ?? '', actual: claims['nonce'] }),
    check('sub', 'a text of 1 to 255 characters, to log', {
      passed: z.string().min(1).max(255).safeParse(claims['sub']).success,
      found: claims['sub'],
    }),
    equal('req_claims_hash', 'of the claims text that was sent', {
      expected: sha256(request['claims'] ?? '').toString('base64url'),
      // RFC 4648 has padding, RFC 7515 has none.
      actual: withoutPadding(claims['req_claims_hash']),
    }),
    ...checkAnswers(claims, request['claims'] ?? ''),
    ...checkCode(claims, params['code'], request),
    ...checkCodeHash(claims, params['code']),
  ]
}

function checkAudience({ aud, azp }: Claims, clientId: string): CheckResult[] {
  const audience = Array.isArray(aud) ? aud : [aud]
  return [
    check('aud', `contains ${clientId}`, { passed: audience.includes(clientId), found: aud }),
    // OpenID Connect Core 3.1.3.7 (3) to (5): an audience that is not trusted needs azp, and azp is this client.
    check('azp', `${clientId}, or absent with one audience`, {
      passed: azp === undefined ? audience.length <= 1 : azp === clientId,
      found: azp,
    }),
  ]
}

function checkTimes({ iat, exp, nbf }: Claims, { startedAt, now }: ExpectedFacts): CheckResult[] {
  const seconds = now / 1000
  const issued = typeof iat === 'number' ? iat : Number.NaN
  const end = typeof exp === 'number' ? exp : Number.NaN
  const lifetime = end - (Number.isNaN(issued) ? seconds : issued)
  return [
    check('exp', 'in the future by the clock of the sandbox', { passed: end > seconds, found: exp }),
    ...(Number.isNaN(end)
      ? []
      : [
          check('lifetime', 'at most 10 minutes', {
            passed: lifetime <= MAX_LIFETIME_SECONDS + SKEW_SECONDS,
            found: `${Math.round(lifetime)} seconds`,
          }),
        ]),
    check('iat', 'since the request was sent', {
      passed: issued >= startedAt / 1000 - SKEW_SECONDS && issued <= seconds + SKEW_SECONDS,
      found: iat,
    }),
    ...(nbf === undefined
      ? []
      : [
          check('nbf', 'in the past', { passed: typeof nbf === 'number' && nbf <= seconds + SKEW_SECONDS, found: nbf }),
        ]),
  ]
}

const answers = z.record(z.string(), z.boolean())

/** Every answer is a boolean; all requested ages have one, and no other age. */
function checkAnswers({ age_thresholds: given }: Claims, claimsText: string): CheckResult[] {
  const json = parseJson(claimsText)
  const asked = json.ok && isJsonObject(json.value) ? json.value['age_thresholds'] : undefined
  const names = Array.isArray(asked) ? [...new Set(asked.map(String))] : []
  const { data } = answers.safeParse(given)
  const shape = check('age_thresholds', 'true or false for each age', { passed: data !== undefined, found: given })
  if (!data) return [shape]
  const isComplete = Object.keys(data).sort().join() === [...names].sort().join()
  return [shape, check('requested_thresholds', names.join(', '), { passed: isComplete, found: Object.keys(data) })]
}

/** A code comes exactly when an upgrade was allowed and no requested age is reached. Without the requested answers nothing is checked. */
function checkCode(
  claims: Claims,
  code: string | undefined,
  { claims: asked = '', scope = 'openid' }: ExpectedFacts['request'],
): CheckResult[] {
  const { data } = answers.safeParse(claims['age_thresholds'])
  if (!data || !allPassed(checkAnswers(claims, asked))) return []
  const isExpected = scope !== 'openid' && !Object.values(data).includes(true)
  const rule = isExpected ? 'there: an upgrade was allowed, and no age is reached' : 'absent: no upgrade is offered'
  return [
    check('code', rule, { passed: isExpected === (code !== undefined), found: code === undefined ? code : '***' }),
  ]
}

/** `c_hash` matches the code (OpenID Connect Core 3.3.2.11); without a code nothing is compared. */
function checkCodeHash({ c_hash: given }: Claims, code: string | undefined): CheckResult[] {
  if (code === undefined) return []
  const expected = sha256(code).subarray(0, 16).toString('base64url')
  return [equal('c_hash', 'of the code that came', { expected, actual: given })]
}

const withoutPadding = (hash: unknown) => (typeof hash === 'string' ? hash.replace(/=+$/, '') : hash)

const sha256 = (text: string) => createHash('sha256').update(text).digest()
