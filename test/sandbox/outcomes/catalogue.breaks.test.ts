import { createHash, createPublicKey, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Callback } from '../../../src/oidc/callback.ts'
import { beginCreate } from '../../../src/oidc/create.ts'
import { Refusal } from '../../../src/oidc/refusal.ts'
import { beginUse } from '../../../src/oidc/use.ts'
import { conclude } from '../../../src/sandbox/decision/conclude.ts'
import { decideByChoice } from '../../../src/sandbox/decision/decide.ts'
import { OUTCOMES, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import { bringsNothing, type Check, type Outcome, type OutcomeFlow } from '../../../src/sandbox/outcomes/outcome.ts'
import { type Changes, createRequest, useRequest } from '../../support/requests.ts'
import { createService } from '../../support/service.ts'
import { createTestTenant } from '../../support/tenant.ts'

type Json = Readonly<Record<string, unknown>>

const NOW = Date.parse('2026-01-15T10:00:00Z') / 1000
const CLIENT = 'ak_test_sandbox'
const ISSUER = 'https://sandbox.example/v1/oidc/use'
const SKEW = 60

const tenant = await createTestTenant()
const KEYS = new Map(
  (await Promise.all((['RS256', 'ES256'] as const).map((alg) => tenant.keys.keyFor(alg)))).map((key) => [key.kid, key]),
)

/** What a client sent, and what an answer to it must have. */
interface Sent {
  readonly flow: OutcomeFlow
  readonly mode: Callback['mode']
  readonly claims: string
  readonly canCreate: boolean
  readonly isCodeDue: boolean
}

/** A token as its reader sees it; parts that cannot be read are absent. */
function readToken(token: string | undefined) {
  const parts = token?.split('.') ?? []
  const [header, payload, signature] = parts.length === 3 ? parts : []
  return {
    text: token,
    input: `${header}.${payload}`,
    header: jsonOf(header),
    claims: jsonOf(payload),
    payload,
    signature,
  }
}

function jsonOf(part: string | undefined): Json | undefined {
  if (part === undefined) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

const isTime = (value: unknown) => typeof value === 'number'
const sha256 = (text: string, bytes = 32) =>
  createHash('sha256').update(text).digest().subarray(0, bytes).toString('base64url')

/** Each check of a relying party by itself: whether it finds nothing wrong. A check of what cannot be read finds nothing. */
function checksOf({ mode, params }: Callback, sent: Sent): Partial<Record<Check, boolean>> {
  const all = (name: string) => params.flatMap(([one, value]) => (one === name ? [value] : []))
  const [state] = all('state')
  const [error] = all('error')
  const [code] = all('code')
  const [created] = all('create_requested')
  const results = ['id_token', 'create_requested', 'error'].filter((name) =>
    all(name).some((value) => name !== 'error' || value !== ''),
  )
  const isOnce = new Set(params.map(([name]) => name)).size === params.length
  const token = readToken(all('id_token').length === 1 ? all('id_token')[0] : undefined)
  const { text, header, claims } = token
  return {
    state: all('state').length > 1 || state === 'state-1',
    parameters: isOnce && (sent.flow === 'create' || results.length === 1),
    response_mode: mode === sent.mode,
    error: error === undefined,
    callback_iss: all('iss').length === 0,
    create_requested: created === undefined || (created === 'true' && sent.canCreate),
    code: sent.flow === 'create' || text === undefined || (code !== undefined) === sent.isCodeDue,
    ...(text !== undefined && {
      size: text.length <= 8192,
      serialisation: /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text),
    }),
    ...(header && checksOfHeader(header, token)),
    ...(token.payload !== undefined && { payload: claims !== undefined && hasUniqueNames(token.payload) }),
    ...(claims && checksOfClaims(claims, { ...sent, code })),
  }
}

const OWN_SOURCES = ['jwk', 'jku', 'x5u', 'x5c']

function checksOfHeader(header: Json, { input, signature = '' }: ReturnType<typeof readToken>) {
  const key = KEYS.get(String(header['kid'])) ?? [...KEYS.values()][0]
  const publicKey = createPublicKey({ key: { ...key?.publicJwk }, format: 'jwk' })
  const isOfKey = header['alg'] === key?.alg
  return {
    alg: header['alg'] === 'RS256' || header['alg'] === 'ES256',
    kid: KEYS.has(String(header['kid'])),
    key_source: !OWN_SOURCES.some((name) => name in header),
    crit: !('crit' in header),
    typ: header['typ'] === undefined || header['typ'] === 'JWT',
    signature:
      isOfKey &&
      verify(
        'sha256',
        Buffer.from(input),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      ),
  }
}

/** Whether no member stands twice: a second one changes the text, and not what was parsed. */
function hasUniqueNames(payload: string): boolean {
  const text = Buffer.from(payload, 'base64url').toString()
  const compact = JSON.stringify(JSON.parse(text))
  return text.replaceAll(/\s/g, '').length === compact.replaceAll(/\s/g, '').length
}

function checksOfClaims(claims: Json, { claims: asked, code }: Sent & { code: string | undefined }) {
  const {
    iss,
    aud,
    azp,
    exp,
    iat,
    nbf,
    nonce,
    sub,
    age_thresholds: answers,
    req_claims_hash: claimsHash,
    c_hash: codeHash,
  } = claims
  const audience = [aud].flat()
  const requested: readonly number[] = JSON.parse(asked).age_thresholds
  const isMap = typeof answers === 'object' && answers !== null && !Array.isArray(answers)
  const own = new Map<string, unknown>(isMap ? Object.entries(answers) : [])
  return {
    iss: iss === ISSUER,
    aud: audience.includes(CLIENT),
    azp:
      (!audience.includes(CLIENT) || audience.length === 1 || azp === CLIENT) && (azp === undefined || azp === CLIENT),
    exp: isTime(exp) && Number(exp) > NOW,
    lifetime: !isTime(exp) || !isTime(iat) || Number(exp) - Number(iat) <= 600,
    iat: isTime(iat) && Math.abs(Number(iat) - NOW) <= SKEW,
    nbf: nbf === undefined || Number(nbf) <= NOW,
    nonce: nonce === 'nonce-1',
    sub: typeof sub === 'string' && sub.length > 0 && sub.length <= 255,
    req_claims_hash: claimsHash === sha256(asked),
    c_hash: code === undefined || codeHash === sha256(code, 16),
    age_thresholds: isMap && requested.every((age) => ['boolean', 'undefined'].includes(typeof own.get(String(age)))),
    requested_thresholds: !isMap || (own.size === requested.length && requested.every((age) => own.has(String(age)))),
  }
}

const THRESHOLDS = [[18], [13, 16, 18, 21], [0], [150, 4]]
const UPGRADE = [false, true]
const MODES = ['fragment', 'query', 'form_post'] as const
const PERSONAS = ['adult-passport', 'child-4']

/** Each kind of request that a row can be asked for. */
const REQUESTS = THRESHOLDS.flatMap((thresholds) =>
  PERSONAS.flatMap((persona) =>
    UPGRADE.flatMap((upgrade) =>
      [false, true].map((canCreate, index) => ({
        thresholds,
        persona,
        upgrade,
        canCreate,
        mode: MODES[(thresholds.length + index) % 3],
      })),
    ),
  ),
)

/** Sends a request, and gives the answer that a decision makes of it; `undefined` when the request cannot have it. */
async function answerOf(
  { flow, name }: Outcome,
  { thresholds, persona, upgrade, canCreate, mode = 'fragment' }: (typeof REQUESTS)[number],
) {
  await tenant.reset()
  await tenant.moveClock({ set: '2026-01-15T10:00:00Z', freeze: true })
  const claims = JSON.stringify({ age_thresholds: thresholds })
  const scope = upgrade ? 'openid svc.upgrade' : 'openid'
  const changes: Changes = { claims, scope, response_mode: mode, can_create: canCreate ? 'true' : undefined }
  const begin = async () => {
    if (flow === 'use') return beginUse(Object.entries(useRequest(changes)), tenant.provider)
    const requestUri = await createService(tenant.provider).obtainRequestUri()
    return beginCreate(Object.entries(createRequest(requestUri)), tenant.provider)
  }
  const beginning = await begin()
  if (beginning.kind === 'refused') throw new Error('the request is refused')
  const decision = await decideByChoice(beginning.transaction, { persona, outcome: name }, tenant).catch(refusedAs)
  const ended = decision && (await conclude(beginning.transaction, decision, { tenant }))
  const isCodeDue = upgrade && !Object.values(ended?.evaluation?.ageThresholds ?? {}).includes(true)
  const sent = { flow, mode: flow === 'use' ? mode : 'query', claims, canCreate, isCodeDue } as const
  return ended?.callback && { callback: ended.callback, sent }
}

function refusedAs(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error
}

const isOfBrowser = ({ flow, prelude }: Outcome) => (flow === 'use' || flow === 'create') && prelude === undefined

const ROWS = OUTCOMES.filter((row) => isOfBrowser(row) && !bringsNothing(row)).map((row) => ({ id: rowId(row), row }))

test.each(ROWS)(
  'The answer $id fails the checks that it breaks, in each request that can have it, and no other',
  async ({ row }) => {
    let times = 0
    for (const request of row.flow === 'use' ? REQUESTS : REQUESTS.slice(0, 1)) {
      const answer = await answerOf(row, request)
      if (!answer) continue
      times += 1
      const failing = Object.entries(checksOf(answer.callback, answer.sent)).flatMap(([check, holds]) =>
        holds ? [] : [check],
      )
      expect({ request, failing: failing.toSorted() }).toEqual({ request, failing: row.breaks.toSorted() })
    }
    expect(times).toBeGreaterThan(0)
  },
)
