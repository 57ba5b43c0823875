import { expect, test } from 'vitest'
import type { Clock } from '../../src/oidc/ports.ts'
import type { TenantStore } from '../../src/sandbox/tables.ts'

/** A store under test. `limit`, when given, is the most records that a collection may hold. */
export type CreateStore = (options: { clock: Clock; limit?: number }) => TenantStore | Promise<TenantStore>

const NOW = Date.parse('2026-06-01T12:00:00Z')
const LATER = NOW + 60_000
const UNKNOWN = ['unknown', '', '__proto__', 'constructor', 'a\u0000b', 'a b/c:d*', 'ü', 'x'.repeat(10_000)]

/** What every adapter of the port `Store` promises, whatever keeps its records. */
export function describeStore(name: string, createStore: CreateStore): void {
  /** A store with a clock that the test moves, and what tests do with its collection of codes. */
  const startStore = async (options: { limit?: number } = {}) => {
    let now = NOW
    const store = await createStore({ ...options, clock: { now: () => now } })
    const get = (id = 'a') => store.get('code', id)
    return {
      store,
      moveTo: (instant: number) => (now = instant),
      put: (value: unknown, { id = 'a', until = LATER } = {}) => store.put('code', id, value, until),
      get,
      take: (id = 'a') => store.take('code', id),
      /** Puts records whose values are their ids. */
      async putAll(ids: string) {
        for (const id of ids) await store.put('code', id, id, LATER)
      },
      /** Those of the ids that have a record. */
      left: async (ids: string) =>
        (await Promise.all([...ids].map(get))).filter((value) => value !== undefined).join(''),
    }
  }

  test.each([
    { text: 'ü 漢 \u0000 \ud83d\udd11', number: 1.5, list: [1, [2]], flag: true, nothing: null },
    ...[true, false, 0, '', null, [], {}],
  ])(`The ${name} store gives the value %j back again and again, until one caller takes it`, async (value) => {
    const { put, get, take } = await startStore()
    await put(value)
    expect([await get(), await get(), await take(), await take()]).toEqual([value, value, value, undefined])
  })

  test.each(UNKNOWN)(`The ${name} store has nothing under %.20j until a record is put there`, async (id) => {
    const { put, get, take } = await startStore()
    expect([await get(id), await take(id)]).toEqual([undefined, undefined])
    await put({ id }, { id })
    expect(await get(id)).toEqual({ id })
  })

  test(`The ${name} store keeps collections apart, and of two values under one id the later one`, async () => {
    const { store, put, get, take } = await startStore()
    await put(1, { until: NOW + 1 })
    await put(2)
    await store.put('access_token', 'a', 'token', LATER)
    expect([await take(), await get(), await store.get('access_token', 'a')]).toEqual([2, undefined, 'token'])
  })

  test(`The ${name} store gives a record to exactly one of many callers that take it at once`, async () => {
    const { put, take } = await startStore()
    await put('right')
    const taken = await Promise.all(Array.from({ length: 100 }, () => take()))
    expect(taken.filter((value) => value !== undefined)).toEqual(['right'])
  })

  test(`The ${name} store keeps a record until it expires by the given clock, and forgets it then`, async () => {
    const { putAll, get, take, moveTo } = await startStore()
    await putAll('ab')
    moveTo(LATER - 1)
    expect(await get('a')).toBe('a')
    moveTo(LATER)
    expect([await get('a'), await take('b')]).toEqual([undefined, undefined])
  })

  test.each([2099, 1999])(`The ${name} store keeps a record that is put in the year %i`, async (year) => {
    const { put, get, moveTo } = await startStore()
    moveTo(Date.parse(`${year}-01-01`))
    await put('far', { until: Date.parse(`${year}-01-02`) })
    expect(await get()).toBe('far')
  })

  test(`The ${name} store keeps what was put, but no empty member, whatever becomes of the object`, async () => {
    const { put, get } = await startStore()
    const record = { signals: ['first'], none: undefined }
    await put(record)
    record.signals.push('second')
    const read = (await get()) as typeof record
    read.signals.push('third')
    expect(await get()).toStrictEqual({ signals: ['first'] })
  })

  test(`The ${name} store drops the oldest record of a full collection; one written again is the newest`, async () => {
    const { store, putAll, left } = await startStore({ limit: 3 })
    await putAll('abcad')
    await store.put('access_token', 'x', 'x', LATER)
    expect([await left('abcd'), await store.get('access_token', 'x')]).toEqual(['acd', 'x'])
  })

  test(`The ${name} store lets none go for a record that is written again, nor for one that was taken`, async () => {
    const { putAll, take, left } = await startStore({ limit: 3 })
    await putAll('abcb')
    expect(await left('abc')).toBe('abc')
    for (const id of 'bc') await take(id)
    await putAll('de')
    expect(await left('ade')).toBe('ade')
  })

  test(`The ${name} store forgets everything when it is cleared, and goes on`, async () => {
    const { store, put, get, take } = await startStore()
    await put('a')
    await store.clear()
    expect(await get()).toBeUndefined()
    await put('again')
    expect(await take()).toBe('again')
  })
}
