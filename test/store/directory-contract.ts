import { expect, test } from 'vitest'
import type { TenantDirectory } from '../../src/sandbox/tenants/tenant-directory.ts'

/** What every directory of tenants promises. */
export function describeDirectory(name: string, createDirectory: (options: { max?: number }) => TenantDirectory): void {
  /** A directory in which so many of each kind have room, and which tenants go when others are touched or declared in turn. */
  const start = (max?: number) => {
    const directory = createDirectory(max === undefined ? {} : { max })
    const goneFor = (kind: 'touch' | 'declare') => async (tenants: string) => {
      const gone: string[] = []
      for (const tenant of tenants) gone.push(...(await directory[kind](tenant)))
      return gone
    }
    return { ...directory, touchAll: goneFor('touch'), declareAll: goneFor('declare') }
  }

  test(`The ${name} directory lists the tenants that were touched and not removed, by their last use`, async () => {
    const { touchAll, list, has, remove } = start()
    expect([await touchAll('aba'), await list()]).toEqual([[], ['b', 'a']])
    expect([await has('a'), await has('c'), await remove('a'), await remove('a')]).toEqual([true, false, true, false])
    expect(await list()).toEqual(['b'])
  })

  test(`The ${name} directory removes the least recently used of too many tenants, names it, and takes it again`, async () => {
    const { touchAll, list } = start(2)
    expect([await touchAll('aba'), await touchAll('c'), await list()]).toEqual([[], ['b'], ['a', 'c']])
    expect([await touchAll('b'), await list()]).toEqual([['a'], ['c', 'b']])
  })

  test(`The ${name} directory keeps a declared tenant however many others are touched`, async () => {
    const { declareAll, touchAll, list } = start(2)
    await declareAll('m')
    expect([await touchAll('ab'), await touchAll('c'), await list()]).toEqual([[], ['a'], ['b', 'c', 'm']])
  })

  test(`The ${name} directory removes for a declared tenant the least recently used declared one`, async () => {
    const { declareAll, touchAll, list } = start(2)
    expect([await touchAll('t'), await declareAll('ab'), await touchAll('a')]).toEqual([[], [], []])
    expect([await declareAll('c'), await list()]).toEqual([['b'], ['t', 'a', 'c']])
  })

  test(`The ${name} directory makes a touched tenant a declared one, also when it is touched again`, async () => {
    const { declareAll, touchAll, list } = start(1)
    expect([await touchAll('a'), await declareAll('a'), await touchAll('ab')]).toEqual([[], [], []])
    expect(await list()).toEqual(['b', 'a'])
  })

  test(`The ${name} directory knows a declared tenant, and forgets a removed one`, async () => {
    const { declareAll, touchAll, has, remove } = start(1)
    await declareAll('a')
    expect([await has('a'), await remove('a'), await has('a')]).toEqual([true, true, false])
    expect(await touchAll('ab')).toEqual(['a'])
  })
}
