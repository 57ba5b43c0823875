import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { isExpired, spendables } from '../../src/oidc/spendable.ts'
import { createMemoryStore } from '../../src/store/memory.ts'
import { createService } from '../support/service.ts'

const FIFTY = Array.from({ length: 50 })

test('Exactly one of 50 callers that exchange one code at once gets a token', async () => {
  const service = createService()
  const code = await service.obtainCode()
  const answers = await Promise.allSettled(FIFTY.map(() => service.exchange(code)))
  const refused = answers.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(49)
  for (const answer of refused) {
    expect(answer).toMatchObject({ reason: { status: 400, code: 'invalid_grant', findings: [{ rule: 'TOK-07' }] } })
  }
})

test('Exactly one of 50 decisions on one request_uri at once is taken', async () => {
  const service = createService()
  const requestUri = await service.obtainRequestUri()
  const holders = FIFTY.map((_, index) => `holder-${index}`)
  const callbacks = await Promise.all(
    holders.map((holder) => service.create(requestUri, {}, { kind: 'created', holder })),
  )
  const refused = callbacks.filter(({ params }) => 'error' in params)
  expect(refused).toHaveLength(49)
  for (const { params } of refused) expect(params).toMatchObject({ error: 'invalid_request_uri', state: 'state-1' })
  expect(holders.filter((holder) => service.provider.ageKeys.of(holder))).toHaveLength(1)
})

test('Each of 50 Use flows at once issues a code of its own, and each can be exchanged', async () => {
  const service = createService()
  const codes = await Promise.all(FIFTY.map(() => service.obtainCode()))
  expect(new Set(codes).size).toBe(50)
  await Promise.all(codes.map((code) => service.exchange(code)))
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
