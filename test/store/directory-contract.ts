import { describe, expect, test } from 'vitest'
import type { TenantDirectory } from '../../src/sandbox/tenants/tenant-directory.ts'

/** What every directory of tenants promises. */
export function describeDirectory(
  name: string,
  createDirectory: (options: { most?: number }) => TenantDirectory,
): void {
  describe(`The ${name} directory`, () => {
    test('knows who was touched, the least recently used one first', async () => {
      const directory = createDirectory({})
      for (const tenant of ['a', 'b', 'a']) expect(await directory.touch(tenant)).toEqual([])
      expect(await directory.list()).toEqual(['b', 'a'])
      expect([await directory.has('a'), await directory.has('c')]).toEqual([true, false])
    })

    test('lets the least recently used one go when there are too many, and says so', async () => {
      const directory = createDirectory({ most: 2 })
      await directory.touch('a')
      await directory.touch('b')
      await directory.touch('a')
      expect(await directory.touch('c')).toEqual(['b'])
      expect(await directory.list()).toEqual(['a', 'c'])
    })

    test('says whether there was one to remove', async () => {
      const directory = createDirectory({})
      await directory.touch('a')
      expect([await directory.remove('a'), await directory.remove('a')]).toEqual([true, false])
      expect(await directory.list()).toEqual([])
    })
  })
}
