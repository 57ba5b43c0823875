import { describe, expect, test } from 'vitest'
import type { Tables } from '../../src/sandbox/tenants/tables.ts'

/** What every adapter of the port `Tables` promises, whatever keeps its rows. */
export function describeTables(name: string, createTables: () => Tables | Promise<Tables>): void {
  describe(`The ${name} tables`, () => {
    test('give back what was put, and nothing for what was not', async () => {
      const tables = await createTables()
      await tables.put('personas', 'a', { title: 'ü' })
      expect(await tables.get('personas', 'a')).toEqual({ title: 'ü' })
      expect(await tables.get('personas', '__proto__')).toBeUndefined()
      expect(await tables.get('unheard-of', 'a')).toBeUndefined()
      expect(await tables.list('unheard-of')).toEqual([])
    })

    test('list rows in the order in which their ids were first put', async () => {
      const tables = await createTables()
      for (const [id, value] of [
        ['b', 1],
        ['a', 2],
        ['b', 3],
      ] as const) {
        await tables.put('personas', id, value)
      }
      expect(await tables.list('personas')).toEqual([
        ['b', 3],
        ['a', 2],
      ])
      await tables.remove('personas', 'b')
      await tables.put('personas', 'b', 4)
      expect(await tables.list('personas')).toEqual([
        ['a', 2],
        ['b', 4],
      ])
    })

    test('list and count what they hold after each change', async () => {
      const tables = await createTables()
      const held = async () => [await tables.count('personas'), await tables.list('personas')]
      expect(await held()).toEqual([0, []])
      await tables.put('personas', 'a', { n: 1 })
      expect(await held()).toEqual([1, [['a', { n: 1 }]]])
      await tables.add('personas', 'b', { n: 2 })
      await tables.update('personas', 'a', () => ({ n: 3 }))
      expect(await held()).toEqual([
        2,
        [
          ['a', { n: 3 }],
          ['b', { n: 2 }],
        ],
      ])
      await tables.remove('personas', 'a')
      expect(await held()).toEqual([1, [['b', { n: 2 }]]])
      await tables.clear()
      expect(await held()).toEqual([0, []])
    })

    test('let one of many callers add an id', async () => {
      const tables = await createTables()
      const added = await Promise.all([1, 2, 3, 4, 5].map((value) => tables.add('personas', 'a', value)))
      expect(added.filter((isFirst) => isFirst)).toHaveLength(1)
    })

    test('lose no update of many at once', async () => {
      const tables = await createTables()
      const increment = (value: unknown) => (typeof value === 'number' ? value + 1 : 1)
      await Promise.all(Array.from({ length: 20 }, () => tables.update('counters', 'a', increment)))
      expect(await tables.get('counters', 'a')).toBe(20)
    })

    test('remove what an update makes undefined, and change nothing when it throws', async () => {
      const tables = await createTables()
      await tables.put('personas', 'a', 1)
      await expect(
        tables.update('personas', 'a', () => {
          throw new RangeError('not possible')
        }),
      ).rejects.toThrow('not possible')
      expect(await tables.get('personas', 'a')).toBe(1)
      expect(await tables.update('personas', 'a', () => undefined)).toBeUndefined()
      expect(await tables.list('personas')).toEqual([])
    })

    test('say whether there was something to remove', async () => {
      const tables = await createTables()
      await tables.put('personas', 'a', 1)
      expect(await tables.remove('personas', 'a')).toBe(true)
      expect(await tables.remove('personas', 'a')).toBe(false)
    })

    test('forget everything when they are cleared', async () => {
      const tables = await createTables()
      await tables.put('personas', 'a', 1)
      await tables.put('settings', 'a', 1)
      await tables.clear()
      expect(await tables.list('personas')).toEqual([])
      expect(await tables.get('settings', 'a')).toBeUndefined()
    })
  })
}
