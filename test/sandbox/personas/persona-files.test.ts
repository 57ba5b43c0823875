import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigError } from '../../../src/sandbox/files/config-error.ts'
import { loadPersonas } from '../../../src/sandbox/personas/load-personas.ts'
import { readPersonaFile, readPersonas } from '../../../src/sandbox/personas/persona-files.ts'
import { hostileYaml } from '../../support/hostile-yaml.ts'

const yaml = (name: string, title = 'Mine') =>
  `name: ${name}\ntitle: ${title}\npurpose: For tests.\n`

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'personas-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(file: string, text: string): string {
  writeFileSync(join(folder, file), text)
  return join(folder, file)
}

function complaintAbout(...paths: string[]): string[] {
  try {
    readPersonas(paths)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(folder, '.').split('\n')
    throw error
  }
  return []
}

test('The persona files of a folder are read in the order of their names', () => {
  write('b.yml', yaml('first'))
  write('a.yaml', yaml('second'))
  write('c.YAML', yaml('third'))
  write('README.md', '# no persona')
  mkdirSync(join(folder, 'deeper.yaml'))
  expect(readPersonas([folder]).map(({ name }) => name)).toEqual(['second', 'first', 'third'])
})

test('A persona file that is named three times is read once', () => {
  const file = write('b.yml', yaml('first'))
  write('a.yaml', yaml('second'))
  write('c.YAML', yaml('third'))
  write('README.md', '# no persona')
  mkdirSync(join(folder, 'deeper.yaml'))
  expect(readPersonas([file, folder, `${folder}/`])).toHaveLength(3)
})

test('A persona file may have any ending', () => {
  const [mia] = readPersonaFile(write('mia.txt', yaml('mia')))
  expect(mia).toEqual({ name: 'mia', title: 'Mine', purpose: 'For tests.' })
})

test('Hidden files of editors in a folder of personas are not read', () => {
  write('a.yaml', yaml('a'))
  write('._a.yaml', 'no persona: [')
  symlinkSync('someone@machine.123', join(folder, '.#a.yaml'))
  expect(readPersonas([folder]).map(({ name }) => name)).toEqual(['a'])
})

test('A folder that may be empty has no personas when it is', () => {
  expect(readPersonas([folder], [folder])).toEqual([])
})

test('Persona files are named in a complaint by the path that was given', () => {
  write('a.yaml', 'name: 5')
  const given = relative(process.cwd(), folder)
  expect(() => readPersonas([given])).toThrow(`${given}/a.yaml:1: name: expected a text, found 5`)
})

test('Persona files may hold several personas in a list, as YAML or JSON', () => {
  const mia = yaml('mia').trim().replaceAll('\n', '\n    ')
  write('a.yaml', `personas:\n  - ${mia}\n  - { name: ben, title: B, purpose: P }`)
  write('b.yaml', JSON.stringify({ personas: [{ name: 'zoe', title: 'Z', purpose: 'P' }] }))
  write('c.yaml', '- { name: lea, title: L, purpose: P }\n- { name: tom, title: T, purpose: P }')
  expect(readPersonas([folder]).map(({ name }) => name)).toEqual([
    'mia',
    'ben',
    'zoe',
    'lea',
    'tom',
  ])
})

test('A persona in a list is refused by its line', () => {
  write(
    'a.yaml',
    'personas:\n  - { name: mia, title: M, purpose: P }\n  - name: ben\n    title: B\n',
  )
  expect(complaintAbout(folder)).toEqual([
    './a.yaml:3: personas[1].purpose: is missing; expected a text',
  ])
})

test('Two personas of a file cannot have one name', () => {
  write(
    'a.yaml',
    'personas:\n  - { name: mia, title: M, purpose: P }\n  - { name: mia, title: M, purpose: P }\n',
  )
  const twice =
    './a.yaml:3: personas[1].name: "mia" is the name of personas[0] too; rename one of them'
  expect(complaintAbout(folder)).toEqual([twice])
})

test('A file may be a list of personas', () => {
  write('a.yaml', '- { name: mia, title: M, purpose: P }\n- name: ben\n  title: B\n')
  expect(complaintAbout(folder)).toEqual(['./a.yaml:2: [1].purpose: is missing; expected a text'])
})

test('A file needs at least one persona', () => {
  write('a.yaml', 'personas: []\n')
  expect(complaintAbout(folder)).toEqual([
    './a.yaml:1: personas: expected at least 1 item, found a list of 0',
  ])
})

test('Two persona files cannot declare one name', () => {
  for (const file of ['a.yaml', 'b.yaml']) write(file, yaml('mia'))
  expect(complaintAbout(folder)).toEqual([
    './b.yaml: name: "mia" is declared in ./a.yaml too; rename one of them',
  ])
})

test('A persona file replaces the built-in persona of the same name', async () => {
  write('a.yaml', yaml('teen-16'))
  write('b.yaml', yaml('mia'))
  const builtIn = (await loadPersonas()).map(({ name }) => name)
  const loaded = await loadPersonas([folder])
  expect(loaded.map(({ name }) => name)).toEqual([...builtIn, 'mia'])
  expect(loaded.find(({ name }) => name === 'teen-16')).toMatchObject({ title: 'Mine' })
})

test('Persona files are all complained about at once', () => {
  write('a.yaml', 'name: a\ntitel: A\n')
  write('b.yaml', '')
  write('c.yaml', yaml('mia'))
  expect(complaintAbout(folder, join(folder, 'gone.yaml'))).toEqual([
    './gone.yaml: no such file or folder',
    './a.yaml:1: purpose: is missing; expected a text',
    './a.yaml:2: titel: unknown key. Did you mean "title"?',
    './b.yaml:1: the file is empty',
  ])
})

test('A persona file that is no UTF-8 is named with the line, beside the mistakes of others', () => {
  writeFileSync(
    join(folder, 'a.yaml'),
    Buffer.from('name: mia\ntitle: M\xFCller\npurpose: P\n', 'latin1'),
  )
  writeFileSync(join(folder, 'b.yaml'), Buffer.from(`\uFEFF${yaml('ben')}`, 'utf16le'))
  const [first, second, ...others] = complaintAbout(folder)
  expect(first).toMatch(/^\.\/a\.yaml:2: the byte 0xFC \(ü in Latin-1\) is not UTF-8; /)
  expect(second).toMatch(/^\.\/b\.yaml: is UTF-16 \(PowerShell's > writes that\); /)
  expect(others).toEqual([])
})

test('Hostile persona files are refused, or read as personas', () => {
  for (const [name, text] of hostileYaml(801)) {
    write('a.yaml', text)
    expect(complaintAbout(folder).join(), name).toMatch(/^\.\/a\.yaml/)
  }
})

test('A folder without persona files is refused', () => {
  const none = '.: holds no *.yaml file; write one persona per file, or a list under personas'
  expect(complaintAbout(folder)).toEqual([none])
})

test('A persona file that cannot be read is refused with the reason', () => {
  const file = write('a.yaml', yaml('mia'))
  expect(complaintAbout(join(file, 'inside')).join()).toMatch(
    /^\.\/a\.yaml\/inside: cannot be read: ENOTDIR/,
  )
})
