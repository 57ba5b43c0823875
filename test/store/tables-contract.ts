import { expect, test } from 'vitest'
import type { Tables } from '../../src/sandbox/tables.ts'

/** What every adapter of the port `Tables` promises, whatever keeps its rows. */
export function describeTables(name: string, createTables: () => Tables | Promise<Tables>): void {
  /** Tables, and what tests do with the one of the personas. */
  const start = async () => {
    const tables = await createTables()
    return {
      tables,
      put: (id: string, value: unknown) => tables.put('personas', id, value),
      update: (id: string, change: (value: unknown) => unknown) => tables.update('personas', id, change),
      remove: (id: string) => tables.remove('personas', id),
      get: (id: string) => tables.get('personas', id),
      list: () => tables.list('personas'),
    }
  }

  test(`The ${name} tables give back what was put, and nothing for what was not`, async () => {
    const { tables, put, get } = await start()
    await put('a', { title: 'ü' })
    expect([await get('a'), await get('__proto__')]).toEqual([{ title: 'ü' }, undefined])
    expect([await tables.get('unheard-of', 'a'), await tables.list('unheard-of')]).toEqual([undefined, []])
  })

  test(`The ${name} tables list rows in the order in which their ids were first put`, async () => {
    const { put, remove, list } = await start()
    for (const [index, id] of ['b', 'a', 'b'].entries()) await put(id, index)
    expect((await list()).flat()).toEqual(['b', 2, 'a', 1])
    await remove('b')
    await put('b', 4)
    expect((await list()).map(([id]) => id)).toEqual(['a', 'b'])
  })

  test(`The ${name} tables list and count what they hold after each change`, async () => {
    const { tables, put, update, remove, list } = await start()
    const held = async () => [await tables.count('personas'), Object.fromEntries(await list())]
    expect(await held()).toEqual([0, {}])
    await put('a', { n: 1 })
    expect(await held()).toEqual([1, { a: { n: 1 } }])
    await tables.add('personas', 'b', { n: 2 })
    await update('a', () => ({ n: 3 }))
    expect(await held()).toEqual([2, { a: { n: 3 }, b: { n: 2 } }])
    expect([await remove('a'), await remove('a'), await held()]).toEqual([true, false, [1, { b: { n: 2 } }]])
    await tables.put('settings', 'a', 1)
    await tables.clear()
    expect([await held(), await tables.list('settings')]).toEqual([[0, {}], []])
  })

  test(`The ${name} tables let one of many callers add an id`, async () => {
    const { tables } = await start()
    const added = await Promise.all([1, 2, 3, 4, 5].map((value) => tables.add('personas', 'a', value)))
    expect(added.filter((isFirst) => isFirst)).toHaveLength(1)
  })

  test(`The ${name} tables lose no update of many at once`, async () => {
    const { update, get } = await start()
    const increment = (value: unknown) => (typeof value === 'number' ? value + 1 : 1)
    await Promise.all(Array.from({ length: 20 }, () => update('a', increment)))
    expect(await get('a')).toBe(20)
  })

  test(`The ${name} tables remove what an update makes undefined, and change nothing when it throws`, async () => {
    const { put, update, get, list } = await start()
    await put('a', 1)
    const failing = async () =>
      update('a', () => {
        throw new RangeError('not possible')
      })
    await expect(failing).rejects.toThrow('not possible')
    expect(await get('a')).toBe(1)
    expect([await update('a', () => undefined), await list()]).toEqual([undefined, []])
  })
}
