import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { packageVersion } from '../../../../src/package-root.ts'
import { connectSandbox } from '../../../../src/server/client/connect-sandbox.ts'
import { codeBlocks, readPage } from '../../../docs/page.ts'
import { rawCall } from '../../../server/raw-call.ts'
import { folderWith } from '../../../support/folder-with.ts'
import { findFreePort } from '../../../support/free-port.ts'
import { pushedRequest, sendUse } from '../../../support/requests.ts'
import { startSandbox } from '../../../support/sandbox.ts'
import { buildCli, jsonLines, type RunOptions, WITH_KEYS } from '../built-cli.ts'
import { run } from '../in-process.ts'

const cli = await buildCli()

/** Starts on a free port in JSON mode. */
async function startJson(args: readonly string[] = [], options: RunOptions = {}) {
  const server = await cli.start(['--port', '0', '--log', 'json', ...args], options)
  const ready: Record<string, string> & { url: string } = JSON.parse(
    server.output.split('\n')[0] ?? '',
  )
  return { ...server, ready }
}

/** Two calls: one is answered, one refused. */
async function callTwice(url: string): Promise<void> {
  for (const nonce of ['n', '']) await sendUse(url, { nonce, sandbox_persona: 'teen-16' })
}

const NO_NONCE = 'USE-08: nonce is missing: it was received without a value'

test('start --log json says first where the sandbox is, then each call on stdout, each warning on stderr', async () => {
  const client = '{ client_id: shop, client_secret: s, redirect_uris: [http://shop.example/cb] }'
  const cwd = folderWith({ 'agekey-sandbox.yaml': `clients: [${client}]` })
  const { child, ended, printed, ready } = await startJson(['--state-dir', 'state'], {
    cwd,
    env: WITH_KEYS,
  })
  const { port } = new URL(ready.url)
  const [url, baseUrl] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
  const about = { client_id: 'ak_test_sandbox', version: packageVersion() }
  expect(ready).toEqual({ event: 'ready', url, base_url: baseUrl, ...about })
  await callTwice(baseUrl)
  // The config file is watched.
  writeFileSync(join(cwd, 'agekey-sandbox.yaml'), 'clientz: []\n')
  await vi.waitFor(() => expect(printed.stderr).toContain('clientz'), { timeout: 10_000 })

  child.kill('SIGTERM')
  const { code, stdout, stderr } = await ended
  expect(code).toBe(0)
  expect(jsonLines(stderr)).toEqual([
    { event: 'warning', message: expect.stringContaining('http://shop.example/cb') },
    { event: 'warning', message: expect.stringContaining('clientz') },
  ])
  const [, answered, refused, ...others] = jsonLines(stdout)
  const call = {
    event: 'call',
    method: 'GET',
    path: '/v1/oidc/use',
    at: expect.stringMatching(/^\d{4}-.*Z$/),
  }
  const common = {
    ...call,
    endpoint: 'E1',
    status: 302,
    tenant: 'default',
    client: 'ak_test_sandbox',
  }
  expect(answered).toMatchObject({
    ...common,
    flow: 'f1',
    persona: 'teen-16',
    outcome: 'verified',
    findings: [],
  })
  const flowUrl = `${baseUrl}/_sandbox/console/flows/f2`
  const refusal = { rule: 'USE-08', message: NO_NONCE.replace('USE-08: ', '') }
  expect(refused).toMatchObject({ ...common, ...refusal, flow: 'f2', flow_url: flowUrl })
  expect(others).toEqual([])
  const [documented = ''] = codeBlocks(readPage('troubleshooting.md'), 'json')
  expect(Object.keys(refused ?? {})).toEqual(Object.keys(JSON.parse(documented)))
  // Without --https there is no certificate.
  expect(existsSync(join(cwd, 'state/tls-certificate.pem'))).toBe(false)
  for (const line of stdout.trim().split('\n').slice(1))
    expect(line).toMatch(/"duration_ms":(?:\d(?:\.\d)?|\d\d+)\}$/)
})

test('start shows what to paste into an app, a page to open, each call in a line, and ends with 0 by SIGINT', async () => {
  const { child, ended, output } = await cli.start(['start', '--port', '0'], { env: WITH_KEYS })
  for (const text of [
    'TESTING ONLY',
    'ak_test_sandbox',
    'sk_test_sandbox',
    '/.well-known/openid-configuration',
  ])
    expect(output).toContain(text)
  const [, baseUrl = ''] = /open +(http:\/\/localhost:\d+)\/$/m.exec(output) ?? []
  expect(output).toMatch(/client_id +ak_test_sandbox$/m)
  await callTwice(baseUrl)
  child.kill('SIGINT')
  const { code, stdout } = await ended
  expect(code).toBe(0)
  expect(stdout).not.toContain('\u001b')
  const lines = stdout.trim().split('\n').slice(-2)
  const link = (id: string) => `${baseUrl}/_sandbox/console/flows/${id}`
  const timed = (line: string) =>
    line.replace(/^\d\d:\d\d:\d\d /, '').replace(/ (?:\d\.\d|\d+) ms /, ' T ')
  expect(lines.map(timed)).toEqual([
    `f1    E1 302 GET  /v1/oidc/use ak_test_sandbox teen-16 verified T ${link('f1')}`,
    `f2    E1 302 GET  /v1/oidc/use ak_test_sandbox ${NO_NONCE} T ${link('f2')}`,
  ])
})

test('start names the config file with its clients, and logs neither health nor twice what is served', async () => {
  const client = '{ client_id: shop, client_secret: s, redirect_uris: [https://shop.example/cb] }'
  const cwd = folderWith({ 'agekey-sandbox.yaml': `clients: [${client}]` })
  const { child, ended, output } = await cli.start(['--port', '0'], { cwd, env: WITH_KEYS })
  expect(output).toMatch(
    new RegExp(`config file +${join(cwd, 'agekey-sandbox.yaml')}\n +its clients +shop\n`),
  )
  expect(output).not.toContain('127.0.0.1')
  const [, baseUrl = ''] = /open +(http:\/\/localhost:\d+)\/$/m.exec(output) ?? []
  for (const path of ['/first', '/_sandbox/health', '/second']) await fetch(baseUrl + path)
  child.kill('SIGTERM')
  const [first, second, ...others] = (await ended).stdout.slice(output.length).trim().split('\n')
  expect(first).toContain('/first is not served here. Served below')
  expect(second).toMatch(/\/second is not served here\. \S+ ms$/)
  expect(others).toEqual([])
})

test('start --log silent prints nothing', async () => {
  const port = String(await findFreePort())
  const { child, ended } = cli.launch(['--port', port, '--log', 'silent'], { env: WITH_KEYS })
  expect((await run(['wait', '--url', `http://127.0.0.1:${port}`])).code).toBe(0)
  child.kill('SIGTERM')
  expect(await ended).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('start ends by SIGTERM although connections, streams, long polls and slow replies are open', async () => {
  const { child, ended, ready } = await startJson([], { env: WITH_KEYS })
  await fetch(ready.url, { headers: { connection: 'keep-alive' } })
  const stream = await fetch(`${ready.url}/_sandbox/events`)
  await connectSandbox(ready.url).next({ flow: 'par', outcome: 'par.slow' })
  const push = { method: 'POST', body: new URLSearchParams(pushedRequest()) }
  const waiting = [
    fetch(`${ready.url}/_sandbox/flows?wait=60`),
    fetch(`${ready.url}/v1/oidc/create/par`, push),
  ].map((answer) => answer.catch(() => 'cut off'))
  const isHeld = async () =>
    expect(await connectSandbox(ready.url).flows.last()).toMatchObject({ flow: 'create' })
  await vi.waitFor(isHeld, { timeout: 10_000 })
  child.kill('SIGTERM')
  // If the end waited for the calls, this would take half a minute.
  expect((await ended).code).toBe(0)
  expect(await Promise.all(waiting)).toEqual(['cut off', 'cut off'])
  await stream.body?.cancel().catch(() => undefined)
})

test('start --https names the file to trust and the addresses that it is given; without a state folder it warns', async () => {
  const cwd = folderWith()
  const base = 'https://sandbox.example.com/age'
  const addresses = ['--https', '--base-url', base, '--internal-url', 'https://agekey-sandbox:2435']
  const env = WITH_KEYS
  const kept = await startJson(
    [...addresses, '--state-dir', 'state', '--control-token', 'not-a-real-token'],
    {
      cwd,
      env,
    },
  )
  const { url } = kept.ready
  const certificate = join(cwd, 'state/tls-certificate.pem')
  expect(kept.ready).toMatchObject({
    base_url: base,
    internal_url: 'https://agekey-sandbox:2435',
    certificate,
  })
  expect(
    (await rawCall(`${url}/age/_sandbox/health`, { ca: readFileSync(certificate, 'utf8') })).status,
  ).toBe(200)
  kept.child.kill('SIGTERM')
  expect(await kept.ended).toMatchObject({ code: 0, stderr: '' })

  const { child, ended, output } = await cli.start(
    ['--port', '0', ...addresses, '--state-dir', 'none'],
    { env },
  )
  expect(output).toMatch(
    /base URL +https:\/\/sandbox\.example\.com\/age\n.*listening on +https:\/\/127\.0\.0\.1:\d+\n/,
  )
  expect(output).toMatch(/internal URL +https:\/\/agekey-sandbox:2435$/m)
  child.kill('SIGTERM')
  const off =
    /^warning: the control API is off: the base URL https:\/\/sandbox\.example\.com\S* .*--control-token/
  const warnings = [off, /^warning: the certificate lives in memory/].map((line) =>
    expect.stringMatching(line),
  )
  expect((await ended).stderr.trim().split('\n')).toEqual(warnings)
})

test('start at a port that is in use says so in one line, without a stack, and its process ends with 1', async () => {
  const { port } = new URL((await startSandbox()).url)
  const stderr = expect.stringMatching(
    new RegExp(`^error: port ${port} is in use on 127\\.0\\.0\\.1;.*\n$`),
  )
  expect(await cli.run(['--port', port])).toEqual({ code: 1, stdout: '', stderr })
})

const NO_HOST =
  /host: "203\.0\.113\.7" is no address of this machine; give 127\.0\.0\.1 \(only this machine\), 0\.0\.0\.0/

test.each([
  ['--state-dir file/state', /.*state/],
  ['--host 203.0.113.7', NO_HOST],
  [
    '--config persona.yaml',
    /persona\.yaml:2: persona: there is no persona "teen-61"\. Did you mean "teen-16"\?/,
  ],
  ['--persona teen-61', /--persona: there is no persona "teen-61"\. Did you mean "teen-16"\?/],
  ['--personas ./gone', /--personas: \S*gone: no such file or folder/],
  [
    '--base-path /y',
    /--base-path is no flag: set base_path in the config file, or AGEKEY_SANDBOX_BASE_PATH/,
  ],
  ['--https-cert cert.pem', /https_cert: needs --https-key too/],
])(
  'start %s cannot begin, and says so in one line without a stack, with exit code 1',
  async (args, line) => {
    const cwd = folderWith({ file: '', 'persona.yaml': 'port: 0\npersona: teen-61\n' })
    const stderr = expect.stringMatching(new RegExp(`^error: ${line.source}.*\n$`))
    expect(await run(['--port', '0', ...args.split(' ')], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr,
    })
  },
)
