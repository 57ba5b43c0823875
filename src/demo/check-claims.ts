import { createHash } from 'node:crypto'
import * as z from 'zod'
import { isJsonObject } from '../age/json-object.ts'
import { parseJson } from '../oidc/request/json.ts'
import type { Expected } from './check-callback.ts'
import type { CheckView } from './checks.ts'
import type { Sent } from './journey.ts'

type Claims = Readonly<Record<string, unknown>>

/** Seconds by which two honest clocks may differ. */
const SKEW = 60

/** Seconds that an id_token lives at most (section "ID token claims"). */
const LONGEST_LIFE = 600

/** What a relying party checks of the payload of an id_token, each with its result. */
export function checkClaims(claims: Claims, params: Sent, expected: Expected): CheckView[] {
  const { request, issuer } = expected
  return [
    equal('iss', 'the issuer', { expected: issuer, actual: claims['iss'] }),
    checkAudience(claims, request['client_id'] ?? ''),
    ...checkTimes(claims, expected),
    equal('nonce', 'the one of the session', { expected: request['nonce'] ?? '', actual: claims['nonce'] }),
    check('sub', 'a text of 1 to 255 characters, to log', {
      passed: z.string().min(1).max(255).safeParse(claims['sub']).success,
      found: claims['sub'],
    }),
    equal('req_claims_hash', 'of the claims text that was sent', {
      expected: sha256(request['claims'] ?? '').toString('base64url'),
      actual: claims['req_claims_hash'],
    }),
    checkAnswers(claims, request['claims'] ?? ''),
    checkCodeHash(claims, params['code']),
  ]
}

/** One audience, this client; with others only when azp says that it was issued to this client (OpenID Connect Core 3.1.3.7). */
function checkAudience({ aud, azp }: Claims, clientId: string): CheckView {
  const audience = Array.isArray(aud) ? aud : [aud]
  const isMeant = azp === undefined ? audience.length === 1 : azp === clientId
  return check('aud', `${clientId} and nobody else`, {
    passed: audience.includes(clientId) && isMeant,
    found: azp === undefined ? aud : { aud, azp },
  })
}

function checkTimes({ iat, exp, nbf }: Claims, { startedAt, now }: Expected): CheckView[] {
  const seconds = now / 1000
  const issued = typeof iat === 'number' ? iat : Number.NaN
  const end = typeof exp === 'number' ? exp : Number.NaN
  return [
    check('exp', 'in the future by the clock of the sandbox, at most 10 minutes after iat', {
      passed: end > seconds && end - issued <= LONGEST_LIFE + SKEW,
      found: exp,
    }),
    check('iat', 'since the request was sent', {
      passed: issued >= startedAt / 1000 - SKEW && issued <= seconds + SKEW,
      found: iat,
    }),
    ...(nbf === undefined
      ? []
      : [check('nbf', 'in the past', { passed: typeof nbf === 'number' && nbf <= seconds + SKEW, found: nbf })]),
  ]
}

const answers = z.record(z.string(), z.boolean())

/** Each age that was asked about has a boolean, and no other has one. */
function checkAnswers({ age_thresholds: given }: Claims, claimsText: string): CheckView {
  const json = parseJson(claimsText)
  const asked = json.ok && isJsonObject(json.value) ? json.value['age_thresholds'] : undefined
  const names = Array.isArray(asked) ? [...new Set(asked.map(String))] : []
  const { data } = answers.safeParse(given)
  const isComplete = data !== undefined && Object.keys(data).sort().join() === [...names].sort().join()
  return check('age_thresholds', `true or false for ${names.join(', ')}`, { passed: isComplete, found: given })
}

/** A code comes with its hash, and a hash with its code (OpenID Connect Core 3.3.2.11). */
function checkCodeHash({ c_hash: given }: Claims, code: string | undefined): CheckView {
  if (code === undefined) return check('c_hash', 'absent: no code came', { passed: given === undefined, found: given })
  const expected = sha256(code).subarray(0, 16).toString('base64url')
  return equal('c_hash', 'of the code that came', { expected, actual: given })
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** A check for one value and no other. */
export function equal(
  name: string,
  rule: string,
  { expected, actual }: { expected: string; actual: unknown },
): CheckView {
  const passed = actual === expected
  return { name, rule, passed, found: passed ? expected : `${textOf(actual)}; must be ${expected}` }
}

const check = (name: string, rule: string, { passed, found }: { passed: boolean; found: unknown }): CheckView => ({
  name,
  rule,
  passed,
  found: textOf(found),
})

const textOf = (value: unknown) =>
  value === undefined ? 'absent' : typeof value === 'string' ? value : JSON.stringify(value)
