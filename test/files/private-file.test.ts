import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createOrRead, replaceFile } from '../../src/files/private-file.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agekey-private-'))
  file = join(folder, 'keys')
})
afterEach(() => rmSync(folder, { recursive: true }))

const modeOf = (path: string) => statSync(path).mode & 0o777

describe('A private file', () => {
  test('is created once by all that do so at the same time, and all get what stands in it', async () => {
    for (let round = 0; round < 20; round++) {
      const path = `${file}-${round}`
      const texts = Array.from({ length: 12 }, (_, n) => `text ${n}`)
      const standing = await Promise.all(texts.map((text) => createOrRead(path, text)))
      expect(new Set(standing).size).toBe(1)
      expect(readFileSync(path, 'utf8')).toBe(standing[0])
    }
    expect(readdirSync(folder)).toHaveLength(20)
  })

  test('is for its owner only, and stays as it is for a later one', async () => {
    expect(await createOrRead(file, 'first')).toBe('first')
    expect(modeOf(file)).toBe(0o600)
    expect(await createOrRead(file, 'second')).toBe('first')
    expect(readdirSync(folder)).toEqual(['keys'])
  })

  test('is replaced at once, with its new mode', async () => {
    writeFileSync(file, 'old', { mode: 0o600 })
    await replaceFile(file, 'new', { mode: 0o644 })
    expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['new', 0o644])
    expect(readdirSync(folder)).toEqual(['keys'])
  })

  test('is not made where a link to nothing stands, and the target is not made either', async () => {
    symlinkSync(join(folder, 'elsewhere'), file)
    await expect(createOrRead(file, 'text')).rejects.toThrow('it is a link to a file that does not exist')
    expect(readdirSync(folder)).toEqual(['keys'])
  })

  test('is read through a link to another file', async () => {
    writeFileSync(join(folder, 'elsewhere'), 'there')
    symlinkSync(join(folder, 'elsewhere'), file)
    expect(await createOrRead(file, 'text')).toBe('there')
  })

  test('that replaces a link leaves the target of the link alone', async () => {
    writeFileSync(join(folder, 'elsewhere'), 'there')
    symlinkSync(join(folder, 'elsewhere'), file)
    await replaceFile(file, 'new', { mode: 0o600 })
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('there')
  })

  test('takes away the drafts of processes that were killed long ago, and no others', async () => {
    for (const name of ['keys.left.tmp', 'keys.fresh.tmp', 'others.left.tmp', 'keys.left']) {
      writeFileSync(join(folder, name), '')
    }
    const longAgo = new Date(Date.now() - 120_000)
    for (const name of ['keys.left.tmp', 'others.left.tmp', 'keys.left']) {
      utimesSync(join(folder, name), longAgo, longAgo)
    }
    await createOrRead(file, 'text')
    expect(readdirSync(folder).sort()).toEqual(['keys', 'keys.fresh.tmp', 'keys.left', 'others.left.tmp'])
  })

  test('leaves no draft when its folder is missing', async () => {
    await expect(createOrRead(join(folder, 'gone/keys'), 'text')).rejects.toMatchObject({ code: 'ENOENT' })
    expect(existsSync(join(folder, 'gone'))).toBe(false)
  })
})
