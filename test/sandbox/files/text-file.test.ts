import { execFileSync } from 'node:child_process'
import { chmodSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { messageOf } from '../../../src/sandbox/files/caught.ts'
import { readTextFile, readTextIfThere, requireText } from '../../../src/sandbox/files/text-file.ts'
import { folderWith } from '../../support/folder-with.ts'

const MIB = 1024 * 1024

function complaintAbout(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    return messageOf(error)
  }
  return 'no complaint'
}

test('A text file is read without the byte order mark of an editor', () => {
  const folder = folderWith({ 'a.yaml': '\uFEFFname: ü\n' })
  expect(requireText(join(folder, 'a.yaml'))).toBe('name: ü\n')
})

test('A text file of 1 MiB is read', () => {
  const folder = folderWith({ 'a.yaml': 'x'.repeat(MIB) })
  expect(requireText(join(folder, 'a.yaml'))).toHaveLength(MIB)
})

test('A larger file is refused by its size', () => {
  const file = join(folderWith({ 'a.yaml': 'x'.repeat(MIB + 1) }), 'a.yaml')
  const message = `${file}: has 1048577 bytes, and 1048576 are read at most; name a smaller file, or split it`
  expect(complaintAbout(() => requireText(file))).toBe(message)
})

test('A file that is much too large is refused without being read', () => {
  const file = join(folderWith({ 'a.yaml': '' }), 'a.yaml')
  truncateSync(file, 1024 * MIB)
  expect(readTextFile(file)).toMatchObject({
    reason: expect.stringMatching(/^has 1073741824 bytes/),
  })
})

test.skipIf(process.platform === 'win32')('A device that never ends is refused', () => {
  expect(readTextFile('/dev/zero')).toMatchObject({
    reason: expect.stringMatching(/^has more than 1048576 bytes/),
  })
})

test('A larger file is read where more is allowed', () => {
  const file = join(folderWith({ 'a.json': 'x'.repeat(MIB + 1) }), 'a.json')
  expect(readTextIfThere(file, { maxBytes: 2 * MIB })).toHaveLength(MIB + 1)
})

test('A file that does not exist is named as such', () => {
  const file = join(folderWith(), 'a.yaml')
  expect(complaintAbout(() => requireText(file))).toBe(`${file}: no such file`)
})

test('A file that may be missing has no text', () => {
  expect(readTextIfThere(join(folderWith(), 'a.yaml'))).toBeUndefined()
})

test('A folder is no file', () => {
  const folder = folderWith()
  expect(complaintAbout(() => readTextIfThere(folder))).toBe(
    `${folder}: is a folder; name a file in it`,
  )
})

test.skipIf(process.getuid?.() === 0)('A file that this user may not read is named as such', () => {
  const file = join(folderWith({ 'a.yaml': 'a' }), 'a.yaml')
  chmodSync(file, 0o000)
  expect(complaintAbout(() => requireText(file))).toBe(
    `${file}: cannot be read: permission denied; let this user read it`,
  )
})

test.skipIf(process.platform === 'win32')('A pipe is read to its end', () => {
  const file = join(folderWith(), 'pipe')
  execFileSync('mkfifo', [file])
  const reader = `import { requireText } from ${JSON.stringify(new URL('../../../src/sandbox/files/text-file.ts', import.meta.url))}
    process.stdout.write(String(requireText(${JSON.stringify(file)}).length))`
  const command = `head -c 200000 /dev/zero | tr '\\0' x > ${file} & exec "$0" --import tsx --input-type=module -e "$1"`
  expect(execFileSync('sh', ['-c', command, process.execPath, reader], { encoding: 'utf8' })).toBe(
    '200000',
  )
})

test('The line of a byte that is no UTF-8 stands behind the name of the file', () => {
  const file = join(folderWith(), 'a.yaml')
  writeFileSync(file, Buffer.from('a: b\ntitle: M\xFCller\n', 'latin1'))
  expect(complaintAbout(() => requireText(file))).toMatch(
    /a\.yaml:2: the byte 0xFC \(ü in Latin-1\) is not UTF-8; /,
  )
})
