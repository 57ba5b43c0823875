import { decodeJwt, type JWTVerifyGetKey } from 'jose'
import { describe, expect, it } from 'vitest'
import { findOutcome, OUTCOMES } from '../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../src/sandbox/outcomes/outcome.ts'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { personasFor } from '../support/personas-for.ts'
import { pushedRequest } from '../support/requests.ts'
import {
  type Delivery,
  type Ignorable,
  type Policy,
  Refusal,
  readCreateAnswer,
  readUseAnswer,
  type Session,
  verifyWithJose,
} from './correct-client.ts'
import { fetchKeys, push } from './correct-server-calls.ts'
import { issuerOf, runCreate, runUse, verifyWithOpenidClient } from './flows.ts'
import { shareSandbox } from './shared-sandbox.ts'

const rowsOf = (flow: Outcome['flow'], correctClient: Outcome['correctClient']) =>
  OUTCOMES.filter((row) => row.flow === flow && row.correctClient === correctClient)

/** Each row for each persona for whom a careless client says yes. */
const baited = (rows: readonly Outcome[]) =>
  rows.flatMap((outcome) => personasFor(outcome).map((persona) => ({ name: outcome.name, persona, outcome })))

/** Each library with the same checks around it; an answer that never comes is no answer. */
const CLIENTS = {
  async jose(sandbox: Sandbox, { session, delivery }: Run, policy: Policy & { keys?: JWTVerifyGetKey } = {}) {
    const expected = { issuer: issuerOf(sandbox), clientId: sandbox.client.clientId }
    const verify = verifyWithJose(policy.keys ?? (await fetchKeys(sandbox.baseUrl)), expected, policy)
    return readUseAnswer(arrived(delivery), session, { verify, ignores: policy.ignores })
  },
  async 'openid-client'(sandbox: Sandbox, { session, delivery }: Run) {
    const verify = verifyWithOpenidClient(issuerOf(sandbox), sandbox.client.clientId)
    return readUseAnswer(arrived(delivery), session, { verify })
  },
}

interface Run {
  readonly session: Session
  readonly delivery: Delivery | undefined
}

function arrived(delivery: Delivery | undefined): Delivery {
  if (!delivery) throw new Refusal('no answer came')
  return delivery
}

describe.each(Object.entries(CLIENTS))('a Use flow, as a correct client with %s sees it', (_library, read) => {
  const sandbox = shareSandbox()

  it.each(baited(rowsOf('use', 'refuse')))('refuses $name as $persona', async ({ outcome, persona }) => {
    const run = await runUse(sandbox(), outcome, { sandbox_persona: persona })
    await expect(read(sandbox(), run)).rejects.toThrow(Refusal)
  })

  it.each(rowsOf('use', 'accept'))('accepts $name', async (outcome) => {
    const kind = outcome.ending?.kind ?? 'verified'
    expect(await read(sandbox(), await runUse(sandbox(), outcome))).toMatchObject({ kind })
  })

  it('accepts a code beside answers that are all false', async () => {
    const needs = { needs: ['upgrade_scope'] } as const
    const run = await runUse(sandbox(), { name: 'verified', ...needs }, { sandbox_persona: 'child-12' })
    expect(await read(sandbox(), run)).toMatchObject({ kind: 'verified', code: expect.any(String) })
  })
})

/** The client of the tests, declared with an algorithm of its own in a sandbox of RS256. */
const CLIENT_WITH_ES256 = {
  clientId: 'ak_test_sandbox',
  clientSecret: 'sk_test_sandbox',
  redirectUris: ['http://localhost:3000/callback'],
  signingAlg: 'ES256',
} as const

describe.each([
  ['the sandbox', { signingAlg: 'ES256' } as const],
  ['the client alone', { builtinClient: false, clients: [CLIENT_WITH_ES256] }],
])('a Use flow whose tokens are signed with ES256, because %s says so,', (_, options) => {
  const sandbox = shareSandbox(options)
  const idTokenRows = (correctClient: Outcome['correctClient']) =>
    rowsOf('use', correctClient).filter(({ name }) => name.startsWith('id_token.'))
  const policy = { algorithms: ['ES256'] }

  it.each(baited(idTokenRows('refuse')))('refuses $name as $persona', async ({ outcome, persona }) => {
    const run = await runUse(sandbox(), outcome, { sandbox_persona: persona })
    await expect(CLIENTS.jose(sandbox(), run, policy)).rejects.toThrow(Refusal)
  })

  it.each(idTokenRows('accept'))('accepts $name', async (outcome) => {
    expect(await CLIENTS.jose(sandbox(), await runUse(sandbox(), outcome), policy)).toMatchObject({ kind: 'verified' })
  })
})

describe('a client that decodes tokens and verifies no signature', () => {
  const sandbox = shareSandbox()
  const { name } = findOutcome('use', 'id_token.payload_changed') ?? expect.fail('there is no such row')

  it('says yes to a child in id_token.payload_changed', async () => {
    const { session, delivery } = await runUse(sandbox(), { name }, { sandbox_persona: 'child-12' })
    const answer = await readUseAnswer(arrived(delivery), session, { verify: async (idToken) => decodeJwt(idToken) })
    expect(answer).toMatchObject({ ageThresholds: { 18: true } })
  })
})

describe('a replay, once there is an earlier flow of the client', () => {
  const sandbox = shareSandbox()

  it.each([
    'id_token.replayed',
    'id_token.nonce_of_earlier_flow',
    'callback.replayed',
    'callback.state_of_earlier_flow',
  ])('refuses %s', async (name) => {
    const earlier = await runUse(sandbox(), { name: 'verified' })
    const run = await runUse(sandbox(), { name })
    expect(replayedParts(earlier, run)).not.toEqual([])
    await expect(CLIENTS.jose(sandbox(), run)).rejects.toThrow(Refusal)
  })

  it('never replays what would be right again', async () => {
    const same = { state: 'always-the-same', nonce: 'always-the-same' }
    await runUse(sandbox(), { name: 'verified' }, same)
    await expect(runUse(sandbox(), { name: 'id_token.replayed' }, same)).rejects.toThrow(/^400: .*no earlier Use flow/s)
  })
})

/** What of an earlier answer comes again. */
function replayedParts(earlier: Run, run: Run): string[] {
  const was = arrived(earlier.delivery).params
  const is = arrived(run.delivery).params
  const nonceOf = (params: URLSearchParams) => decodeJwt(params.get('id_token') ?? '')['nonce']
  return [
    ...(was.get('id_token') === is.get('id_token') ? ['id_token'] : []),
    ...(was.get('state') === is.get('state') ? ['state'] : []),
    ...(nonceOf(was) === nonceOf(is) ? ['nonce'] : []),
  ]
}

type Judge = (sandbox: Sandbox, outcome: Outcome) => Promise<void>

/** Outcomes that a client judges by what it was set up to take, or by what it remembers. */
const JUDGES: Readonly<Record<string, Judge>> = {
  'id_token.expired_one_second_ago': judgedBy({ clockToleranceSeconds: 60 }, { clockToleranceSeconds: 0 }),
  'id_token.kid_missing': judgedBy({ requireKid: false }, { requireKid: true }),
  'id_token.typ_other': judgedBy({ checkType: false }, { checkType: true }),
  // Set up for one algorithm, or for all that discovery lists.
  'id_token.es256': judgedBy({ algorithms: ['RS256', 'ES256'] }, { algorithms: ['RS256'] }),
  'id_token.huge': leftAlone('size'),
  'id_token.nested_deeply': leftAlone('size'),
  'id_token.iat_future': leftAlone('iat'),
  'id_token.iat_far_past': leftAlone('iat'),
  'id_token.issued_before_the_flow': leftAlone('iat'),
  'id_token.c_hash_without_code': leftAlone('c_hash without code'),
  'id_token.age_thresholds.extra': leftAlone('unasked thresholds'),
  'callback.iss_of_other_issuer': leftAlone('iss of the callback'),
  'callback.error_empty': leftAlone('empty error'),
  'callback.code_unasked': leftAlone('unasked code'),
  'callback.code_unasked_with_c_hash': leftAlone('unasked code'),
  async 'id_token.key_rotated'(sandbox, outcome) {
    const keysBefore = await fetchKeys(sandbox.baseUrl)
    const run = await runUse(sandbox, outcome)
    expect(await CLIENTS.jose(sandbox, run)).toMatchObject({ kind: 'verified' })
    await expect(CLIENTS.jose(sandbox, run, { keys: keysBefore })).rejects.toThrow(Refusal)
  },
  async 'id_token.sub_seen_before'(sandbox, outcome) {
    const first = await CLIENTS.jose(sandbox, await runUse(sandbox, outcome))
    const second = await CLIENTS.jose(sandbox, await runUse(sandbox, outcome))
    const usual = await CLIENTS.jose(sandbox, await runUse(sandbox, { name: 'verified' }))
    expect(second).toEqual(first)
    expect(usual).not.toEqual(first)
  },
  async 'id_token.age_thresholds.key_twice'(sandbox, outcome) {
    const run = await runUse(sandbox, outcome)
    const ageThresholds = { 13: true, 16: true, 18: true, 21: true }
    expect(await CLIENTS.jose(sandbox, run)).toMatchObject({ ageThresholds })
    const payload = arrived(run.delivery).params.get('id_token')?.split('.')[1] ?? ''
    const spelled = Buffer.from(payload, 'base64url').toString()
    expect(spelled.match(/"18":(true|false)/g)).toEqual(['"18":false', '"18":true'])
  },
}

/** It differs from a good answer only in what one client takes and another does not. */
function judgedBy(accepting: Policy, refusing: Policy): Judge {
  return async (sandbox, outcome) => {
    const run = await runUse(sandbox, outcome)
    expect(await CLIENTS.jose(sandbox, run, accepting)).toMatchObject({ kind: 'verified' })
    await expect(CLIENTS.jose(sandbox, run, refusing)).rejects.toThrow(Refusal)
  }
}

/** One correct client refuses it, another one does not look at it. */
function leftAlone(ignored: Ignorable): Judge {
  return judgedBy({ ignores: [ignored] }, {})
}

describe('a Use flow that can be judged only with more context', () => {
  const sandbox = shareSandbox()

  it.each(rowsOf('use', 'depends'))('$name', async (outcome) => {
    const judge = JUDGES[outcome.name] ?? (() => expect.fail(`no judge for ${outcome.name}`))
    await judge(sandbox(), outcome)
  })
})

describe('a Create flow, as a correct client sees it', () => {
  const sandbox = shareSandbox()
  const run = async ({ name }: Pick<Outcome, 'name'>) => {
    const state = crypto.randomUUID()
    const requestUri = await push(sandbox().baseUrl, new URLSearchParams(pushedRequest({ state })))
    return { session: { mode: 'query', state } as const, delivery: await runCreate(sandbox(), requestUri, name) }
  }

  it.each(rowsOf('create', 'refuse'))('refuses $name', async (outcome) => {
    const { session, delivery } = await run(outcome)
    expect(() => readCreateAnswer(arrived(delivery), session)).toThrow(Refusal)
  })

  it.each(rowsOf('create', 'accept'))('accepts $name', async (outcome) => {
    const { session, delivery } = await run(outcome)
    expect(() => readCreateAnswer(arrived(delivery), session)).not.toThrow()
  })

  it.each([
    ['callback.iss_of_other_issuer', 'iss of the callback'],
    ['callback.error_empty', 'empty error'],
  ] as const)('may refuse %s or leave it alone', async (name, ignored) => {
    const { session, delivery } = await run({ name })
    expect(() => readCreateAnswer(arrived(delivery), session)).toThrow(Refusal)
    expect(() => readCreateAnswer(arrived(delivery), session, [ignored])).not.toThrow()
  })

  it('has no other outcome that needs more context', () => {
    const names = rowsOf('create', 'depends').map(({ name }) => name)
    expect(names.toSorted()).toEqual(['callback.error_empty', 'callback.iss_of_other_issuer'])
  })
})
