import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { buildCli } from './built-cli.ts'

const { packageFolder, run } = await buildCli()

const COMMANDS = [
  ['--help'],
  ['--version'],
  ['outcomes'],
  ['outcomes', '--json'],
  ['personas'],
  ['personas', 'show', 'teen-16'],
]

describe('A command whose answer', () => {
  test.each(COMMANDS)('cannot be written says so in one line, with exit code 1: %s %s %s', async (...args) => {
    expect(await run(args, { before: 'exec >/dev/full' })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: stdout: the answer cannot be written: ENOSPC: no space left on device, write\n',
    })
  })

  test.each(COMMANDS)('is not read to its end ends quietly, with exit code 0: %s %s %s', (...args) => {
    const script = '{ "$0" dist/bin.js "$@"; echo "exit code $?" >&2; } | true'
    const { stderr } = spawnSync('sh', ['-c', script, process.execPath, ...args], {
      cwd: packageFolder,
      encoding: 'utf8',
    })
    expect(stderr).toBe('exit code 0\n')
  })

  test('has no place at all, on stdout or stderr, ends with exit code 1', async () => {
    expect(await run(['outcomes'], { before: 'exec >/dev/full 2>/dev/full' })).toMatchObject({ code: 1 })
  })
})

/** No file can grow, as on a full disk. */
const FULL = "trap '' XFSZ; ulimit -f 0"

describe('On a full disk', () => {
  const emptyFolder = () => {
    const cwd = mkdtempSync(join(tmpdir(), 'agekey-full-'))
    onTestFinished(() => rmSync(cwd, { recursive: true }))
    return cwd
  }

  test('init says so in one line and leaves no file that is cut off', async () => {
    const cwd = emptyFolder()
    expect(await run(['init'], { cwd, before: FULL })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: agekey-sandbox.yaml: cannot be written (EFBIG: file too large, write)\n',
    })
    expect(readdirSync(cwd)).toEqual([])
  })

  test('run says in one line that its report cannot be written, with exit code 1', async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, 'clock.yaml'), 'name: Clock\nsteps:\n  - clock: { advance: 1 }\n')
    const flags = ['run', 'clock.yaml', '--state-dir', 'none', '-p', '0']
    expect(await run(flags, { cwd })).toMatchObject({ code: 0, stderr: '' })
    expect(await run([...flags, '--junit', 'report.xml'], { cwd, before: FULL })).toMatchObject({
      code: 1,
      stderr: 'error: --junit: report.xml cannot be written: EFBIG: file too large, write\n',
    })
  })

  test('start says in one line that its state cannot be written, with exit code 1', async () => {
    const cwd = emptyFolder()
    expect(await run(['-p', '0', '--state-dir', 'state'], { cwd, before: FULL })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: \S+state: the state folder cannot be written: EFBIG[^\n]*--state-dir\.\n$/,
      ),
    })
  })
})
