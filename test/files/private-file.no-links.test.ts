import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createOrRead } from '../../src/files/private-file.ts'

// A file system without hard links cannot be mounted by a test.
vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  link: () => Promise.reject(Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })),
}))

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agekey-no-links-'))
  file = join(folder, 'keys')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('Where there are no hard links a private file is created once all the same', async () => {
  for (let round = 0; round < 20; round++) {
    const path = `${file}-${round}`
    const texts = Array.from({ length: 12 }, (_, n) => `text ${n}`)
    const standing = await Promise.all(texts.map((text) => createOrRead(path, text)))
    expect(new Set(standing).size).toBe(1)
    expect(readFileSync(path, 'utf8')).toBe(standing[0])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  }
  expect(readdirSync(folder)).toHaveLength(20)
})

test('Where there are no hard links a file that is still being written is waited for', async () => {
  writeFileSync(file, '')
  const standing = createOrRead(file, 'mine')
  setTimeout(() => writeFileSync(file, 'written later'), 120)
  expect(await standing).toBe('written later')
})
