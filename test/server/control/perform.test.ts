import { createRemoteJWKSet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { headerOf, idTokenOf } from '../../support/id-tokens.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { shareSandbox, startSandbox } from '../../support/sandbox.ts'

const NEW_YEAR = '2030-01-01T00:00:00.000Z'
const sandbox = await shareSandbox()

test.each([
  [{ set: NEW_YEAR }, NEW_YEAR, 0],
  [{ set: NEW_YEAR, freeze: true, advance: 90.5 }, '2030-01-01T00:01:30.500Z', 90.5],
  [{ reset: true, set: '2030-01-01', freeze: true, advance: 1 }, '2030-01-01T00:00:01.000Z', 1],
])(
  'POST clock applies %j to the clock in the order reset, set, freeze, advance',
  async (move, now, advanced_seconds) => {
    const state = { now, base: NEW_YEAR, advanced_seconds, frozen: true }
    await sandbox.clock.advance(1000)
    await sandbox.clock.freeze()
    expect((await sandbox.request.post('/_sandbox/clock').send(move)).body).toEqual(state)
    expect(await sandbox.clock.state()).toEqual(state)
  },
)

test('The clock of the sandbox stamps an id_token', async () => {
  await sandbox.request.post('/_sandbox/clock').send({ set: NEW_YEAR, freeze: true, advance: 5 })
  const { iat, exp } = idTokenOf(await createRelyingParty(sandbox).use())
  expect(iat).toEqual(Date.parse(NEW_YEAR) / 1000 + 5)
  expect(exp).toEqual(Date.parse(NEW_YEAR) / 1000 + 605)
})

test('The clock of the sandbox decides how old a persona is', async () => {
  await sandbox.request.post('/_sandbox/clock').send({ set: NEW_YEAR, freeze: true, advance: 5 })
  const question = { claims: { age_thresholds: [18] }, persona: 'turns-18-tomorrow' }
  const is18 = async () => (await sandbox.evaluate(question)).age_thresholds['18']
  const seen = [await is18()]
  await sandbox.clock.advance(86_400)
  seen.push(await is18())
  await sandbox.clock.set('2031-06-15')
  seen.push(await is18())
  expect(seen).toEqual([false, true, false])
})

test('A client that keeps the key set knows a published key before the sandbox signs with the key', async () => {
  const sandbox = await startSandbox()
  const issue = () => createRelyingParty(sandbox).use()
  const readKeySet = () =>
    createRemoteJWKSet(new URL(`${sandbox.baseUrl}/.well-known/jwks.json`), { cooldownDuration: 0 })
  const kept = readKeySet()
  const verify = async ({ params }: Awaited<ReturnType<typeof issue>>, keySet = kept) =>
    (await jwtVerify(params['id_token'] ?? '', keySet)).protectedHeader.kid
  const old = await issue()
  const oldKid = await verify(old)
  const { published, signing } = await sandbox.keys.rotate('publish')
  expect(signing).toEqual(oldKid)
  expect(published).toHaveLength(4)
  expect(await verify(await issue())).toBe(oldKid)

  const { signing: newKid } = await sandbox.keys.rotate('use')
  expect(newKid).not.toBe(oldKid)
  expect(await verify(await issue())).toBe(newKid)
  expect(await verify(old)).toBe(oldKid)

  const { published: left } = await sandbox.keys.rotate('retire')
  expect(left).toEqual(Array(2).fill(expect.stringMatching(/^sandbox-/)))
  expect(left).not.toContain(oldKid)
  expect(headerOf(await issue()).kid).toBe(newKid)
  await expect(verify(old, readKeySet())).rejects.toMatchObject({
    code: 'ERR_JWKS_NO_MATCHING_KEY',
  })
})

test.each([
  [['use']],
  [['retire']],
  [['publish', 'publish']],
  [['publish', 'withdraw']],
  [['publish', 'retire']],
  [['publish', 'use', 'use']],
  [['publish', 'use', 'retire', 'retire']],
])('The last stage of a rotation by %j is out of turn: 409', async (stages) => {
  const path = `/t/${stages.join('-')}/_sandbox/keys/rotate`
  const statuses: number[] = []
  for (const stage of stages)
    statuses.push((await sandbox.request.post(path).send({ stage })).status)
  expect(statuses).toEqual([...stages.slice(1).map(() => 200), 409])
})
