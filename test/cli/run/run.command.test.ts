import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claims, useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { buildCli } from '../built-cli.ts'

const { run, launch, packageFolder } = await buildCli()

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-command-'))
  write('teen.yaml', 'name: A teen\nsteps:\n  - decide: { flow: use, persona: teen-16 }\n')
  write(
    'twice.yaml',
    'name: Twice\nsteps:\n  - decide: { flow: use, persona: child-12 }\n  - decide: { flow: use, persona: teen-16 }\n',
  )
  write('app.mjs', APP)
})
afterEach(() => rmSync(cwd, { recursive: true }))

const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)

const QUERY = new URLSearchParams(useRequest({ claims: claims({ age_thresholds: [18] }) })).toString()

/** The tests of an app: they send one Use request, print their environment and end with the code that they are given. */
const APP = `
await fetch(process.env.AGEKEY_SANDBOX_URL + '/v1/oidc/use?${QUERY}', { redirect: 'manual' })
const { AGEKEY_SANDBOX_URL: url, AGEKEY_SANDBOX_CLIENT_ID: id, AGEKEY_SANDBOX_CLIENT_SECRET: secret } = process.env
console.log('app', url, id, secret)
process.exit(Number(process.argv[2]))
`

const runApp = (file: string, code: number, ...flags: string[]) =>
  run(['run', file, '--port', '0', ...flags, '--', process.execPath, 'app.mjs', String(code)], { cwd })

describe('run FILE -- COMMAND', () => {
  test('runs the command with the address and the credentials, and ends with 0 when both are well', async () => {
    const { code, stdout, stderr } = await runApp('teen.yaml', 0)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [, baseUrl] = /base URL +(\S+)/.exec(stdout) ?? []
    expect(stdout).toContain(`app ${baseUrl} ak_test_sandbox sk_test_sandbox\n`)
    expect(stdout).toContain('✓ 1 decide use as teen-16')
    expect(stdout).toContain('✓ the command ended with code 0')
    expect(stdout).toMatch(/^passed: 1 scenario/m)
  })

  test('ends with the code of a command that fails, although every step passed', async () => {
    const { code, stdout } = await runApp('teen.yaml', 7)
    expect(code).toBe(7)
    expect(stdout).toContain('✗ the command ended with code 7')
    expect(stdout).toMatch(/^failed: 1 scenario, steps 1 passed, 0 failed/m)
  })

  test('ends with 1 and names the step that the command has not reached', async () => {
    const { code, stdout } = await runApp('twice.yaml', 0, '--timeout', '300')
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ 2 decide use as teen-16 .*\n +not reached: the command ended with code 0\n/)
  })

  test('prints events as JSON with --json, and the output of the command on stderr', async () => {
    const { code, stdout, stderr } = await runApp('teen.yaml', 0, '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^app http/) })
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.filter(({ event }) => event === 'command')).toMatchObject([
      { status: 'started', command: [process.execPath, 'app.mjs', '0'] },
      { status: 'ended', code: 0 },
    ])
    expect(events.at(-1)).toEqual({ event: 'end', passed: true })
  })

  test('gives the command the base URL of a tenant of the sandbox at --url', async () => {
    const { url, baseUrl } = await startSandbox()
    const { code, stdout } = await runApp('teen.yaml', 0, '--url', url, '--tenant', 'ci-1')
    expect(code).toBe(0)
    expect(stdout).toContain(`app ${baseUrl}/t/ci-1 ak_test_sandbox sk_test_sandbox\n`)
  })

  test('lets the command call agekey-sandbox itself, which asks the sandbox of the run', async () => {
    const cli = launch(
      [
        'run',
        'teen.yaml',
        '--port',
        '0',
        '--',
        'sh',
        '-c',
        `"${process.execPath}" app.mjs 0 && "${process.execPath}" "$CLI" explain f1`,
      ],
      { cwd, env: { CLI: join(packageFolder, 'dist/bin.js') } },
    )
    const { code, stdout } = await cli.ended
    expect(code).toBe(0)
    expect(stdout).toContain('f1 use ok: teen-16: 18 no')
  })
})

/** A program that starts another one, which would write a file after a while. */
const LINGERING = ['sh', '-c', '(trap "" INT; sleep 3; echo late > late.txt) & echo started; wait']

describe('the programs of the command are ended', () => {
  test('when nothing meets a step in its time; the exit code is 1', async () => {
    const { code, stdout } = await run(['run', 'teen.yaml', '--port', '0', '--timeout', '0.5', '--', ...LINGERING], {
      cwd,
    })
    expect(code).toBe(1)
    expect(stdout).toContain('no use request came within 0.5 seconds')
    await expectNothingLate()
  })

  test('when Ctrl-C interrupts the run; the exit code is 130', async () => {
    const { child, ended } = launch(['run', 'teen.yaml', '--port', '0', '--', ...LINGERING], { cwd })
    child.stdout.on('data', (text) => {
      if (String(text).includes('started')) child.kill('SIGINT')
    })
    expect((await ended).code).toBe(130)
    await expectNothingLate()
  })

  /** What lingers would have written by then; a program that was started later says that the time has passed. */
  async function expectNothingLate() {
    const { ended } = launch(['--version'], { cwd, before: 'sleep 4' })
    await ended
    expect(existsSync(join(cwd, 'late.txt'))).toBe(false)
  }
})

test.each([
  [['run', 'teen.yaml', '--'], 'error: --: a command must follow, for example -- npm test\n'],
  [['run', '--', 'npm', 'test'], 'error: run: a scenario file must stand before --\n'],
])('%j ends with one line on stderr and exit code 1', async (args, stderr) => {
  expect(await run(args, { cwd })).toEqual({ code: 1, stdout: '', stderr })
})

test('a command that is not there is said so, with the exit code of shells', async () => {
  const { code, stdout } = await run(['run', 'teen.yaml', '--port', '0', '--', './absent'], { cwd })
  expect(code).toBe(127)
  expect(stdout).toContain('✗ the command cannot be run (ENOENT)')
})
