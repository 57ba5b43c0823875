import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { DEFAULT_DECISIONS } from '../../src/oidc/decisions.ts'
import { isExpired, spendables } from '../../src/oidc/spendable.ts'
import { createMemoryStore } from '../../src/store/memory.ts'
import { createProvider, NOW } from '../support/provider.ts'
import { createService, refused } from '../support/service.ts'

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

test('Each record has a name of its kind in the store, and stays a week beyond its end', async () => {
  const store = createMemoryStore({ clock: { now: () => NOW } })
  const kept: unknown[] = []
  const service = createService(
    createProvider({
      decisions: { ...DEFAULT_DECISIONS, accessTokenUse: 'single' },
      store: {
        ...store,
        put(kind, id, value, expiresAt, options) {
          kept.push([kind, (expiresAt - NOW) / 1000 - 7 * 86_400, options?.isUnfinished])
          return store.put(kind, id, value, expiresAt, options)
        },
      },
    }),
  )
  await service.push()
  const code = await service.obtainCode()
  await service.upgrade((await service.exchange(code)).response.access_token)
  await refused(() => service.exchange(code))
  expect(kept).toEqual([
    ['pushed_request', 90, true],
    ['pushed_request.unspent', 90, true],
    ['code', 600, undefined],
    ['code.unspent', 600, undefined],
    ['access_token', 10_800, undefined],
    ['access_token.used', 10_800, undefined],
    ['code.replayed', 10_800, undefined],
  ])
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
