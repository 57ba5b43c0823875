import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { connectSandbox } from '../../../../src/server/client/connect-sandbox.ts'
import { folderWith } from '../../../support/folder-with.ts'
import { claims, pushedRequest, sendUse, useRequest } from '../../../support/requests.ts'
import { shareSandbox, startSandbox } from '../../../support/sandbox.ts'
import { buildCli, jsonLines, WITH_KEYS } from '../built-cli.ts'
import { run } from '../in-process.ts'

const cli = await buildCli()
const sandbox = await shareSandbox()
const OWN = ['--port', '0']
const TEEN = `name: A teen
steps:
  - decide: { flow: use, persona: teen-16 }
    expect: { claims: { age_thresholds: [18] } }
`
const QUERY = new URLSearchParams(
  useRequest({ claims: claims({ age_thresholds: [18] }) }),
).toString()

/**
 * The tests of an app: they send one Use request, write down their environment and end with the
 * given code.
 */
const APP = `
import { writeFileSync } from 'node:fs'
const { AGEKEY_SANDBOX_URL: url, AGEKEY_SANDBOX_CLIENT_ID: id, AGEKEY_SANDBOX_CLIENT_SECRET: secret } = process.env
await fetch(url + '/v1/oidc/use?${QUERY}', { redirect: 'manual' })
writeFileSync('seen.txt', ['app', url, id, secret].join(' ') + '\\n')
process.exit(Number(process.argv[2]))
`
const FILES = {
  'teen.yaml': TEEN,
  'twice.yaml': `${TEEN.replace('A teen', 'Twice')}  - decide: { flow: use, persona: child-12 }\n`,
  'pushed.yaml': 'name: Pushed\nsteps:\n  - await: par\n',
  'failing.yaml': `${TEEN}  - await: par\n`,
  'wrong.yaml': TEEN.replace('teen-16', 'teen-61'),
  'app.mjs': APP,
}

/** Waits until the sandbox of the tests has a scenario. */
const armed = () =>
  vi.waitFor(async () => expect(await sandbox.scenarios.list()).toHaveLength(1), {
    timeout: 10_000,
    interval: 10,
  })

test('run in a sandbox of its own reports each step as the step happens', async () => {
  const leaving = `name: Leaving
personas: [{ name: left, title: Left, purpose: Left. }]
steps:
  - decide: { flow: use, persona: teen-16 }
  - clock: { advance: 10 }
`
  const cwd = folderWith({ ...FILES, 'leaving.yaml': leaving })
  const args = ['run', ...OWN, '--log', 'json', 'leaving.yaml', 'pushed.yaml']
  const { output, printed, ended } = await cli.start(args, { cwd, env: WITH_KEYS })
  const { url } = JSON.parse(output.split('\n')[0] ?? '')
  const own = connectSandbox(url)
  const kept = async () => ({
    expectations: (await own.expectations.list()).length,
    personas: (await own.personas.list()).filter(({ name }) => name === 'left').length,
    seconds: (await own.clock.state()).advanced_seconds,
  })
  await own.next({ flow: 'create', persona: 'left' })
  expect(await kept()).toEqual({ expectations: 1, personas: 1, seconds: 0 })
  await sendUse(url)
  await vi.waitFor(() => expect(printed.stdout).toContain('"kind":"await"'), {
    timeout: 10_000,
    interval: 10,
  })
  expect(await kept()).toEqual({ expectations: 0, personas: 0, seconds: 0 })
  await fetch(`${url}/v1/oidc/create/par`, {
    method: 'POST',
    body: new URLSearchParams(pushedRequest()),
  })
  const { code, stdout, stderr } = await ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const events = jsonLines(stdout).map(({ event, step, status, name, passed }) =>
    [event, step, status, name, passed].filter((member) => member !== undefined),
  )
  expect(events).toEqual([
    ['ready'],
    ['scenario', 'Leaving'],
    ['waiting', 1],
    ['step', 1, 'passed'],
    ['step', 2, 'passed'],
    ['scenario', 'Pushed'],
    ['waiting', 1],
    ['step', 1, 'passed'],
    ['end', true],
  ])
})

test('run ends with 1 at the first step that fails, skips what follows, and writes both into the JUnit report', async () => {
  const cwd = folderWith(FILES)
  const args = [
    'failing.yaml',
    'teen.yaml',
    '--url',
    sandbox.url,
    '--json',
    '--junit',
    'report.xml',
  ]
  const ended = run(['run', ...args], { cwd })
  await armed()
  await sendUse(sandbox.url, { claims: claims({ age_thresholds: [21] }) })
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

const LATE_CASE =
  /<testsuite name="A teen" file="teen\.yaml" .*\n +<testcase name="1 decide use as teen-16" classname="A teen" time="0\.[2-9]\d*">\n +<failure message="no use request came within 0\.2 seconds"/

test('run fails a step that nothing meets when its time is over, also in the JUnit report', async () => {
  const client =
    'clients: [{ client_id: shop, client_secret: s, redirect_uris: [http://shop.example/cb] }]'
  const cwd = folderWith({ ...FILES, 'agekey-sandbox.yaml': client })
  const ran = await run(['run', 'teen.yaml', ...OWN, '--timeout', '0.2', '--junit', 'report.xml'], {
    cwd,
  })
  expect(ran).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^warning: .*http:\/\/shop\.example\/cb.*\n$/),
  })
  for (const text of [
    'client_id',
    '✗ 1 decide use as teen-16',
    'no use request came within 0.2 seconds',
  ])
    expect(ran.stdout).toContain(text)
  expect(readFileSync(join(cwd, 'report.xml'), 'utf8')).toMatch(LATE_CASE)
})

test('run reports that another client has reset the sandbox', async () => {
  const ended = run(['run', 'teen.yaml', '--url', sandbox.url], { cwd: folderWith(FILES) })
  await armed()
  await sandbox.reset()
  expect(await ended).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('the sandbox was reset'),
  })
})

const WRONG =
  /wrong\.yaml:3: steps\[0\]\.decide\.persona: there is no persona "teen-61"\. Did you mean "teen-16"\?/
const TAKEN =
  /port \d+ is in use on 127\.0\.0\.1; .* by --port, or 0 for a free one\. A sandbox answers there: run and other commands take it by --url http:\/\/localhost:\d+/

test.each([
  ['wrong.yaml', WRONG],
  ['b.yaml', /b\.yaml: no such file/],
  ['teen.yaml --timeout soon', /--timeout: "soon" is not a number of seconds above 0/],
  ['teen.yaml --url nowhere', /--url: "nowhere" is not a URL like.*/],
  ['teen.yaml --url http://127.0.0.1:9', /http:\/\/127\.0\.0\.1:9: .*/],
  ['teen.yaml --tenant x', /--tenant: is for a sandbox at --url.*/],
  ['teen.yaml --', /--: a command must follow, for example -- npm test/],
  ['-- npm test', /run: a scenario file must stand before --/],
  // The port is in use, but the file is reported first.
  ['--port PORT nope.yaml -- true', /nope\.yaml: no such file/],
  ['--port PORT wrong.yaml', WRONG],
  ['--port PORT teen.yaml', TAKEN],
])('run %s cannot begin, and says so in one line with exit code 1', async (args, line) => {
  const words = args.replace('PORT', new URL(sandbox.url).port).split(' ')
  const stderr = expect.stringMatching(new RegExp(`^error: ${line.source}\n$`))
  const ran = await run(['run', ...(args.includes('PORT') ? [] : OWN), ...words], {
    cwd: folderWith(FILES),
  })
  expect(ran).toEqual({ code: 1, stdout: '', stderr })
})

test('run FILE -- COMMAND gives the command the address, the credentials and the token, and agekey-sandbox in it that sandbox', async () => {
  const script =
    'node app.mjs 0 && cat seen.txt && echo "$AGEKEY_SANDBOX_CONTROL_TOKEN" && node "$CLI" explain f1'
  const args = ['run', 'teen.yaml', ...OWN, '--control-token', 't0ken', '--', 'sh', '-c', script]
  const options = { cwd: folderWith(FILES), env: { CLI: join(cli.packageFolder, 'dist/bin.js') } }
  const { code, stdout, stderr } = await cli.run(args, options)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [, baseUrl] = /base URL +(\S+)/.exec(stdout) ?? []
  expect(stdout).toContain(`app ${baseUrl} ak_test_sandbox sk_test_sandbox\nt0ken\n`)
  expect(stdout).toContain('f1 use ok: teen-16: 18 no')
  expect(stdout).toContain('✓ 1 decide use as teen-16')
  expect(stdout).toContain('✓ the command ended with code 0')
  expect(stdout).toMatch(/^passed: 1 scenario/m)
})

test('run --json -- COMMAND in a tenant prints events alone on stdout, also those of the command, and leaves nothing armed', async () => {
  const command = ['sh', '-c', 'node app.mjs 7 || { cat seen.txt; exit 7; }']
  const args = [
    'run',
    'teen.yaml',
    '--url',
    sandbox.baseUrl,
    '--tenant',
    'ci-1',
    '--json',
    '--',
    ...command,
  ]
  const { code, stdout, stderr } = await cli.run(args, { cwd: folderWith(FILES) })
  const app = `app ${sandbox.baseUrl}/t/ci-1 ak_test_sandbox sk_test_sandbox\n`
  expect({ code, stderr }).toEqual({ code: 7, stderr: app })
  const events = jsonLines(stdout)
  expect(events.filter(({ event }) => event === 'command')).toMatchObject([
    { status: 'started', command },
    { status: 'ended', code: 7 },
  ])
  expect(events.at(-1)).toEqual({ event: 'end', passed: false })
  expect(await sandbox.tenant('ci-1').scenarios.list()).toEqual([])
})

test('run --url sends the control token, and gives the command the own client of that sandbox', async () => {
  const clients = [
    { clientId: 'shop', clientSecret: 's', redirectUris: ['https://shop.example/cb'] },
  ]
  const { url } = await startSandbox({
    baseUrl: 'http://sandbox.example',
    controlToken: 't0ken',
    clients,
  })
  const cwd = folderWith({ 'clock.yaml': 'name: Clock\nsteps:\n  - clock: { advance: 1 }\n' })
  const command = ['sh', '-c', 'echo "$AGEKEY_SANDBOX_URL $AGEKEY_SANDBOX_CLIENT_ID"']
  const args = ['run', 'clock.yaml', '--url', url, '--control-token', 't0ken', '--', ...command]
  const { code, stdout } = await cli.run(args, { cwd })
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('http://sandbox.example shop\n'),
  })
})

const ENDED_WITH_7 =
  /✗ the command ended with code 7\n[\s\S]*^failed: 1 scenario, steps 1 passed, 0 failed/m
const NOT_REACHED = /✗ 2 decide use as child-12 .*\n +not reached: the command ended with code 0\n/

test.each([
  ['teen.yaml -- node app.mjs 7', 'its code, although every step passed', 7, ENDED_WITH_7],
  ['twice.yaml -- node app.mjs 0', 'the step that was not reached', 1, NOT_REACHED],
  [
    'teen.yaml -- ./absent',
    'the exit code of shells',
    127,
    /✗ the command cannot be run \(ENOENT\)/,
  ],
  [
    'teen.yaml -- node -e process.kill(process.pid)',
    'the same',
    143,
    /✗ the command was ended by SIGTERM/,
  ],
])('run %s ends with the failure of the command: %s', async (args, _, code, line) => {
  const [file = '', ...command] = args.split(' ')
  const ran = await run(['run', file, '--url', sandbox.url, ...command], { cwd: folderWith(FILES) })
  expect(ran).toMatchObject({ code, stdout: expect.stringMatching(line) })
})

/**
 * A command whose programs ignore Ctrl-C: `began` resolves when they run, `ended` when the last one
 * is gone.
 */
function lingering() {
  const cwd = folderWith(FILES)
  execFileSync('mkfifo', ['alive'], { cwd })
  const alive = createReadStream(join(cwd, 'alive'))
  const command = ['sh', '-c', 'exec 3>alive; (trap "" INT; sleep 60) & echo began >&3; wait']
  return { cwd, command, began: once(alive, 'data'), ended: once(alive, 'end') }
}

test('run FILE -- COMMAND ends the programs of the command when nothing meets a step in its time', async () => {
  const { cwd, command, ended } = lingering()
  const args = ['run', 'teen.yaml', '--url', sandbox.url, '--timeout', '0.5', '--', ...command]
  const { code, stdout } = await run(args, { cwd })
  expect(code).toBe(1)
  expect(stdout).toContain('no use request came within 0.5 seconds')
  await ended
})

test('run FILE -- COMMAND ends at once with 130 when Ctrl-C interrupts the run, and ends the programs of the command', async () => {
  const { cwd, command, began, ended } = lingering()
  const alone = cli.launch(['run', 'teen.yaml', '--url', sandbox.url], { cwd })
  await armed()
  alone.child.kill('SIGINT')
  expect((await alone.ended).code).toBe(130)
  expect(await sandbox.scenarios.list()).toEqual([])
  const { child, ended: exited } = cli.launch(
    ['run', 'teen.yaml', '--url', sandbox.url, '--', ...command],
    { cwd },
  )
  await began
  child.kill('SIGINT')
  expect((await exited).code).toBe(130)
  await ended
  expect(await sandbox.scenarios.list()).toEqual([])
})
