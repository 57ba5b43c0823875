import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { createOrRead, replaceFile } from '../../../src/sandbox/files/private-file.ts'
import { folderWith } from '../../support/folder-with.ts'

// A file system without hard links cannot be mounted by a test.
const disk = { hasLinks: true }
afterEach(() => {
  disk.hasLinks = true
})
vi.mock('node:fs/promises', async (original) => {
  const actual = await original<typeof import('node:fs/promises')>()
  const refusal = Object.assign(new Error('EPERM: operation not permitted, link'), {
    code: 'EPERM',
  })
  const link: typeof actual.link = (...paths) =>
    disk.hasLinks ? actual.link(...paths) : Promise.reject(refusal)
  return { ...actual, link }
})

const contentOf = (path: string) => ({
  text: readFileSync(path, 'utf8'),
  mode: statSync(path).mode & 0o777,
})

test.each([
  ['with', true],
  ['without', false],
])(
  'On a disk %s hard links all that create a private file at the same time get what stands in it',
  async (_, has) => {
    disk.hasLinks = has
    const folder = folderWith()
    for (let round = 0; round < 20; round++) {
      const path = join(folder, `keys-${round}`)
      const standing = await Promise.all(
        Array.from({ length: 12 }, (_, n) => createOrRead(path, `text ${n}`)),
      )
      expect(new Set(standing)).toHaveProperty('size', 1)
      expect(contentOf(path)).toEqual({ text: standing[0], mode: 0o600 })
    }
    expect(readdirSync(folder)).toHaveLength(20)
  },
)

test('A private file keeps its content when it is created again', async () => {
  const folder = folderWith()
  const file = join(folder, 'keys')
  expect(await createOrRead(file, 'first')).toBe('first')
  expect(await createOrRead(file, 'second')).toBe('first')
})

test('A private file is replaced with the new mode', async () => {
  const folder = folderWith()
  const file = join(folder, 'keys')
  expect(await createOrRead(file, 'first')).toBe('first')
  await replaceFile(file, 'new', { mode: 0o644 })
  expect(contentOf(file)).toEqual({ text: 'new', mode: 0o644 })
  expect(readdirSync(folder)).toEqual(['keys'])
})

test('A private file is not made in a missing folder, nor where a link to nothing stands, whose target is not made either', async () => {
  const folder = folderWith()
  await expect(createOrRead(join(folder, 'gone/keys'), 'text')).rejects.toMatchObject({
    code: 'ENOENT',
  })
  expect(readdirSync(folder)).toEqual([])
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'keys'))
  const creation = createOrRead(join(folder, 'keys'), 'text')
  await expect(creation).rejects.toThrow('it is a link to a file that does not exist')
  expect(readdirSync(folder)).toEqual(['keys'])
})

test('A private file is read through a link, whose target stays as it is when the link is replaced', async () => {
  const folder = folderWith({ elsewhere: 'there' })
  const file = join(folder, 'keys')
  symlinkSync(join(folder, 'elsewhere'), file)
  expect(await createOrRead(file, 'text')).toBe('there')
  await replaceFile(file, 'new', { mode: 0o600 })
  expect(readFileSync(file, 'utf8')).toBe('new')
  expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('there')
})

test('A private file that cannot be replaced leaves no draft of the new one', async () => {
  const folder = folderWith()
  mkdirSync(join(folder, 'keys'))
  await expect(replaceFile(join(folder, 'keys'), 'new', { mode: 0o600 })).rejects.toMatchObject({
    code: 'EISDIR',
  })
  expect(readdirSync(folder)).toEqual(['keys'])
})

test('The creation of a private file removes only the old drafts of this file', async () => {
  const old = ['keys.left.tmp', 'others.left.tmp', 'keys.left']
  const folder = folderWith(
    Object.fromEntries([...old, 'keys.fresh.tmp'].map((name) => [name, ''])),
  )
  const longAgo = new Date(Date.now() - 120_000)
  for (const name of old) utimesSync(join(folder, name), longAgo, longAgo)
  await createOrRead(join(folder, 'keys'), 'text')
  expect(readdirSync(folder).sort()).toEqual([
    'keys',
    'keys.fresh.tmp',
    'keys.left',
    'others.left.tmp',
  ])
})

test('On a disk without hard links a private file that is still being written is waited for', async () => {
  disk.hasLinks = false
  const file = join(folderWith({ keys: '' }), 'keys')
  const standing = createOrRead(file, 'mine')
  setTimeout(() => writeFileSync(file, 'written later'), 120)
  expect(await standing).toBe('written later')
})
