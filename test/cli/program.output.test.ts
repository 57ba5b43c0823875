import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { buildCli } from './built-cli.ts'

const { packageFolder, run } = buildCli()

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
