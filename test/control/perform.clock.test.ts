import { expect, test } from 'vitest'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { shareSandbox } from '../support/sandbox.ts'

const NEW_YEAR = '2030-01-01T00:00:00.000Z'
const sandbox = await shareSandbox()

test.each([
  [{ set: NEW_YEAR, freeze: true }, NEW_YEAR, 0],
  [{ set: NEW_YEAR, freeze: true, advance: 90.5 }, '2030-01-01T00:01:30.500Z', 90.5],
  [{ reset: true, set: '2030-01-01', freeze: true, advance: 1 }, '2030-01-01T00:00:01.000Z', 1],
])('POST clock applies %j in the order reset, set, freeze, advance', async (move, now, advanced_seconds) => {
  const state = { now, base: NEW_YEAR, advanced_seconds, frozen: true }
  await sandbox.clock.advance(1000)
  await sandbox.clock.freeze()
  expect((await sandbox.request.post('/_sandbox/clock').send(move)).body).toEqual(state)
  expect(await sandbox.clock.state()).toEqual(state)
})

test('set keeps a frozen clock frozen, and reset runs in real time again', async () => {
  await sandbox.clock.freeze()
  expect(await sandbox.clock.set(NEW_YEAR)).toMatchObject({ now: NEW_YEAR, frozen: true })
  const { now, advanced_seconds, frozen } = await sandbox.clock.reset()
  expect({ advanced_seconds, frozen }).toEqual({ advanced_seconds: 0, frozen: false })
  expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(5000)
})

test('The clock of the sandbox stamps an id_token, and decides how old a persona is', async () => {
  await sandbox.request.post('/_sandbox/clock').send({ set: NEW_YEAR, freeze: true, advance: 5 })
  const { iat, exp } = idTokenOf(await createRelyingParty(sandbox).use())
  expect([iat, exp]).toEqual([Date.parse(NEW_YEAR) / 1000 + 5, Date.parse(NEW_YEAR) / 1000 + 605])
  const question = { claims: { age_thresholds: [18] }, persona: 'turns-18-tomorrow' }
  const is18 = async () => (await sandbox.evaluate(question)).age_thresholds['18']
  const seen = [await is18()]
  await sandbox.clock.advance(86_400)
  seen.push(await is18())
  await sandbox.clock.set('2031-06-15')
  expect([...seen, await is18()]).toEqual([false, true, false])
})
