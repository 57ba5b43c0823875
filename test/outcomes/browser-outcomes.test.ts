import { decodeProtectedHeader, type JWTVerifyGetKey } from 'jose'
import * as client from 'openid-client'
import { expect, test } from 'vitest'
import * as z from 'zod'
import type { Outcome } from '../../src/sandbox/outcomes/outcome.ts'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { personasFor } from '../support/personas-for.ts'
import { shareSandbox, startSandbox } from '../support/sandbox.ts'
import {
  type Delivery,
  type Ignorable,
  type Policy,
  Refusal,
  readUseAnswer,
  type UseAnswer,
  type VerifyIdToken,
  verifyWithJose,
} from './correct-client.ts'
import { fetchKeys } from './correct-server-calls.ts'
import { CLIENT_WITH_ES256, issuerOf, rowsOf, runUse } from './flows.ts'

const sandbox = await shareSandbox()

type Run = Awaited<ReturnType<typeof runUse>>

/** Each row for each persona for whom a careless client says yes. */
const baited = (rows: readonly Outcome[]) =>
  rows.flatMap((outcome) =>
    personasFor(outcome).map((persona) => ({ name: outcome.name, persona, outcome })),
  )

/** Reads an answer with jose; an answer that never comes is no answer. */
async function readWithJose(
  at: Sandbox,
  run: Run,
  policy: Policy & { keys?: JWTVerifyGetKey } = {},
) {
  const expected = { issuer: issuerOf(at), clientId: at.client.clientId }
  const verify = verifyWithJose(policy.keys ?? (await fetchKeys(at.baseUrl)), expected, policy)
  return readUseAnswer(arrived(run.delivery), run.session, { verify, ignores: policy.ignores })
}

/** Reads an answer with openid-client, from the address at which it arrived. */
async function readWithOpenidClient(at: Sandbox, { session, delivery }: Run) {
  const verify: VerifyIdToken = async (_idToken, { nonce, state }, { params }) => {
    const metadata = { id_token_signed_response_alg: 'RS256' }
    const config = await client.discovery(
      new URL(issuerOf(at)),
      at.client.clientId,
      metadata,
      client.None(),
      {
        execute: [client.allowInsecureRequests, client.useIdTokenResponseType],
      },
    )
    const address = new URL(`http://localhost:3000/callback#${params}`)
    return client.implicitAuthentication(config, address, nonce, { expectedState: state })
  }
  return readUseAnswer(arrived(delivery), session, { verify })
}

function arrived(delivery: Delivery | undefined): Delivery {
  if (!delivery) throw new Refusal('no answer came')
  return delivery
}

const kindOf = (answer: UseAnswer) => answer.kind
function refusedAs(error: unknown): string {
  if (error instanceof Refusal) return 'refused'
  throw error
}

/** What two libraries, with the same checks around them, say of one answer. */
async function readByBoth(run: Run): Promise<Readonly<Record<string, string>>> {
  return {
    jose: await readWithJose(sandbox, run).then(kindOf, refusedAs),
    'openid-client': await readWithOpenidClient(sandbox, run).then(kindOf, refusedAs),
  }
}

const refused = baited(rowsOf('use', 'refuse'))

test.each(refused)(
  'Correct clients refuse the Use answer $name as $persona',
  async ({ outcome, persona }) => {
    const run = await runUse(sandbox, outcome, { sandbox_persona: persona })
    expect(await readByBoth(run)).toEqual({ jose: 'refused', 'openid-client': 'refused' })
  },
)

test.each(rowsOf('use', 'accept'))(
  'Correct clients accept the Use answer $name',
  async (outcome) => {
    const kind = outcome.ending?.kind ?? 'verified'
    expect(await readByBoth(await runUse(sandbox, outcome))).toEqual({
      jose: kind,
      'openid-client': kind,
    })
  },
)

const clientWithES256 = await shareSandbox(CLIENT_WITH_ES256)
const ES256 = { algorithms: ['ES256'] }

/** Rows whose id_token is changed after it is signed: these use the keys of the algorithm. */
const signedRows = (correctClient: Outcome['correctClient']) =>
  rowsOf('use', correctClient).filter(({ seam }) => seam === 'token')

test.each(baited(signedRows('refuse')))(
  'A client with ES256 refuses $name as $persona',
  async (row) => {
    const run = await runUse(clientWithES256, row.outcome, { sandbox_persona: row.persona })
    await expect(readWithJose(clientWithES256, run, ES256)).rejects.toThrow(Refusal)
  },
)

test.each(signedRows('accept'))('A client that alone has ES256 accepts $name', async (outcome) => {
  const run = await runUse(clientWithES256, outcome)
  expect(await readWithJose(clientWithES256, run, ES256)).toMatchObject({ kind: 'verified' })
})

/** Outcomes that a client judges by what it was set up to take, or by what it remembers. */
const JUDGES: Readonly<Record<string, (outcome: Outcome) => Promise<void>>> = {
  'id_token.expired_one_second_ago': judgedBy(
    { clockToleranceSeconds: 60 },
    { clockToleranceSeconds: 0 },
  ),
  'id_token.expired_two_minutes_ago': judgedBy({ clockToleranceSeconds: 180 }, {}),
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
  'id_token.aud_string': leftAlone('aud as a string'),
  'id_token.padded': leftAlone('padding'),
  'callback.iss_of_other_issuer': leftAlone('iss of the callback'),
  'callback.error_empty': leftAlone('empty error'),
  'callback.code_unasked': leftAlone('unasked code'),
  'callback.code_unasked_with_c_hash': leftAlone('unasked code'),
  async 'id_token.age_thresholds.key_twice'(outcome) {
    const run = await runUse(sandbox, outcome)
    const ageThresholds = { 13: true, 16: true, 18: true, 21: true }
    expect(await readWithJose(sandbox, run)).toMatchObject({ ageThresholds })
    const payload = arrived(run.delivery).params.get('id_token')?.split('.')[1] ?? ''
    const spelled = Buffer.from(payload, 'base64url').toString()
    expect(spelled.match(/"18":(true|false)/g)).toEqual(['"18":false', '"18":true'])
  },
}

/** The row differs from a good answer only in what one client takes and another does not. */
function judgedBy(accepting: Policy, refusing: Policy) {
  return async (outcome: Outcome) => {
    const run = await runUse(sandbox, outcome)
    expect(await readWithJose(sandbox, run, accepting)).toMatchObject({ kind: 'verified' })
    await expect(readWithJose(sandbox, run, refusing)).rejects.toThrow(Refusal)
  }
}

/** One correct client refuses the row, another client does not look at the fault. */
function leftAlone(ignored: Ignorable) {
  return judgedBy({ ignores: [ignored] }, {})
}

/**
 * The subject is the same each time, and a new key must be fetched: the rows are read by other
 * tests.
 */
const REMEMBERED = ['id_token.sub_seen_before', 'id_token.key_rotated']

const differing = rowsOf('use', 'depends').filter(({ name }) => !REMEMBERED.includes(name))

test.each(differing)('Correct clients differ about the Use answer $name', async (outcome) => {
  const judge = JUDGES[outcome.name] ?? (() => expect.fail(`no judge for ${outcome.name}`))
  await judge(outcome)
})

const idTokenOf = async (at: Sandbox, name: string, changes = {}) =>
  arrived((await runUse(at, { name }, changes)).delivery).params.get('id_token') ?? ''

test('id_token.key_rotated signs by one new key', async () => {
  const fresh = await startSandbox()
  const keySet = z.object({ keys: z.array(z.object({ kid: z.string() })) })
  const publishedKids = async () =>
    keySet
      .parse((await fresh.request.get('/.well-known/jwks.json')).body)
      .keys.map(({ kid }) => kid)
  const before = await publishedKids()
  const { kid = '' } = decodeProtectedHeader(await idTokenOf(fresh, 'id_token.key_rotated'))
  expect(before).not.toContain(kid)
  for (let times = 0; times < 2; times += 1) await idTokenOf(fresh, 'id_token.key_rotated')
  const after = await publishedKids()
  expect(after).toEqual(expect.arrayContaining([...before, kid]))
  expect(before).toHaveLength(2)
  expect(after).toHaveLength(4)
})

test('id_token.key_rotated leaves the key of all other tokens', async () => {
  const fresh = await startSandbox()
  const usual = decodeProtectedHeader(await idTokenOf(fresh, 'verified'))
  await idTokenOf(fresh, 'id_token.key_rotated')
  expect(decodeProtectedHeader(await idTokenOf(fresh, 'verified'))).toEqual(usual)
})

test('An id_token of id_token.padded shows the padding, however long it is', async () => {
  for (const length of [16, 17, 18]) {
    const payload =
      (await idTokenOf(sandbox, 'id_token.padded', { nonce: 'n'.repeat(length) })).split('.')[1] ??
      ''
    expect(payload.length % 4).toBe(0)
    expect(payload).toMatch(/[^=]={1,2}$/)
  }
})
