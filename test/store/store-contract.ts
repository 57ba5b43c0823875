import { describe, expect, test } from 'vitest'
import type { Clock } from '../../src/oidc/ports.ts'
import type { TenantStore } from '../../src/sandbox/tenants/shared-parts.ts'

/** A store under test. `limit`, when given, is the most records that a collection may hold. */
export type CreateStore = (options: { clock: Clock; limit?: number }) => TenantStore | Promise<TenantStore>

const NOW = Date.parse('2026-06-01T12:00:00Z')
const LATER = NOW + 60_000

/** What every adapter of the port `Store` promises, whatever keeps its records. */
export function describeStore(name: string, createStore: CreateStore): void {
  /** A store with a clock that the test moves. */
  const startStore = async (options: { limit?: number } = {}) => {
    let now = NOW
    const store = await createStore({ ...options, clock: { now: () => now } })
    return { store, moveTo: (instant: number) => (now = instant) }
  }

  describe(`The ${name} store`, () => {
    test('gives back what was put, again and again', async () => {
      const { store } = await startStore()
      const record = { text: 'ü 漢 \u0000 \ud83d\udd11', number: 1.5, list: [1, [2]], flag: true, nothing: null }
      await store.put('code', 'a', record, LATER)
      expect(await store.get('code', 'a')).toEqual(record)
      expect(await store.get('code', 'a')).toEqual(record)
    })

    test.each([true, false, 0, '', null, [], {}])('keeps the value %j apart from nothing', async (value) => {
      const { store } = await startStore()
      await store.put('code', 'a', value, LATER)
      expect(await store.get('code', 'a')).toEqual(value)
      expect(await store.take('code', 'a')).toEqual(value)
      expect(await store.take('code', 'a')).toBeUndefined()
    })

    test.each(['unknown', '', '__proto__', 'constructor', 'a\u0000b', 'x'.repeat(10_000)])(
      'has nothing under the id %.20j that was never put',
      async (id) => {
        const { store } = await startStore()
        expect(await store.get('code', id)).toBeUndefined()
        expect(await store.take('code', id)).toBeUndefined()
      },
    )

    test.each(['', '__proto__', 'constructor', 'a b/c:d*', 'ü'])('keeps a record under the id %j', async (id) => {
      const { store } = await startStore()
      await store.put('code', id, { id }, LATER)
      expect(await store.get('code', id)).toEqual({ id })
    })

    test('keeps collections apart', async () => {
      const { store } = await startStore()
      await store.put('code', 'a', 'code', LATER)
      await store.put('access_token', 'a', 'token', LATER)
      expect(await store.take('code', 'a')).toBe('code')
      expect(await store.get('access_token', 'a')).toBe('token')
    })

    test('gives the later one of two values under one id', async () => {
      const { store } = await startStore()
      await store.put('code', 'a', 1, NOW + 1)
      await store.put('code', 'a', 2, LATER)
      expect(await store.take('code', 'a')).toBe(2)
      expect(await store.get('code', 'a')).toBeUndefined()
    })

    test('gives a record to exactly one of many callers that take it at once', async () => {
      const { store } = await startStore()
      await store.put('code', 'a', 'right', LATER)
      const taken = await Promise.all(Array.from({ length: 100 }, () => store.take('code', 'a')))
      expect(taken.filter((value) => value !== undefined)).toEqual(['right'])
    })

    test('keeps a record until it expires by the given clock, and forgets it then', async () => {
      const { store, moveTo } = await startStore()
      await store.put('code', 'a', 'early', LATER)
      await store.put('code', 'b', 'late', LATER)
      moveTo(LATER - 1)
      expect(await store.get('code', 'a')).toBe('early')
      moveTo(LATER)
      expect(await store.get('code', 'a')).toBeUndefined()
      expect(await store.take('code', 'b')).toBeUndefined()
    })

    test('keeps a record that is put while the clock stands in another year', async () => {
      const { store, moveTo } = await startStore()
      moveTo(Date.parse('2099-01-01'))
      await store.put('code', 'a', 'far', Date.parse('2099-01-02'))
      expect(await store.get('code', 'a')).toBe('far')
      moveTo(Date.parse('1999-01-01'))
      await store.put('code', 'b', 'past', Date.parse('1999-01-02'))
      expect(await store.get('code', 'b')).toBe('past')
    })

    test('keeps what was put, whatever becomes of the object that was put or was given back', async () => {
      const { store } = await startStore()
      const record = { signals: ['first'] }
      await store.put('code', 'a', record, LATER)
      record.signals.push('second')
      const read = (await store.get('code', 'a')) as typeof record
      read.signals.push('third')
      expect(await store.get('code', 'a')).toEqual({ signals: ['first'] })
    })

    test('leaves out members without a value, as JSON does', async () => {
      const { store } = await startStore()
      await store.put('code', 'a', { some: 1, none: undefined }, LATER)
      expect(Object.keys((await store.get('code', 'a')) as object)).toEqual(['some'])
    })

    test('lets the oldest record of a collection go when it is full; written again, a record is the newest', async () => {
      const { store } = await startStore({ limit: 3 })
      for (const id of ['a', 'b', 'c', 'a', 'd']) await store.put('code', id, id, LATER)
      await store.put('access_token', 'x', 'x', LATER)
      const left = await Promise.all(['a', 'b', 'c', 'd'].map((id) => store.get('code', id)))
      expect(left).toEqual(['a', undefined, 'c', 'd'])
      expect(await store.get('access_token', 'x')).toBe('x')
    })

    test('lets none go for a record that is written again, nor for one that was taken', async () => {
      const { store } = await startStore({ limit: 3 })
      for (const id of ['a', 'b', 'c', 'b']) await store.put('code', id, id, LATER)
      expect(await Promise.all(['a', 'b', 'c'].map((id) => store.get('code', id)))).toEqual(['a', 'b', 'c'])
      for (const id of ['b', 'c']) await store.take('code', id)
      for (const id of ['d', 'e']) await store.put('code', id, id, LATER)
      expect(await Promise.all(['a', 'd', 'e'].map((id) => store.get('code', id)))).toEqual(['a', 'd', 'e'])
    })

    test('forgets everything when it is cleared, and goes on', async () => {
      const { store } = await startStore()
      await store.put('code', 'a', 'a', LATER)
      await store.clear()
      expect(await store.get('code', 'a')).toBeUndefined()
      await store.put('code', 'a', 'again', LATER)
      expect(await store.take('code', 'a')).toBe('again')
    })
  })
}
