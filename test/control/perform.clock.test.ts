import { describe, expect, test } from 'vitest'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { startSandbox } from '../support/sandbox.ts'

const NEW_YEAR = '2030-01-01T00:00:00.000Z'

describe('POST clock', () => {
  test.each([
    [
      { set: NEW_YEAR, freeze: true },
      { now: NEW_YEAR, base: NEW_YEAR, advanced_seconds: 0, frozen: true },
    ],
    [
      { set: NEW_YEAR, freeze: true, advance: 90.5 },
      { now: '2030-01-01T00:01:30.500Z', base: NEW_YEAR, advanced_seconds: 90.5, frozen: true },
    ],
    [
      { reset: true, set: '2030-01-01', freeze: true, advance: 1 },
      { now: '2030-01-01T00:00:01.000Z', base: NEW_YEAR, advanced_seconds: 1, frozen: true },
    ],
  ])('applies %j in the order reset, set, freeze, advance', async (move, state) => {
    const sandbox = await startSandbox()
    await sandbox.clock.advance(1000)
    await sandbox.clock.freeze()
    expect((await sandbox.request.post('/_sandbox/clock').send(move)).body).toEqual(state)
    expect(await sandbox.clock.state()).toEqual(state)
  })

  test('set keeps a frozen clock frozen', async () => {
    const sandbox = await startSandbox()
    await sandbox.clock.freeze()
    expect(await sandbox.clock.set(NEW_YEAR)).toMatchObject({ now: NEW_YEAR, frozen: true })
  })

  test('reset runs in real time again', async () => {
    const sandbox = await startSandbox()
    await sandbox.request.post('/_sandbox/clock').send({ set: NEW_YEAR, freeze: true, advance: 5 })
    const { now, advanced_seconds, frozen } = await sandbox.clock.reset()
    expect({ advanced_seconds, frozen }).toEqual({ advanced_seconds: 0, frozen: false })
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(5000)
  })

  test.each([
    [{}, 'give at least one of reset, set, freeze, advance'],
    [{ advance: -1 }, 'advance: must be 0 or more seconds (to go back in time use set or reset), found -1",'],
    [{ advance: '90' }, 'advance: expected a number'],
    [{ set: NEW_YEAR, advance: -1 }, 'advance'],
    [{ set: 'tomorrow' }, 'set: must be an ISO 8601 date or date-time'],
    [{ set: '2030-02-30' }, 'set: must be an ISO 8601'],
    [{ reset: false }, 'reset: must be true, or left out, found false'],
    [{ freeze: 'yes' }, 'freeze: expected true or false'],
    [{ advnace: 1 }, 'Did you mean \\"advance\\"?'],
    [{ set: '9999-12-31', advance: 1e9 }, 'year 9999'],
  ])('refuses %j and changes nothing', async (move, message) => {
    const sandbox = await startSandbox()
    await sandbox.request.post('/_sandbox/clock').send({ set: '2029-05-05', freeze: true })
    const before = await sandbox.clock.state()
    const answer = await sandbox.request.post('/_sandbox/clock').send(move).expect(400)
    expect(answer.text).toContain(message)
    expect(await sandbox.clock.state()).toEqual(before)
  })
})

describe('one clock judges', () => {
  test('a request_uri: good for 90 seconds, expired after them', async () => {
    const sandbox = await startSandbox()
    await sandbox.clock.freeze()
    const rp = createRelyingParty(sandbox)
    const [used, late] = [await rp.obtainRequestUri(), await rp.obtainRequestUri()]
    await sandbox.clock.advance(89)
    expect((await rp.create(used)).params).toEqual({ state: 'state-1' })
    await sandbox.clock.advance(2)
    expect((await rp.create(late)).params).toMatchObject({ error: 'invalid_request_uri', state: 'state-1' })
  })

  test('a code: good for 600 seconds, expired after them', async () => {
    const sandbox = await startSandbox()
    await sandbox.clock.freeze()
    const rp = createRelyingParty(sandbox)
    const [used, late] = [await rp.obtainCode(), await rp.obtainCode()]
    await sandbox.clock.advance(599)
    expect((await rp.exchange(used)).status).toBe(200)
    await sandbox.clock.advance(2)
    expect((await rp.exchange(late)).body).toMatchObject({ error: 'invalid_grant' })
  })

  test('an access token: good for 10800 seconds, expired after them', async () => {
    const sandbox = await startSandbox()
    await sandbox.clock.freeze()
    const rp = createRelyingParty(sandbox)
    const token = await rp.obtainToken()
    await sandbox.clock.advance(10_799)
    expect((await rp.upgrade(token)).status).toBe(200)
    await sandbox.clock.advance(2)
    expect((await rp.upgrade(token)).body).toMatchObject({ error: 'invalid_token' })
  })

  test('an id_token: issued now, with 600 seconds of validity', async () => {
    const sandbox = await startSandbox()
    await sandbox.request.post('/_sandbox/clock').send({ set: NEW_YEAR, freeze: true, advance: 5 })
    const { iat, exp } = idTokenOf(await createRelyingParty(sandbox).use())
    expect([iat, exp]).toEqual([Date.parse(NEW_YEAR) / 1000 + 5, Date.parse(NEW_YEAR) / 1000 + 605])
  })

  test('ages: a persona that turns 18 tomorrow is 18 after one day, and 17 again after a set', async () => {
    const sandbox = await startSandbox()
    const is18 = async () => {
      const question = { claims: { age_thresholds: [18] }, persona: 'turns-18-tomorrow' }
      return (await sandbox.evaluate(question)).age_thresholds['18']
    }
    const seen = [await is18()]
    await sandbox.clock.advance(86_400)
    seen.push(await is18())
    await sandbox.clock.set('2031-06-15')
    seen.push(await is18())
    expect(seen).toEqual([false, true, false])
  })
})
