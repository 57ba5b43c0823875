import { createHash } from 'node:crypto'
import * as z from 'zod'
import { isJsonObject } from '../age/json-object.ts'
import { parseJson } from '../oidc/request/json.ts'

export const callbackCheckSchema = z.object({
  /** What is checked: `nonce`. */
  name: z.string(),
  /** The value that passes, in words. */
  rule: z.string(),
  passed: z.boolean(),
  found: z.string(),
})

/** One check of a callback, with its result. */
export type CallbackCheck = Readonly<z.infer<typeof callbackCheckSchema>>

/** The facts that a callback is checked against. */
export interface Expected {
  /** The parameters of the request. */
  readonly request: Readonly<Record<string, string>>
  /** When the request was made; like `now` in milliseconds since the UNIX epoch, by the clock of the sandbox. */
  readonly startedAt: number
  readonly now: number
  readonly issuer: string
}

type Claims = Readonly<Record<string, unknown>>

/** Tolerance between two clocks. */
const SKEW_SECONDS = 60

/** The longest lifetime of an id_token (section "ID token claims"). */
const MAX_LIFETIME_SECONDS = 600

/** Makes every check of the payload of an id_token; `params` are those of the callback. */
export function checkClaims(
  claims: Claims,
  params: Readonly<Record<string, string>>,
  expected: Expected,
): CallbackCheck[] {
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

/** The only audience is this client; more are allowed only when azp names this client (OpenID Connect Core 3.1.3.7). */
function checkAudience({ aud, azp }: Claims, clientId: string): CallbackCheck {
  const audience = Array.isArray(aud) ? aud : [aud]
  const isMeant = azp === undefined ? audience.length === 1 : azp === clientId
  return check('aud', `${clientId} and nobody else`, {
    passed: audience.includes(clientId) && isMeant,
    found: azp === undefined ? aud : { aud, azp },
  })
}

function checkTimes({ iat, exp, nbf }: Claims, { startedAt, now }: Expected): CallbackCheck[] {
  const seconds = now / 1000
  const issued = typeof iat === 'number' ? iat : Number.NaN
  const end = typeof exp === 'number' ? exp : Number.NaN
  return [
    check('exp', 'in the future by the clock of the sandbox, at most 10 minutes after iat', {
      passed: end > seconds && end - issued <= MAX_LIFETIME_SECONDS + SKEW_SECONDS,
      found: exp,
    }),
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

/** Every requested age has a boolean, and no other age has one. */
function checkAnswers({ age_thresholds: given }: Claims, claimsText: string): CallbackCheck {
  const json = parseJson(claimsText)
  const asked = json.ok && isJsonObject(json.value) ? json.value['age_thresholds'] : undefined
  const names = Array.isArray(asked) ? [...new Set(asked.map(String))] : []
  const { data } = answers.safeParse(given)
  const isComplete = data !== undefined && Object.keys(data).sort().join() === [...names].sort().join()
  return check('age_thresholds', `true or false for ${names.join(', ')}`, { passed: isComplete, found: given })
}

/** `c_hash` is present exactly when a code is (OpenID Connect Core 3.3.2.11). */
function checkCodeHash({ c_hash: given }: Claims, code: string | undefined): CallbackCheck {
  if (code === undefined) return check('c_hash', 'absent: no code came', { passed: given === undefined, found: given })
  const expected = sha256(code).subarray(0, 16).toString('base64url')
  return equal('c_hash', 'of the code that came', { expected, actual: given })
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** A check that passes for exactly one value. */
export function equal(
  name: string,
  rule: string,
  { expected, actual }: { expected: string; actual: unknown },
): CallbackCheck {
  const passed = actual === expected
  return { name, rule, passed, found: passed ? expected : `${textOf(actual)}; must be ${expected}` }
}

const check = (name: string, rule: string, { passed, found }: { passed: boolean; found: unknown }): CallbackCheck => ({
  name,
  rule,
  passed,
  found: textOf(found),
})

const textOf = (value: unknown) =>
  value === undefined ? 'absent' : typeof value === 'string' ? value : JSON.stringify(value)
