import { describe, expect, test } from 'vitest'
import type { TenantDirectory } from '../../src/sandbox/tenants/tenant-directory.ts'

/** What every directory of tenants promises. */
export function describeDirectory(name: string, createDirectory: (options: { max?: number }) => TenantDirectory): void {
  describe(`The ${name} directory`, () => {
    test('lists the tenants that were touched, the least recently used one first', async () => {
      const directory = createDirectory({})
      for (const tenant of ['a', 'b', 'a']) expect(await directory.touch(tenant)).toEqual([])
      expect(await directory.list()).toEqual(['b', 'a'])
      expect([await directory.has('a'), await directory.has('c')]).toEqual([true, false])
    })

    test('removes the least recently used tenant when there are too many, and names it', async () => {
      const directory = createDirectory({ max: 2 })
      await directory.touch('a')
      await directory.touch('b')
      await directory.touch('a')
      expect(await directory.touch('c')).toEqual(['b'])
      expect(await directory.list()).toEqual(['a', 'c'])
    })

    test('keeps a declared tenant however many others are touched, and removes the least recently used of these', async () => {
      const directory = createDirectory({ max: 2 })
      await directory.declare('made')
      expect(await directory.touch('a')).toEqual([])
      expect(await directory.touch('b')).toEqual([])
      expect(await directory.touch('c')).toEqual(['a'])
      expect(await directory.list()).toEqual(['b', 'c', 'made'])
    })

    test('removes the least recently used declared tenant when too many are declared, and no touched one', async () => {
      const directory = createDirectory({ max: 2 })
      await directory.touch('called')
      for (const tenant of ['a', 'b']) expect(await directory.declare(tenant)).toEqual([])
      expect(await directory.touch('a')).toEqual([])
      expect(await directory.declare('c')).toEqual(['b'])
      expect(await directory.list()).toEqual(['called', 'a', 'c'])
    })

    test('makes a touched tenant a declared one, which stays declared when it is touched again', async () => {
      const directory = createDirectory({ max: 1 })
      await directory.touch('a')
      expect(await directory.declare('a')).toEqual([])
      expect(await directory.touch('a')).toEqual([])
      expect(await directory.touch('b')).toEqual([])
      expect(await directory.list()).toEqual(['b', 'a'])
    })

    test('knows a declared tenant, and forgets one that is removed, so that it can be touched again', async () => {
      const directory = createDirectory({ max: 1 })
      await directory.declare('a')
      const found = [await directory.has('a'), await directory.remove('a'), await directory.has('a')]
      expect(found).toEqual([true, true, false])
      await directory.touch('a')
      expect(await directory.touch('b')).toEqual(['a'])
    })

    test('says whether there was a tenant to remove', async () => {
      const directory = createDirectory({})
      await directory.touch('a')
      expect([await directory.remove('a'), await directory.remove('a')]).toEqual([true, false])
      expect(await directory.list()).toEqual([])
    })
  })
}
