import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { packageVersion } from '../../../src/package-root.ts'
import { buildCli } from '../built-cli.ts'

const { launch, run, start } = await buildCli()

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-cwd-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

/** Starts on a free port in JSON mode. */
async function startJson(args: readonly string[] = [], options = {}) {
  const server = await start(['--port', '0', '--log', 'json', ...args], options)
  const [line = ''] = server.output.split('\n')
  return { ...server, ready: JSON.parse(line) as { url: string; base_url: string } }
}

describe('start --log json:', () => {
  test('the first line says exactly where the sandbox is and which client to use', async () => {
    const { ready } = await startJson()
    const port = new URL(ready.url).port
    expect(ready).toEqual({
      event: 'ready',
      url: `http://127.0.0.1:${port}`,
      base_url: `http://localhost:${port}`,
      client_id: 'ak_test_sandbox',
      version: packageVersion(),
    })
  })

  test('each call is a line', async () => {
    const { child, ended, ready } = await startJson()
    await fetch(`${ready.url}/.well-known/jwks.json`)
    child.kill('SIGTERM')
    const lines = (await ended).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatchObject({
      event: 'call',
      method: 'GET',
      path: '/.well-known/jwks.json',
      status: 200,
      findings: [],
      duration_ms: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })

  test('a warning is a line on stderr', async () => {
    const client = '{ client_id: shop, client_secret: s, redirect_uris: [http://shop.example/cb] }'
    writeFileSync(join(cwd, 'agekey-sandbox.yaml'), `clients: [${client}]`)
    const { child, ended } = await startJson([], { cwd })
    child.kill('SIGTERM')
    const [line = ''] = (await ended).stderr.split('\n')
    expect(JSON.parse(line)).toEqual({ event: 'warning', message: expect.stringContaining('http://shop.example/cb') })
  })
})

test.each(['pretty', 'json'])(
  'start --log %s warns that a base URL beyond this machine needs a control token',
  async (log) => {
    const started = async (...more: string[]) => {
      const { child, ended } = await start([
        '-p',
        '0',
        '--log',
        log,
        '--base-url',
        'https://sandbox.example.com',
        ...more,
      ])
      child.kill('SIGTERM')
      return (await ended).stderr
    }
    expect(await started()).toMatch(
      /warning.*the control API is off: the base URL https:\/\/sandbox\.example\.com .*--control-token/,
    )
    expect(await started('--control-token', 'not-a-real-token')).toBe('')
  },
)

test('start --log pretty shows what to paste into an app, a page to open and that it is for testing only, without colours', async () => {
  const { output } = await start(['--port', '0'])
  for (const text of [
    'TESTING ONLY',
    'client_id',
    'ak_test_sandbox',
    'sk_test_sandbox',
    '/.well-known/openid-configuration',
  ]) {
    expect(output).toContain(text)
  }
  expect(output).toMatch(/open +http:\/\/localhost:\d+\/$/m)
  expect(output).not.toContain('\u001b')
})

test('colours can be forced where there is no terminal', async () => {
  const { output } = await start(['--port', '0'], { env: { FORCE_COLOR: '1' } })
  expect(output).toContain('\u001b[1magekey-sandbox')
})

test('start --log silent prints nothing', async () => {
  const port = await freePort()
  const { child, ended } = launch(['--port', String(port), '--log', 'silent'])
  const status = () =>
    fetch(`http://127.0.0.1:${port}/_sandbox/health`).then(
      (response) => response.status,
      () => undefined,
    )
  await expect.poll(status, { timeout: 5000 }).toBe(200)
  child.kill('SIGTERM')
  expect(await ended).toEqual({ code: 0, stdout: '', stderr: '' })
})

describe('The end of the command start', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('comes by %s, with exit code 0', async (signal) => {
    const { child, ended } = await startJson()
    child.kill(signal)
    expect((await ended).code).toBe(0)
  })

  test('is not delayed by a connection that is kept open', async () => {
    const { child, ended, ready } = await startJson()
    await fetch(ready.url, { headers: { connection: 'keep-alive' } })
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  })

  test('is not delayed by streams and long polls that are open', async () => {
    const { child, ended, ready } = await startJson()
    const stream = await fetch(`${ready.url}/_sandbox/events`)
    const waiting = fetch(`${ready.url}/_sandbox/flows?wait=60`).catch(() => 'cut off')
    child.kill('SIGTERM')
    // Were the long poll waited for, this would take a minute.
    expect((await ended).code).toBe(0)
    expect(await waiting).toBe('cut off')
    await stream.body?.cancel().catch(() => undefined)
  })

  test('does not come because a reader closed stdout', async () => {
    const { child, ended, ready } = await startJson()
    child.stdout.destroy()
    await fetch(`${ready.url}/.well-known/jwks.json`)
    expect((await fetch(`${ready.url}/.well-known/jwks.json`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('a start that fails says so in one line, without a stack, with exit code 1:', () => {
  const failure = (line: RegExp) => ({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^error: ${line.source}.*\n$`)),
  })

  test('the port is in use', async () => {
    const { ready } = await startJson()
    const { port } = new URL(ready.url)
    expect(await run(['--port', port])).toEqual(failure(new RegExp(`port ${port} is in use on 127\\.0\\.0\\.1;`)))
  })

  test('the state folder cannot be made', async () => {
    writeFileSync(join(cwd, 'file'), '')
    expect(await run(['--port', '0', '--state-dir', 'file/state'], { cwd })).toEqual(failure(/.*state/))
  })

  test('the config file is not valid', async () => {
    writeFileSync(join(cwd, 'agekey-sandbox.yaml'), 'profile: spec\nprot: 1\n')
    expect(await run([], { cwd })).toEqual(failure(/agekey-sandbox\.yaml:2: prot: unknown key\. Did you mean "port"\?/))
  })

  test('a persona file is not valid', async () => {
    writeFileSync(join(cwd, 'x.yaml'), 'name: x\ntitle: X\npurpose: X.\nage_keys: {}\n')
    expect(await run(['--port', '0', '--personas', 'x.yaml'], { cwd })).toEqual(
      failure(/.*x\.yaml:4: age_keys: unknown key/),
    )
  })

  test.each([
    ['--persona', 'teen-61', /--persona: .*"teen-61".*teen-16/],
    ['--outcome', 'acess_denied', /--outcome: .*"acess_denied".*access_denied/],
  ])('unknown name for %s', async (flag, name, line) => {
    expect(await run(['--port', '0', flag, name])).toEqual(failure(line))
  })

  test('a name in the config file is unknown', async () => {
    writeFileSync(join(cwd, 'agekey-sandbox.yaml'), 'port: 0\npersona: teen-61\n')
    const line = /agekey-sandbox\.yaml:2: persona: there is no persona "teen-61"\. Did you mean "teen-16"\?/
    expect(await run([], { cwd })).toEqual(failure(line))
  })

  test('an environment variable is unknown', async () => {
    expect(await run([], { env: { AGEKEY_SANDBOX_PROT: '1' } })).toEqual(
      failure(/AGEKEY_SANDBOX_PROT: unknown environment variable/),
    )
  })
})

describe('healthcheck', () => {
  test('exits with 0 for a sandbox that runs, found by --url or by the same settings', async () => {
    const { ready } = await startJson()
    expect(await run(['healthcheck', '--url', ready.url])).toEqual({
      code: 0,
      stdout: `${ready.url}/_sandbox/health: healthy\n`,
      stderr: '',
    })
    const env = { AGEKEY_SANDBOX_PORT: new URL(ready.url).port, AGEKEY_SANDBOX_HOST: '0.0.0.0' }
    expect(await run(['healthcheck'], { env })).toMatchObject({ code: 0 })
  })

  test('exits with 1 when nothing listens', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    expect(await run(['healthcheck', '--url', url])).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: ${url}/_sandbox/health: nothing listens there\n`,
    })
  })

  test('exits with 1 when something else listens', async () => {
    const other = createHttpServer((_request, response) => response.end('{"status":"ok"}'))
    const url = `http://127.0.0.1:${await portOf(other)}`
    const result = await run(['healthcheck', '--url', url])
    other.close()
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('something answers, but no agekey-sandbox'),
    })
  })

  test('exits with 1 for a bad URL, and when only the server knows its port', async () => {
    expect(await run(['healthcheck', '--url', 'nowhere'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--url: "nowhere"'),
    })
    expect(await run(['healthcheck', '--port', '0'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--url: needed'),
    })
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await portOf(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}
