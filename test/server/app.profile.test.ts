import { expect, test } from 'vitest'
import type { ReceivedCallback } from '../support/callbacks.ts'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty, type RelyingParty } from '../support/relying-party.ts'
import { claims } from '../support/requests.ts'
import { shareSandbox, type TestSandbox } from '../support/sandbox.ts'

const CHILD = { sandbox_persona: 'child-12' }
const lenient = await shareSandbox({ profile: 'agekey' })
const strict = await shareSandbox({ profile: 'spec' })
const party = createRelyingParty(lenient, { brand: 'agekey' })

const lastFinding = async (sandbox: TestSandbox, rule: string) =>
  (await sandbox.flows.last())?.calls.flatMap(({ findings }) => findings).find((finding) => finding.rule === rule)

type Send = (rp: RelyingParty, brand: string) => Promise<ReceivedCallback>
const scope = 'openid agekey_upgrade'

test.each<[sent: string, rule: string, Send, given: string]>([
  [
    'response_type "code id_token" with the upgrade scope',
    'USE-05',
    (rp, brand) => rp.use({ scope: `openid ${brand}.upgrade`, response_type: 'code id_token' }),
    'id_token',
  ],
  ['the scope agekey_upgrade at E1', 'USE-17', (rp) => rp.use({ scope, ...CHILD }), 'code'],
  [
    'the scope agekey_upgrade at E3',
    'CRE-05',
    async (rp) => rp.create(await rp.obtainRequestUri(), { scope }),
    'state',
  ],
])('Profile agekey serves, with an advice, and profile spec refuses %s (%s)', async (_sent, rule, send, given) => {
  const { params } = await send(party, 'agekey')
  expect([Object.keys(params), params['error']]).toEqual([expect.arrayContaining([given]), undefined])
  expect(await lastFinding(lenient, rule)).toMatchObject({ level: 'advice' })
  expect((await send(createRelyingParty(strict), 'svc')).params).toHaveProperty('error')
  expect(await lastFinding(strict, rule)).toMatchObject({ level: 'error' })
})

test('Profile agekey puts its brand word into the scope and the upgrade path, instead of svc', async () => {
  const token = await party.obtainToken(CHILD)
  expect((await createRelyingParty(lenient).upgrade(token)).status).toBe(404)
  expect((await party.upgrade(token)).status).toBe(200)
  expect(idTokenOf(await party.use(CHILD)).age_thresholds).toMatchObject({ 21: true })
  expect((await party.use({ scope: 'openid svc.upgrade' })).params).toMatchObject({ error: 'invalid_scope' })
})

const levelOf = async ({ request }: TestSandbox, rule: string) =>
  (await request.get('/_sandbox/catalog')).body.rules.find(({ id }: { id: string }) => id === rule).level

test('Profile agekey refuses a sixth threshold or the same one twice, and takes an older upgrade scope at E2', async () => {
  for (const [rule, age_thresholds] of [
    ['CLM-06', [1, 2, 3, 4, 5, 6]],
    ['CLM-04', [18, 18]],
  ] as const) {
    const query = { claims: claims({ age_thresholds }) }
    expect((await party.use(query)).params['error_description']).toContain(rule)
    expect((await createRelyingParty(strict).use(query)).params).toHaveProperty('id_token')
    expect([await levelOf(lenient, rule), await levelOf(strict, rule)]).toEqual(['error', 'advice'])
  }
  expect((await party.push({ scope })).status).toBe(201)
})
