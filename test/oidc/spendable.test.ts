import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { isExpired, spendables } from '../../src/oidc/spendable.ts'
import { createMemoryStore } from '../../src/store/memory.ts'
import { refusal } from '../support/error-body.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { startSandbox } from '../support/sandbox.ts'

const FIFTY = Array.from({ length: 50 })

test('E4 gives a token to exactly one of 50 callers that exchange one code at once', async () => {
  const rp = createRelyingParty(await startSandbox())
  const code = await rp.obtainCode()
  const answers = await Promise.all(FIFTY.map(() => rp.exchange(code)))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused).toHaveLength(49)
  for (const answer of refused) {
    expect(refusal(answer)).toEqual({ status: 400, error: 'invalid_grant', rules: ['TOK-07'] })
  }
})

test('E3 takes exactly one of 50 decisions on one request_uri at once', async () => {
  const sandbox = await startSandbox()
  const rp = createRelyingParty(sandbox)
  const requestUri = await rp.obtainRequestUri()
  const before = (await sandbox.personas.list()).length
  const callbacks = await Promise.all(FIFTY.map(() => rp.create(requestUri, { sandbox_outcome: 'created_new' })))
  const refused = callbacks.filter(({ params }) => 'error' in params)
  expect(refused).toHaveLength(49)
  for (const { params } of refused) expect(params).toMatchObject({ error: 'invalid_request_uri', state: 'state-1' })
  expect(await sandbox.personas.list()).toHaveLength(before + 1)
})

test('E1 issues a code of its own for each of 50 flows at once, and each can be exchanged', async () => {
  const rp = createRelyingParty(await startSandbox())
  const codes = await Promise.all(FIFTY.map(() => rp.obtainCode()))
  expect(new Set(codes).size).toBe(50)
  const answers = await Promise.all(codes.map((code) => rp.exchange(code)))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
})

describe('A spendable record', () => {
  const NOON = Date.parse('2026-06-01T12:00:00Z')
  const DAY = 86_400_000
  const record = { clientId: 'web-shop', expiresAt: NOON + 600_000 }

  function start() {
    let now = NOON
    const clock = { now: () => now }
    const kind = { name: 'code', schema: z.object({ clientId: z.string(), expiresAt: z.number() }) }
    const moveTo = (instant: number) => {
      now = instant
    }
    return { codes: spendables(createMemoryStore({ clock }), kind), clock, moveTo }
  }

  test('is spent by exactly one of many callers, and is still found then', async () => {
    const { codes } = start()
    await codes.put('a', record)
    expect(await codes.isUnspent('a')).toBe(true)
    const spent = await Promise.all(FIFTY.map(() => codes.spend('a')))
    expect(spent.filter((isSpent) => isSpent)).toHaveLength(1)
    expect(await codes.isUnspent('a')).toBe(false)
    expect(await codes.find('a')).toEqual(record)
  })

  test('is expired at its end to the millisecond, and is remembered for seven days', async () => {
    const { codes, clock, moveTo } = start()
    await codes.put('a', record)
    moveTo(record.expiresAt - 1)
    expect(isExpired(record, { clock })).toBe(false)
    moveTo(record.expiresAt)
    expect(isExpired(record, { clock })).toBe(true)
    moveTo(record.expiresAt + 7 * DAY - 1)
    expect(await codes.find('a')).toEqual(record)
    moveTo(record.expiresAt + 7 * DAY)
    expect(await codes.find('a')).toBeUndefined()
  })

  test('stays spent when it is replaced', async () => {
    const { codes } = start()
    await codes.put('a', record)
    await codes.spend('a')
    await codes.replace('a', { ...record, clientId: 'other' })
    expect(await codes.find('a')).toMatchObject({ clientId: 'other' })
    expect(await codes.spend('a')).toBe(false)
  })
})
