import { execFileSync } from 'node:child_process'
import { renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { changedPaths, readFileStates } from '../../../src/sandbox/files/file-states.ts'
import { folderWith } from '../../support/folder-with.ts'

const isYaml = ({ name }: { name: string }) => name.endsWith('.yaml')

/** The names of what an act changes, in a folder with `a.yaml` and `b.txt`. */
async function changedBy(
  act: (folder: string) => void,
  look = (folder: string) => [folder, join(folder, 'config')],
) {
  const folder = folderWith({ 'a.yaml': 'a', 'b.txt': 'b', 'other/c.yaml': 'c' })
  const before = await readFileStates(look(folder), isYaml)
  act(folder)
  const changed = changedPaths(before, await readFileStates(look(folder), isYaml))
  return changed.map((path) => path.slice(folder.length + 1))
}

const TIME = new Date('2026-01-01')

test.each<[string, readonly string[], (folder: string) => void]>([
  ['nothing', [], () => {}],
  ['writing a file', ['a.yaml'], (folder) => writeFileSync(join(folder, 'a.yaml'), 'aa')],
  ['adding a file', ['d.yaml'], (folder) => writeFileSync(join(folder, 'd.yaml'), 'd')],
  ['deleting a file', ['a.yaml'], (folder) => rmSync(join(folder, 'a.yaml'))],
  [
    'writing a file that does not count',
    [],
    (folder) => writeFileSync(join(folder, 'b.txt'), 'bb'),
  ],
  ['writing a named file', ['config'], (folder) => writeFileSync(join(folder, 'config'), 'x')],
  [
    'replacing a missing file by a link in a circle',
    ['config'],
    (folder) => symlinkSync('config', join(folder, 'config')),
  ],
  [
    'renaming a file over another one',
    ['a.yaml'],
    (folder) => renameSync(join(folder, 'other/c.yaml'), join(folder, 'a.yaml')),
  ],
  [
    'writing a file of another size with the same time',
    ['a.yaml'],
    (folder) => {
      writeFileSync(join(folder, 'a.yaml'), 'aa')
      utimesSync(join(folder, 'a.yaml'), TIME, TIME)
    },
  ],
])('By %s the files %j change', async (_what, names, act) => {
  expect(await changedBy(act)).toEqual(names)
})

test('A folder that is moved away takes its files with it', async () => {
  const changed = await changedBy(
    (folder) => renameSync(join(folder, 'other'), join(folder, 'away')),
    (folder) => [join(folder, 'other')],
  )
  expect(changed).toEqual(['other', 'other/c.yaml'])
})

test('A pipe never changes, because its text can be read only once', async () => {
  const pipe = join(folderWith(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const before = await readFileStates([pipe])
  utimesSync(pipe, TIME, TIME)
  expect(changedPaths(before, await readFileStates([pipe]))).toEqual([])
})
