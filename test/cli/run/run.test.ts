import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claims, pushedRequest, useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { buildCli } from '../built-cli.ts'

const { run, start } = await buildCli()

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-run-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)

const TEEN = `name: A teen
steps:
  - decide: { flow: use, persona: teen-16 }
    expect: { claims: { age_thresholds: [18] } }
`

/** Starts `run` with a sandbox of its own and gives its address. */
async function startRun(args: readonly string[]) {
  const { child, output, ended } = await start(['run', '--port', '0', '--log', 'json', ...args], { cwd })
  const [line = ''] = output.split('\n')
  const { url } = JSON.parse(line) as { url: string }
  return { child, ended, url, use: (changes = {}) => visit(url, changes) }
}

const visit = (url: string, changes = {}) =>
  fetch(
    `${url}/v1/oidc/use?${new URLSearchParams(useRequest({ claims: claims({ age_thresholds: [18] }), ...changes }))}`,
    {
      redirect: 'manual',
    },
  )

const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('in a sandbox of its own', () => {
  test('each step is reported as it happens, and the exit code is 0 when all have passed', async () => {
    write('a.yaml', TEEN)
    write('b.yaml', 'name: Pushed\nsteps:\n  - clock: { advance: 10 }\n  - await: par\n')
    const { ended, url, use } = await startRun(['a.yaml', 'b.yaml'])
    await use()
    const push = () =>
      fetch(`${url}/v1/oidc/create/par`, { method: 'POST', body: new URLSearchParams(pushedRequest()) })
    await expect
      .poll(
        async () =>
          push().then(
            () => ended.then(({ code }) => code),
            () => 'closed',
          ),
        { timeout: 5000 },
      )
      .toBe(0)
    const { code, stdout, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(
      jsonLines(stdout).map(({ event, step, status, name, passed }) => ({ event, step, status, name, passed })),
    ).toEqual([
      { event: 'ready' },
      { event: 'scenario', name: 'A teen' },
      { event: 'waiting', step: 1 },
      { event: 'step', step: 1, status: 'passed' },
      { event: 'scenario', name: 'Pushed' },
      { event: 'step', step: 1, status: 'passed' },
      { event: 'waiting', step: 2 },
      { event: 'step', step: 2, status: 'passed' },
      { event: 'end', passed: true },
    ])
  })

  test('the first step that fails ends it with exit code 1; what follows is skipped', async () => {
    write('a.yaml', `${TEEN}  - await: par\n`)
    write('b.yaml', TEEN)
    const { ended, use } = await startRun(['a.yaml', 'b.yaml', '--junit', 'report.xml'])
    await use({ claims: claims({ age_thresholds: [21] }) })
    const { code, stdout } = await ended
    expect(code).toBe(1)
    expect(jsonLines(stdout).filter(({ event }) => event === 'step')).toMatchObject([
      {
        step: 1,
        status: 'failed',
        mismatches: [{ path: 'claims.age_thresholds[0]', expected: '18', came: '21' }],
      },
      { step: 2, status: 'skipped' },
    ])
    const report = readFileSync(join(cwd, 'report.xml'), 'utf8')
    expect(report).toMatch(/tests="3" failures="1" errors="0" skipped="2"/)
    expect(report).toContain('expected 18, came 21')
  })

  test('a step that nothing meets fails when its time is over', async () => {
    write('a.yaml', TEEN)
    const result = await run(['run', 'a.yaml', '--port', '0', '--timeout', '0.2'], { cwd })
    expect(result).toMatchObject({ code: 1, stderr: '' })
    expect(result.stdout).toContain('client_id')
    expect(result.stdout).toContain('✗ 1 decide use as teen-16')
    expect(result.stdout).toContain('no use request came within 0.2 seconds')
    expect(result.stdout).not.toContain('\u001b')
  })

  test('SIGINT ends it at once', async () => {
    write('a.yaml', TEEN)
    const { child, ended } = await startRun(['a.yaml'])
    child.kill('SIGINT')
    // The step itself would wait for a minute.
    expect((await ended).code).toBe(130)
  })
})

describe('in a sandbox that runs already', () => {
  test('a tenant of it can be named, and nothing stays armed', async () => {
    const sandbox = await startSandbox()
    write('a.yaml', TEEN)
    const ended = run(['run', 'a.yaml', '--url', sandbox.url, '--tenant', 'ci-1'], { cwd })
    const tenant = sandbox.tenant('ci-1')
    await expect.poll(async () => (await tenant.scenarios.list()).length, { timeout: 5000 }).toBe(1)
    await visit(`${sandbox.url}/t/ci-1`)
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    expect(await tenant.scenarios.list()).toEqual([])
  })

  test('a reset by another client is reported', async () => {
    const sandbox = await startSandbox()
    write('a.yaml', TEEN)
    const ended = run(['run', 'a.yaml', '--url', sandbox.url], { cwd })
    await expect.poll(async () => (await sandbox.scenarios.list()).length, { timeout: 5000 }).toBe(1)
    await sandbox.reset()
    expect(await ended).toMatchObject({ code: 1, stdout: expect.stringContaining('the sandbox was reset') })
  })
})

describe('what cannot run is one line and exit code 1:', () => {
  test.each([
    [
      'a mistake in a file',
      ['a.yaml'],
      /a\.yaml:3: steps\[0\]\.decide\.persona: there is no persona "teen-61"\. Did you mean "teen-16"\?/,
    ],
    ['no such file', ['b.yaml'], /b\.yaml: no such file/],
    ['a bad timeout', ['a.yaml', '--timeout', 'soon'], /--timeout: "soon" is not a number of seconds above 0/],
    ['a bad URL', ['a.yaml', '--url', 'nowhere'], /--url: "nowhere" is not a URL like/],
    ['a URL where nothing listens', ['a.yaml', '--url', 'http://127.0.0.1:9'], /http:\/\/127\.0\.0\.1:9: .*/],
    ['a tenant without a URL', ['a.yaml', '--tenant', 'x'], /--tenant: is for a sandbox at --url/],
    ['no file', [], /missing required argument 'file'/],
  ])('%s', async (_, args, line) => {
    write('a.yaml', TEEN.replace('teen-16', 'teen-61'))
    const { code, stderr } = await run(['run', '--port', '0', '--log', 'silent', ...args], { cwd })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^error: ${line.source}.*\n$`)),
    })
  })
})

test('a file that is not there is said before the port of a sandbox that runs already', async () => {
  const { baseUrl } = await startSandbox()
  const { code, stderr } = await run(['run', '--port', new URL(baseUrl).port, 'nope.yaml', '--', 'true'], { cwd })
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: nope.yaml: no such file\n' })
})
