import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../../support/folder-with.ts'
import { buildCli } from './built-cli.ts'

const { run, packageFolder } = await buildCli()

const BIN = [process.execPath, `${packageFolder}/dist/bin.js`].map((part) => `'${part}'`).join(' ')

/** Output of the parser, many lines, and one text that no pipe can hold. */
const COMMANDS = ['--help', 'outcomes', 'outcomes --json']

test.each(COMMANDS)(
  'A command that cannot write its answer says so in one line and ends with 1: %s',
  async (args) => {
    const stderr =
      'error: stdout: the answer cannot be written: ENOSPC: no space left on device, write\n'
    expect(await run(args.split(' '), { before: 'exec >/dev/full' })).toEqual({
      code: 1,
      stdout: '',
      stderr,
    })
  },
)

test.each(COMMANDS)(
  'A command whose answer is not read to the end ends quietly with exit code 0: %s',
  async (args) => {
    const before = `{ ${BIN} ${args}; echo "exit code $?" >&2; } | true; exit`
    expect(await run([], { before })).toEqual({ code: 0, stdout: '', stderr: 'exit code 0\n' })
  },
)

test('A command whose answer has no place on stdout or stderr ends with exit code 1', async () => {
  expect(await run(['outcomes'], { before: 'exec >/dev/full 2>/dev/full' })).toMatchObject({
    code: 1,
  })
})

test('A command leaves colours out where there is no terminal, unless colours are forced', async () => {
  expect((await run(['personas'])).stdout).not.toContain('\u001b')
  expect((await run(['personas'], { env: { FORCE_COLOR: '1' } })).stdout).toContain('\u001b[1m')
})

/** No file can grow, as on a full disk. */
const FULL = "trap '' XFSZ; ulimit -f 0"
const RUN = 'run clock.yaml --state-dir none -p 0 --log silent'

test.each([
  ['init', /agekey-sandbox\.yaml: cannot be written \(EFBIG: file too large, write\)/],
  [
    `${RUN} --junit report.xml`,
    /--junit: report\.xml cannot be written: EFBIG: file too large, write/,
  ],
  [
    '-p 0 --state-dir state',
    /\S+state: the state folder cannot be written: EFBIG[^\n]*--state-dir\./,
  ],
])(
  'On a full disk "%s" says in one line what cannot be written, with exit code 1',
  async (args, line) => {
    const cwd = folderWith({ 'clock.yaml': 'name: Clock\nsteps:\n  - clock: { advance: 1 }\n' })
    const stderr = expect.stringMatching(new RegExp(`^error: ${line.source}\n$`))
    expect(await run(args.split(' '), { cwd, before: FULL })).toEqual({
      code: 1,
      stdout: '',
      stderr,
    })
    // A part of a config file would be taken for the whole.
    expect(existsSync(join(cwd, 'agekey-sandbox.yaml'))).toBe(false)
  },
)
