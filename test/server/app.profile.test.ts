import { expect, test } from 'vitest'
import type { ReceivedCallback } from '../support/callbacks.ts'
import { readError, refusal } from '../support/error-body.ts'
import type { Answer } from '../support/http-client.ts'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty, type RelyingParty } from '../support/relying-party.ts'
import { ageSignal, claims } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

/** What was sent, the rule, a request in the words of a profile, and what a callback has that answers the request. */
type Send = (rp: RelyingParty, brand: string) => Promise<ReceivedCallback>
type Tolerated = readonly [sent: string, rule: string, send: Send, given: string]

const CHILD = { sandbox_persona: 'child-12' }

/** The tests of the rules send a request for each rule; here is what such a request is given, and other spellings. */
const TOLERATED: readonly Tolerated[] = [
  ...['id_token code', 'code id_token'].map((response_type): Tolerated => {
    const send: Send = (rp, brand) => rp.use({ scope: `openid ${brand}.upgrade`, response_type })
    return [`response_type "${response_type}" with the upgrade scope`, 'USE-05', send, 'id_token']
  }),
  ...['agekey_upgrade', 'agekey-upgrade'].flatMap((word): readonly Tolerated[] => {
    const scope = `openid ${word}`
    const create: Send = async (rp) => rp.create(await rp.obtainRequestUri(), { scope })
    return [
      [`the scope ${word} at E1`, 'USE-17', (rp) => rp.use({ scope, ...CHILD }), 'code'],
      [`the scope ${word} at E3`, 'CRE-05', create, 'state'],
    ]
  }),
]

const lastFinding = async (sandbox: TestSandbox, rule: string) =>
  (await sandbox.flows.last())?.calls.flatMap(({ findings }) => findings).find((finding) => finding.rule === rule)

test.each(TOLERATED)(
  'Profile agekey serves, with an advice, and profile spec refuses %s (%s)',
  async (_sent, rule, send, given) => {
    const lenient = await startSandbox({ profile: 'agekey' })
    const { params } = await send(createRelyingParty(lenient, { brand: 'agekey' }), 'agekey')
    expect([Object.keys(params), params['error']]).toEqual([expect.arrayContaining([given]), undefined])
    expect(await lastFinding(lenient, rule)).toMatchObject({ level: 'advice' })
    const strict = await startSandbox({ profile: 'spec' })
    expect((await send(createRelyingParty(strict), 'svc')).params).toHaveProperty('error')
    expect(await lastFinding(strict, rule)).toMatchObject({ level: 'error' })
  },
)

test.each(['agekey_upgrade', 'agekey-upgrade'])(
  'Only profile agekey takes a pushed request with the scope %s',
  async (word) => {
    const pushTo = async (profile: 'agekey' | 'spec'): Promise<Answer> =>
      createRelyingParty(await startSandbox({ profile })).push({ scope: `openid ${word}` })
    expect([(await pushTo('agekey')).status, refusal(await pushTo('spec')).rules]).toEqual([201, ['PAR-04']])
  },
)

test.each([
  ['a threshold named twice', 'CLM-04', [18, 18]],
  ['more than 5 thresholds', 'CLM-06', [1, 2, 3, 4, 5, 6]],
])('Profile agekey refuses, and profile spec serves with an advice, %s (%s)', async (_name, rule, age_thresholds) => {
  const use = async (profile: 'agekey' | 'spec') =>
    (await createRelyingParty(await startSandbox({ profile })).use({ claims: claims({ age_thresholds }) })).params
  const refused = { error: 'invalid_request', error_description: expect.stringContaining(rule) }
  expect([await use('agekey'), await use('spec')]).toMatchObject([refused, { id_token: expect.any(String) }])
})

test.each(['spec', 'agekey'] as const)(
  'Profile %s maps an override to thresholds as they were sent, in any order, and ignores extra parameters on the Create URL',
  async (profile) => {
    const sandbox = await startSandbox({ profile })
    const rp = createRelyingParty(sandbox)
    const overrides = { id_doc_scan: { age_thresholds: [18, 99] } }
    const token = idTokenOf(await rp.use({ claims: claims({ age_thresholds: [18, 13], overrides }) }))
    expect(token.age_thresholds).toEqual({ 13: false, 18: true })
    expect(await lastFinding(sandbox, 'CLM-05')).toMatchObject({ level: 'advice' })
    const { params } = await rp.create(await rp.obtainRequestUri(), { state: 'x', authorization_details: '[]' })
    expect(params).toEqual({ state: 'state-1' })
  },
)

test('Profile agekey puts its brand word into the scope and the upgrade path, instead of svc', async () => {
  const sandbox = await startSandbox({ profile: 'agekey' })
  const rp = createRelyingParty(sandbox, { brand: 'agekey' })
  const token = await rp.obtainToken(CHILD)
  expect((await createRelyingParty(sandbox).upgrade(token)).status).toBe(404)
  expect((await rp.upgrade(token)).status).toBe(200)
  expect(idTokenOf(await rp.use(CHILD)).age_thresholds).toMatchObject({ 21: true })
  expect((await rp.use({ scope: 'openid svc.upgrade' })).params).toMatchObject({ error: 'invalid_scope' })
})

test('Profile agekey refuses a code without the upgrade scope, and a string that holds no array', async () => {
  const rp = createRelyingParty(await startSandbox({ profile: 'agekey' }), { brand: 'agekey' })
  const { params } = await rp.use({ response_type: 'id_token code' })
  expect(params).toMatchObject({ error: 'unsupported_response_type' })
  const answer = await rp.upgrade(await rp.obtainToken(), 'not json')
  expect(refusal(answer)).toMatchObject({ status: 400, error: 'invalid_authorization_details' })
})

test('Profile spec says once what is wrong with stringified authorization_details', async () => {
  const rp = createRelyingParty(await startSandbox())
  const answer = await rp.upgrade(await rp.obtainToken(), JSON.stringify([ageSignal()]))
  expect(refusal(answer)).toEqual({ status: 400, error: 'invalid_authorization_details', rules: ['UPG-06'] })
  expect(readError(answer).findings).toHaveLength(1)
})
