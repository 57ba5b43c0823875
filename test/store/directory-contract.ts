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

    test('says whether there was a tenant to remove', async () => {
      const directory = createDirectory({})
      await directory.touch('a')
      expect([await directory.remove('a'), await directory.remove('a')]).toEqual([true, false])
      expect(await directory.list()).toEqual([])
    })
  })
}
