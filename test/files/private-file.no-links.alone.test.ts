import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createOrRead } from '../../src/files/private-file.ts'
import { folderWith } from '../support/folder-with.ts'

// A file system without hard links cannot be mounted by a test.
vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  link: () => Promise.reject(Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })),
}))

test('Where there are no hard links a private file is created once all the same', async () => {
  const folder = folderWith()
  for (let round = 0; round < 20; round++) {
    const path = join(folder, `keys-${round}`)
    const standing = await Promise.all(Array.from({ length: 12 }, (_, n) => createOrRead(path, `text ${n}`)))
    expect(new Set(standing).size).toBe(1)
    expect(readFileSync(path, 'utf8')).toBe(standing[0])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  }
  expect(readdirSync(folder)).toHaveLength(20)
})

test('Where there are no hard links a file that is still being written is waited for', async () => {
  const file = join(folderWith({ keys: '' }), 'keys')
  const standing = createOrRead(file, 'mine')
  setTimeout(() => writeFileSync(file, 'written later'), 120)
  expect(await standing).toBe('written later')
})
