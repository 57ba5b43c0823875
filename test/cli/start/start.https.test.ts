import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { buildCli } from '../built-cli.ts'

const { run, start } = await buildCli()

let cwd: string
let stateDir: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-cwd-'))
  stateDir = join(cwd, 'state')
})
afterEach(() => rmSync(cwd, { recursive: true }))

const ready = z.object({
  url: z.string(),
  base_url: z.string(),
  internal_url: z.string().optional(),
  certificate: z.string().optional(),
})

const startJson = async (args: readonly string[], env: Record<string, string> = {}) => {
  const { output } = await start(['-p', '0', '--log', 'json', ...args], { cwd, env })
  return ready.parse(JSON.parse(output.split('\n', 1)[0] ?? ''))
}

describe('start --https', () => {
  test('serves at https, prints the file to trust, and is healthy by it', async () => {
    const { url, base_url: baseUrl, certificate } = await startJson(['--https', '--state-dir', 'state'])
    expect(certificate).toBe(join(stateDir, 'tls-certificate.pem'))
    expect(baseUrl).toBe(`https://localhost:${new URL(url).port}`)
    for (const address of [url, baseUrl]) {
      const flags = ['--url', address, '--state-dir', 'state']
      expect(await run(['healthcheck', ...flags], { cwd })).toMatchObject({ code: 0 })
    }
    const { port } = new URL(url)
    const byFlags = await run(['healthcheck', '--https', '-p', port, '--state-dir', 'state'], { cwd })
    expect(byFlags).toEqual({ code: 0, stdout: `https://127.0.0.1:${port}/_sandbox/health: healthy\n`, stderr: '' })
  })

  test('is not healthy for a client that does not know its certificate', async () => {
    const { url } = await startJson(['--https', '--state-dir', 'state'])
    const result = await run(['healthcheck', '--url', url, '--state-dir', 'elsewhere'], { cwd })
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('self-signed certificate') })
  })

  test('pretty: names the certificate in the table', async () => {
    const { output } = await start(['-p', '0', '--https', '--state-dir', 'state'], { cwd })
    expect(output).toContain(join(stateDir, 'tls-certificate.pem'))
    expect(output).toMatch(/base URL +https:\/\/localhost:\d+/)
  })

  test('without a state folder it warns that no client can trust the certificate, and is still healthy', async () => {
    const { child, ended, output } = await start(['-p', '0', '--https', '--state-dir', 'none'], { cwd })
    const port = /https:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1] ?? ''
    const health = await run(['healthcheck', '-p', port, '--https', '--state-dir', 'none'], { cwd })
    expect(health).toMatchObject({ code: 0 })
    child.kill('SIGTERM')
    expect((await ended).stderr).toContain('the certificate lives in memory')
  })

  test('a key that does not fit ends the start with one line', async () => {
    await startJson(['--https', '--state-dir', 'one'])
    await startJson(['--https', '--state-dir', 'two'])
    const files = ['--https-cert', 'one/tls-certificate.pem', '--https-key', 'two/tls-key.pem']
    const { code, stdout, stderr } = await run(['--https', ...files], { cwd })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^error: https_key: \S+ is not the key of the certificate in \S+; [^\n]*\n$/)
  })
})

test('start without --https makes no certificate', async () => {
  await startJson(['--state-dir', 'state'])
  expect(existsSync(join(stateDir, 'tls-certificate.pem'))).toBe(false)
})

test('the addresses come from flags, from the environment and from the file', async () => {
  const INTERNAL = 'http://agekey-sandbox:2435'
  expect(await startJson(['--internal-url', INTERNAL, '--base-path', '/age'])).toMatchObject({
    internal_url: INTERNAL,
    base_url: expect.stringMatching(/^http:\/\/localhost:\d+\/age$/),
  })
  expect(await startJson([], { AGEKEY_SANDBOX_INTERNAL_URL: INTERNAL })).toMatchObject({ internal_url: INTERNAL })
  writeFileSync(join(cwd, 'agekey-sandbox.yaml'), `internal_url: ${INTERNAL}`)
  expect(await startJson([])).toMatchObject({ internal_url: INTERNAL })
})

test.each([
  [['--base-path', 'agekey'], 'error: --base-path: "agekey" does not begin with a slash'],
  [['--base-url', 'http://a.example/x', '--base-path', '/y'], 'error: base_path: /y is not the path of the base URL'],
  [['--base-url', 'http://a.example/?x'], 'error: --base-url: a base URL has neither query nor fragment'],
  [['--internal-url', 'http://localhost:2435'], 'error: internal_url: http://localhost:2435 is the base URL'],
  [['--internal-url', 'agekey'], 'error: --internal-url: "agekey" is not an http or https URL'],
  [['--trust-proxy', '10.0.0.0/99'], 'error: --trust-proxy[0]: "10.0.0.0/99" is no address of a proxy'],
  [['--https-cert', 'a.pem'], 'error: https_cert: needs --https-key too'],
])('%j ends with one line and exit code 1', async (args, line) => {
  const { code, stdout, stderr } = await run(args, { cwd })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr.startsWith(line)).toBe(true)
  expect(stderr.trimEnd()).not.toContain('\n')
})

describe('doctor', () => {
  test('exits with 0 when all is well, also with --json and a certificate to trust', async () => {
    const { base_url: baseUrl, certificate = '' } = await startJson(['--https', '--state-dir', 'state'])
    const issuer = `${baseUrl}/v1/oidc/use`
    const { code, stdout } = await run(['doctor', '--issuer', issuer, '--ca', certificate, '--json'], { cwd })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, issuer, checks: expect.any(Array) })
    expect(readFileSync(certificate, 'utf8')).toContain('BEGIN CERTIFICATE')
  })

  test('exits with 1 and names the problem and the line to change', async () => {
    const { base_url: baseUrl } = await startJson([])
    const { code, stdout, stderr } = await run(['doctor', '--issuer', `${baseUrl}/v1/oidc/use/`], { cwd })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toContain('issuer_trailing_slash')
    expect(stdout).toContain(`in the app: issuer: ${baseUrl}/v1/oidc/use\n`)
  })

  test.each([
    [
      ['doctor', '--issuer', 'http://a', '--ca', 'absent.pem'],
      'error: --ca: cannot use absent.pem (there is no such file)',
    ],
    [['doctor', '--issuer', 'http://a', '--redirect-uri', 'http://b'], 'error: --redirect-uri: needs --client-id too'],
    [
      ['doctor', '--issuer', 'http://a', '--timeout', 'x'],
      'error: --timeout: "x" is not a number of seconds above 0, at most 60',
    ],
    [
      ['doctor', '--issuer', 'http://a', '--internal-url', 'b'],
      'error: --internal-url: "b" is not an http or https URL; an internal URL looks like http://agekey-sandbox:2435',
    ],
  ])('%j ends with one line and exit code 1', async (args, line) => {
    expect(await run(args, { cwd })).toEqual({ code: 1, stdout: '', stderr: `${line}\n` })
  })
})
