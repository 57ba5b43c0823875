import { expect, test } from 'vitest'
import * as z from 'zod'
import { isExpired, spendables } from '../../src/oidc/collection.ts'
import { DEFAULT_DECISIONS } from '../../src/oidc/decisions.ts'
import type { Store } from '../../src/oidc/ports.ts'
import { createMemoryStore } from '../../src/store/memory.ts'
import { createProvider, NOW } from '../support/provider.ts'
import { createService, refused } from '../support/service.ts'

test('Each record has a name of its kind in the store, and stays a week beyond its end', async () => {
  const store = createMemoryStore({ clock: { now: () => NOW } })
  const kept: unknown[] = []
  const note = (kind: string, expiresAt: number, { isUnfinished }: { isUnfinished?: boolean | undefined } = {}) =>
    kept.push([kind, (expiresAt - NOW) / 1000 - 7 * 86_400, isUnfinished])
  const put: Store['put'] = (kind, id, value, expiresAt, options) => {
    note(kind, expiresAt, options)
    return store.put(kind, id, value, expiresAt, options)
  }
  const write: Store['write'] = (changes) => {
    for (const one of changes) if (one.kind === 'put') note(one.collection, one.expiresAt, one.options)
    return store.write(changes)
  }
  const decisions = { ...DEFAULT_DECISIONS, accessTokenUse: 'single' } as const
  const service = createService(createProvider({ decisions, store: { ...store, put, write } }))
  await service.push()
  const code = await service.obtainCode()
  await service.upgrade((await service.exchange(code)).response.access_token)
  await refused(() => service.exchange(code))
  expect(kept).toEqual([
    ['pushed_request', 90, true],
    ['code', 600, undefined],
    ['code.spent', 600, undefined],
    ['access_token', 10_800, undefined],
    ['access_token.used', 10_800, undefined],
    ['code.replayed', 10_800, undefined],
  ])
})

const RECORD = { clientId: 'web-shop', expiresAt: NOW + 600_000 }

async function keepRecord() {
  let now = NOW
  const clock = { now: () => now }
  const kind = { name: 'code', schema: z.object({ clientId: z.string(), expiresAt: z.number() }) }
  const store = createMemoryStore({ clock })
  const codes = spendables(kind)({ store })
  const spend = () => store.write(codes.spending('a', RECORD))
  await codes.put('a', RECORD)
  const moveTo = (instant: number) => {
    now = instant
  }
  return { codes, spend, clock, moveTo }
}

test('A spendable record is spent by exactly one of many callers and is still found then', async () => {
  const { codes, spend } = await keepRecord()
  expect(await codes.find('a')).toEqual({ record: RECORD, isSpent: false })
  const spent = await Promise.all(Array.from({ length: 50 }).map(spend))
  expect(spent.filter((isSpent) => isSpent)).toHaveLength(1)
  expect(await codes.find('a')).toEqual({ record: RECORD, isSpent: true })
})

test('A spendable record is expired at its end to the millisecond, and is remembered for seven days', async () => {
  const { codes, clock, moveTo } = await keepRecord()
  moveTo(RECORD.expiresAt - 1)
  expect(isExpired(RECORD, { clock })).toBe(false)
  moveTo(RECORD.expiresAt)
  expect(isExpired(RECORD, { clock })).toBe(true)
  moveTo(RECORD.expiresAt + 7 * 86_400_000 - 1)
  expect(await codes.find('a')).toEqual({ record: RECORD, isSpent: false })
  moveTo(RECORD.expiresAt + 7 * 86_400_000)
  expect(await codes.find('a')).toBeUndefined()
})
