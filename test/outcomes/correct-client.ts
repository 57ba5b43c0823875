import { createHash } from 'node:crypto'
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import * as z from 'zod'

/**
 * What a relying party keeps in the user's session when it begins a flow, and removes when the
 * answer comes.
 */
export interface Session {
  readonly mode: 'fragment' | 'query' | 'form_post'
  readonly state: string
  readonly nonce: string
  /** The text of the parameter, not the object that it was made of. */
  readonly claims: string
  readonly canCreate: boolean
  readonly upgrade: boolean
  /** UNIX seconds. */
  readonly startedAt: number
}

/** An answer as it arrives, before it is verified. */
export interface Delivery {
  readonly mode: Session['mode']
  readonly params: URLSearchParams
}

export type UseAnswer =
  | {
      kind: 'verified'
      ageThresholds: Readonly<Record<string, boolean>>
      sub: string
      code: string | undefined
    }
  | { kind: 'create_requested' }

export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/**
 * Checks signature and registered claims of an id_token, by a library.
 * @throws when it is not valid
 */
export type VerifyIdToken = (
  idToken: string,
  session: Session,
  delivery: Delivery,
) => Promise<JWTPayload>

/** What one client refuses and another leaves alone, of which both are correct. */
export type Ignorable =
  | 'size'
  | 'iss of the callback'
  | 'empty error'
  | 'unasked code'
  | 'iat'
  | 'unasked thresholds'
  | 'aud as a string'
  | 'padding'
  | 'c_hash without code'

/** Takes the answer of a Use flow if it is one. @throws Refusal */
export async function readUseAnswer(
  delivery: Delivery,
  session: Session,
  { verify, ignores = [] }: { verify: VerifyIdToken; ignores?: readonly Ignorable[] | undefined },
): Promise<UseAnswer> {
  const {
    id_token: idToken,
    create_requested: createRequested,
    code,
  } = readAnswer(delivery, session, ignores)
  if (createRequested !== undefined) {
    require(session.canCreate, 'create_requested was not on offer')
    require(createRequested === 'true', 'create_requested is not exactly true')
    require(idToken === undefined &&
      code === undefined, 'create_requested comes with another answer')
    return { kind: 'create_requested' }
  }
  require(idToken !== undefined, 'there is no id_token')
  // Before anything parses it: a real token has about one kilobyte.
  require(ignores.includes('size') || idToken.length <= 8_192, 'the id_token is too long')
  const bare = ignores.includes('padding') ? idToken.replaceAll('=', '') : idToken
  require(/^[\w-]+\.[\w-]+\.[\w-]+$/.test(bare), 'the id_token is not a compact JWS')
  const payload = await verify(idToken, session, delivery).catch((cause: unknown) => {
    throw new Refusal('the id_token is not valid', { cause })
  })
  const { sub, ageThresholds } = readAnswers(payload, session, ignores)
  const expected = session.upgrade && !Object.values(ageThresholds).includes(true)
  if (!expected && ignores.includes('unasked code'))
    return { kind: 'verified', ageThresholds, sub, code: undefined }
  const codeHash =
    code === undefined && ignores.includes('c_hash without code') ? undefined : payload['c_hash']
  checkCode(codeHash, code, { expected })
  return { kind: 'verified', ageThresholds, sub, code }
}

/** How strict the verification with jose is; every default is the documented rule. */
export interface Policy {
  readonly algorithms?: readonly string[]
  readonly clockToleranceSeconds?: number
  readonly requireKid?: boolean
  readonly checkType?: boolean
  readonly ignores?: readonly Ignorable[]
}

export const verifyWithJose =
  (
    keys: JWTVerifyGetKey,
    expected: { issuer: string; clientId: string },
    policy: Policy = {},
  ): VerifyIdToken =>
  async (idToken, session) => {
    const {
      algorithms = ['RS256'],
      clockToleranceSeconds = 0,
      requireKid = true,
      checkType = true,
    } = policy
    const { payload, protectedHeader } = await jwtVerify(idToken, keys, {
      algorithms: [...algorithms],
      issuer: expected.issuer,
      audience: expected.clientId,
      requiredClaims: ['sub', 'iat', 'exp', 'nonce'],
      clockTolerance: clockToleranceSeconds,
    })
    const { typ, kid } = protectedHeader
    require(!checkType || typ === undefined || typ.toUpperCase() === 'JWT', 'typ is not JWT')
    require(!requireKid || kid, 'there is no kid')
    require(payload['nonce'] === session.nonce, 'nonce is not the one that was sent')
    const others = [payload.aud].flat().filter((audience) => audience !== expected.clientId)
    const { azp } = payload
    require(azp === undefined
      ? others.length === 0
      : azp === expected.clientId, 'the token is for another client')
    return payload
  }

/**
 * The parameters, each once and in the right place, of an answer that belongs to this session and
 * is no error.
 * @throws Refusal
 */
function readAnswer(
  { mode, params }: Delivery,
  session: Pick<Session, 'mode' | 'state'>,
  ignores: readonly Ignorable[] = [],
): Record<string, string | undefined> {
  require(mode === session.mode, 'the answer is not where it was asked for')
  require(new Set(params.keys()).size === [...params].length, 'a parameter comes twice')
  const read: Record<string, string | undefined> = Object.fromEntries(params)
  require(read['state'] === session.state, 'state is not the one of this session')
  require(read['iss'] === undefined ||
    ignores.includes(
      'iss of the callback',
    ), 'the service sends no iss: the answer is from another service')
  const isLeftOut = read['error'] === '' && ignores.includes('empty error')
  require(read['error'] === undefined || isLeftOut, `error ${read['error']}`)
  return read
}

/** Claims of the service, and how long a token may live: libraries do not know them. */
const idTokenClaims = z.object({
  sub: z.string().min(1).max(255),
  iat: z.number(),
  exp: z.number(),
  age_thresholds: z.record(z.string(), z.boolean()),
  req_claims_hash: z.string(),
})

/** Seconds by which the clocks of service and relying party may differ. */
const SKEW = 60

function readAnswers(
  payload: JWTPayload,
  { claims, startedAt }: Session,
  ignores: readonly Ignorable[],
) {
  const parsed = idTokenClaims.safeParse(payload)
  require(parsed.success, `a claim has not the type that it should have: ${parsed.error}`)
  const { sub, iat, exp, age_thresholds: ageThresholds, req_claims_hash: claimsHash } = parsed.data
  require(Array.isArray(payload.aud) || ignores.includes('aud as a string'), 'aud is no array')
  const isOfFlow = iat >= startedAt - SKEW && iat <= Date.now() / 1000 + SKEW
  require(isOfFlow || ignores.includes('iat'), 'the token was not issued in this flow')
  require(exp - Math.max(iat, startedAt) <= 600 + SKEW, 'the token lives longer than 10 minutes')
  require(claimsHash ===
    base64urlSha256(claims, 32), 'the claims that were answered are not those that were sent')
  const requested = z
    .object({ age_thresholds: z.array(z.number()) })
    .parse(JSON.parse(claims)).age_thresholds
  // Own members only: a parsed object may bring its prototype along.
  const answered = Object.keys(Object(payload['age_thresholds']))
  const areAll = answered.length === requested.length || ignores.includes('unasked thresholds')
  const isExact = areAll && requested.every((age) => answered.includes(String(age)))
  require(isExact, 'the answers are not those that were asked for')
  return { sub, ageThresholds }
}

function checkCode(
  codeHash: unknown,
  code: string | undefined,
  { expected }: { expected: boolean },
): void {
  require((code !== undefined) === expected, expected
    ? 'the code is missing'
    : 'a code comes unasked')
  require(codeHash ===
    (code === undefined ? undefined : base64urlSha256(code, 16)), 'c_hash does not fit the code')
}

const base64urlSha256 = (text: string, bytes: number) =>
  createHash('sha256').update(text).digest().subarray(0, bytes).toString('base64url')

function require(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Refusal(message)
}
