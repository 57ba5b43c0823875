import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { reportLines } from '../../src/cli/doctor/doctor.ts'
import { examine } from '../../src/cli/doctor/examine.ts'
import type { Visit } from '../../src/cli/doctor/visit.ts'
import { generateCertificate } from '../../src/tls/self-signed.ts'
import { folderWith } from '../support/folder-with.ts'
import { findFreePort } from '../support/free-port.ts'
import { shareSandbox, startSandbox } from '../support/sandbox.ts'
import { redirectTo, startWebApp, type WebHandler } from '../support/web-app.ts'
import { run } from './in-process.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const BUILTIN = { clientId: 'ak_test_sandbox', clientSecret: 'sk_test_sandbox' }
const CLIENT = { ...BUILTIN, redirectUri: 'http://localhost:3000/callback' }

const plain = await shareSandbox()
const secure = await shareSandbox({ https: true })

type Question = Partial<Visit> & { issuer: string }

const look = (visit: Question) => examine({ timeoutMs: 20_000, now: Date.now, ...visit })

/** Names of what was found, with the lines that mend it. */
async function problemsOf(visit: Question): Promise<Record<string, string>> {
  const found = (await look(visit)).filter((one) => one.status === 'problem')
  return Object.fromEntries(found.map(({ problem, fix }) => [problem, fix.join('\n')]))
}

const namesOf = async (visit: Question) => Object.keys(await problemsOf(visit))

async function listen(server: ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A server that is none of ours: `http://localhost:PORT`. */
const startServer = async (answer: WebHandler) => (await startWebApp(answer)).url.replace('127.0.0.1', 'localhost')

/** Something that stands between an app and its sandbox and changes what comes back. */
async function startMeddler(change: (text: string, path: string) => string) {
  let target = ''
  const url = await startServer(async ({ method = 'GET', path }, response) => {
    const answer = await fetch(target + path, { method, redirect: 'manual' })
    response.writeHead(answer.status).end(change(await answer.text(), path))
  })
  target = (await startSandbox({ baseUrl: url })).url
  return { url, issuer: issuerOf(url) }
}

const issuerOf = (baseUrl: string) => `${baseUrl}/v1/oidc/use`

test.each(['', '/agekey'])('The doctor passes every check below path "%s", spending no expectation', async (path) => {
  const sandbox = await startSandbox(path ? { basePath: path } : {})
  await sandbox.next({ persona: 'teen-16' })
  const diagnoses = await look({ issuer: issuerOf(sandbox.baseUrl), ...CLIENT })
  const addresses = ['addresses', 'addresses', 'addresses']
  const checks = ['reachable', 'issuer', 'clock', ...addresses, 'key_set', 'client', 'redirect_uri']
  expect(diagnoses.map(({ check, status }) => [check, status])).toEqual(checks.map((check) => [check, 'ok']))
  expect(diagnoses.find(({ check }) => check === 'key_set')?.message).toMatch(/: 2 public keys \(RS256, ES256\)$/)
  expect(reportLines(diagnoses).at(-1)).toBe('All is well.')
  expect(await sandbox.expectations.list()).toHaveLength(1)
})

test('The doctor passes a tenant, https with a trusted certificate and no client, and an issuer behind an internal URL', async () => {
  expect(await problemsOf({ issuer: `${plain.baseUrl}/t/ci-1/v1/oidc/use`, ...BUILTIN })).toEqual({})
  const diagnoses = await look({ issuer: issuerOf(secure.baseUrl), ca: secure.certificate?.pem })
  const others = diagnoses.filter(({ status }) => status !== 'ok').map(({ check, status }) => [check, status])
  expect(others).toEqual(['client', 'redirect_uri'].map((check) => [check, 'skipped']))
  const { url } = await startSandbox({ baseUrl: 'http://browsers.invalid', trustHost: true })
  expect(await problemsOf({ issuer: issuerOf('http://browsers.invalid'), internalUrl: url, ...CLIENT })).toEqual({})
})

test('The doctor explains that a host name is unknown, or that nothing listens, as for localhost in a container', async () => {
  const unknown = await problemsOf({ issuer: issuerOf('http://agekey-sandbox.invalid:2435') })
  expect(unknown).toEqual({ name_not_found: expect.stringContaining('http://localhost:2435') })
  const silent = await problemsOf({ issuer: issuerOf(`http://localhost:${await findFreePort()}`) })
  const line = expect.stringMatching(/AGEKEY_SANDBOX_INTERNAL_URL=http:\/\/agekey-sandbox:\d+/)
  expect(silent).toEqual({ connection_refused: line })
})

test('The doctor explains that a server accepts a connection, and never answers or hangs up', async () => {
  const silent = await listen(createTcpServer())
  expect(await namesOf({ issuer: issuerOf(`http://127.0.0.1:${silent}`), timeoutMs: 150 })).toEqual(['timeout'])
  const leaving = await listen(createTcpServer((socket) => socket.destroy()))
  expect(await namesOf({ issuer: issuerOf(`http://127.0.0.1:${leaving}`) })).toEqual(['connection_failed'])
})

test('The doctor explains that http is sent to a port of https, and https to a port of http', async () => {
  const [http, https] = [issuerOf(plain.baseUrl), issuerOf(secure.baseUrl)]
  const byHttp = await problemsOf({ issuer: https.replace('https:', 'http:') })
  expect(byHttp['https_expected']).toContain(`issuer: ${https}`)
  const byHttps = await problemsOf({ issuer: http.replace('http:', 'https:') })
  expect(byHttps['http_expected']).toContain(`issuer: ${http}`)
})

const startTls = async (names: string[], at = Date.now()) => {
  const { cert, key } = await generateCertificate(names, at)
  const port = await listen(createHttpsServer({ cert, key }))
  return { issuer: issuerOf(`https://localhost:${port}`), ca: cert }
}

test('The doctor names the environment variable to set for a self-signed certificate', async () => {
  const line = expect.stringContaining('NODE_EXTRA_CA_CERTS=')
  expect(await problemsOf({ issuer: issuerOf(secure.baseUrl) })).toEqual({ tls_self_signed: line })
})

test.each([
  ['tls_expired', ['localhost'], -400, ''],
  ['tls_not_yet_valid', ['localhost'], 30, ''],
  ['tls_wrong_name', ['other.example'], 0, 'DNS:other.example'],
])('The doctor explains %s of a certificate that is trusted', async (problem, names, days, part) => {
  const found = await look(await startTls(names, Date.now() + days * DAY_MS))
  expect(found).toMatchObject([{ check: 'tls', problem, message: expect.stringContaining(part) }])
})

test.each([
  ['BASE/v1/oidc/use/', 'issuer_trailing_slash'],
  ['BASE', 'issuer_path_missing'],
  ['BASE/', 'issuer_path_missing'],
  ['BASE/v1/oidc/', 'issuer_path_missing'],
  ['BASE/v1/oidc/use/token', 'issuer_path_missing'],
  ['BASE/t/a/', 'issuer_path_missing', 'BASE/t/a/v1/oidc/use'],
  ['BASE/v1/oidc/create', 'issuer_of_create'],
  ['BASE/v1/oidc/create/', 'issuer_of_create'],
  ['BASE/t/a/v1/oidc/create', 'issuer_of_create', 'BASE/t/a/v1/oidc/use'],
  ['BASE/v1/oidc/use/.well-known/openid-configuration', 'issuer_malformed'],
  ['BASE/v1/oidc/create/.well-known/openid-configuration', 'issuer_malformed'],
  ['BASE/.well-known/openid-configuration', 'issuer_malformed'],
  ['BASE/v1/oidc/use?tenant=a', 'issuer_malformed'],
  ['BASE/v1/oidc/use#', 'issuer_malformed'],
  ['http://127.0.0.1:PORT/v1/oidc/use', 'issuer_loopback_name'],
  // No library forgives capitals.
  ['http://LOCALHOST:PORT/v1/oidc/use', 'issuer_spelling'],
])('The doctor finds %s, which is written wrongly: %s', async (given, name, right = 'BASE/v1/oidc/use') => {
  const { baseUrl } = plain
  const filled = (text: string) => text.replace('BASE', baseUrl).replace('PORT', new URL(baseUrl).port)
  const found = await problemsOf({ issuer: filled(given) })
  expect(Object.keys(found)).toEqual([name])
  expect(found[name]).toMatch(new RegExp(`^in the app: issuer: ${filled(right)}$`, 'm'))
})

test.each([
  ['https://localhost', 'issuer_scheme'],
  ['http://localhost:1', 'issuer_port'],
  ['http://age.example', 'issuer_host'],
])('The doctor finds a sandbox whose base URL is %s: %s', async (base, name) => {
  const { url } = await startSandbox({ baseUrl: base })
  const given = url.replace('127.0.0.1', 'localhost')
  const found = await problemsOf({ issuer: issuerOf(given) })
  expect(found[name]).toContain(`in the app: issuer: ${issuerOf(base)}`)
  expect(found[name]).toContain(`AGEKEY_SANDBOX_BASE_URL=${given}`)
  // And what discovery names is nowhere near.
  expect(found['address_unreachable']).toBeDefined()
})

test('The doctor takes a text without http://, or without a host, for no address', async () => {
  for (const issuer of ['localhost:2435/v1/oidc/use', '', 'ftp://localhost', 'http://'])
    expect(await namesOf({ issuer }), issuer).toEqual(['issuer_malformed'])
})

test.each<[string, WebHandler, string]>([
  ['another path of another server', (_request, response) => response.writeHead(404).end(), 'discovery_missing'],
  ['a page', (_request, response) => response.end('<h1>It works!</h1>'), 'discovery_unreadable'],
])('The doctor recognises that %s is no sandbox', async (_what, answer, name) => {
  expect(await namesOf({ issuer: issuerOf(await startServer(answer)) })).toEqual([name])
})

test.each(['https://age.example/', 'http://['])('The doctor says that a redirect names %s', async (location) => {
  const found = await problemsOf({ issuer: issuerOf(await startServer(redirectTo(location))) })
  expect(found).toEqual({ discovery_redirected: `in the app: issuer: ${location}` })
})

test('The doctor finds a base path that the app left out, and addresses that only browsers reach', async () => {
  const { url, baseUrl } = await startSandbox({ basePath: '/agekey' })
  const found = await problemsOf({ issuer: issuerOf(url.replace('127.0.0.1', 'localhost')) })
  expect(found['issuer_path']).toBe(`in the app: issuer: ${issuerOf(baseUrl)}`)
  const { url: internalUrl } = await startSandbox({ baseUrl: `http://localhost:${await findFreePort()}` })
  const elsewhere = await problemsOf({ issuer: 'http://localhost/v1/oidc/use', internalUrl })
  expect(elsewhere['address_unreachable']).toContain(`AGEKEY_SANDBOX_INTERNAL_URL=${internalUrl}`)
})

test.each([
  ['{"keys":[]}', 'key_set_empty'],
  ['<html>', 'key_set_unreadable'],
  ['{"keys":[{"kty":"RSA","n":"a","e":"AQAB","d":"b"}]}', 'key_set_private'],
  ['{"keys":[{"kty":"oct","k":"b"}]}', 'key_set_private'],
])('The doctor finds the key set %s: %s', async (keySet, name) => {
  const { issuer } = await startMeddler((text, path) => (path.includes('jwks') ? keySet : text))
  expect(await namesOf({ issuer })).toEqual([name])
})

test('The doctor finds the key set of another service, and a document without an address', async () => {
  const foreign = await startMeddler((text) => text.replace(/(?<="jwks_uri":")[^"]*(?=\/\.well-known)/, '$&/t/other'))
  const line = expect.stringContaining(`in the app: jwks_uri: ${foreign.url}/.well-known/jwks.json`)
  expect(await problemsOf({ issuer: foreign.issuer })).toEqual({ key_set_foreign: line })
  const { issuer } = await startMeddler((text) => text.replace('"token_endpoint"', '"other"'))
  expect(await namesOf({ issuer })).toEqual(['address_missing'])
})

test('The doctor names a key set whose server hangs up on readers', async () => {
  const keys = await startServer(({ method }, response) => (method === 'HEAD' ? response.end() : response.destroy()))
  const withoutToken = (text: string) => text.replace(/,"token_endpoint":"[^"]+"/, '')
  const { issuer } = await startMeddler((text) =>
    withoutToken(text).replace(/"jwks_uri":"[^"]+"/, `"jwks_uri":"${keys}/.well-known/jwks.json"`),
  )
  const problem = { check: 'key_set', problem: 'connection_failed' }
  expect(await look({ issuer })).toContainEqual(expect.objectContaining(problem))
})

test.each([
  [-32_000, 'ahead of'],
  [32_000, 'behind'],
])('The doctor reports a clock that is %i ms off', async (offset, word) => {
  const found = await look({ issuer: issuerOf(plain.baseUrl), now: () => Date.now() + offset })
  const problem = { status: 'problem', problem: 'clock_difference', message: expect.stringContaining(word) }
  expect(found.find(({ check }) => check === 'clock')).toMatchObject(problem)
})

const SHOP = 'https://shop.example/callback'
const UNKNOWN = { client_refused: '', client_unknown: '' }

test.each<[visit: Partial<Visit>, problems: Record<string, string>]>([
  [{ ...BUILTIN, clientSecret: 'wrong' }, { client_refused: '' }],
  [{ ...CLIENT, clientId: 'shop', clientSecret: 'secret' }, UNKNOWN],
  [{ ...BUILTIN, redirectUri: SHOP }, { redirect_uri_unregistered: `redirect_uris: [${SHOP}]` }],
])('The doctor finds what the sandbox does not know of the client %j', async (visit, problems) => {
  const expected = Object.entries(problems).map(([name, text]) => [name, expect.stringContaining(text)])
  const found = await problemsOf({ issuer: issuerOf(plain.baseUrl), ...visit })
  expect(found).toEqual(Object.fromEntries(expected))
})

/** A terminal obeys some of these, and parsers of URLs drop or encode the others. */
const ODD = ['\u0000', '\t', '\n', '\r', '\u001b[2J', '\u007f', '\u0085', '\u009b2J', '\u2028', '\u202e']

/** The checks with a problem; no line of the report holds a control character. */
async function oddProblems(visit: Question): Promise<string[]> {
  const found = await look(visit)
  expect(reportLines(found).filter((line) => /[\p{Cc}\u2028]|\p{Bidi_Control}/u.test(line))).toEqual([])
  return found.filter(({ status }) => status === 'problem').map(({ check }) => check)
}

test.each(ODD)('The doctor shows %j in an argument as what the character is, and finds a problem', async (odd) => {
  for (const issuer of [`${odd}http://localhost:1`, `http://local${odd}host:1/v1`, `http://localhost:1/v1${odd}`])
    expect(await oddProblems({ issuer })).toHaveLength(1)
  // The arguments of a process hold no NUL.
  if (odd === '\u0000') return
  const others = { clientId: `a${odd}b`, clientSecret: `c${odd}d`, redirectUri: `http://localhost/${odd}` }
  expect(await oddProblems({ issuer: issuerOf(plain.baseUrl), ...others })).toEqual(['client', 'redirect_uri'])
})

test.each<[string, (odd: string, url: string) => string]>([
  ['the issuer', (odd) => JSON.stringify({ issuer: odd })],
  ['addresses', (odd, url) => JSON.stringify({ issuer: issuerOf(url), jwks_uri: url + odd, token_endpoint: odd })],
  ['the whole document', (odd) => odd],
])('The doctor shows control characters in discovery as what they are: %s', async (_where, write) => {
  let odd = ''
  const url = await startServer(({ headers }, response) => response.end(write(odd, `http://${headers.host}`)))
  for (odd of ODD) expect(await oddProblems({ issuer: issuerOf(url), ...BUILTIN })).not.toEqual([])
})

test('The report of the doctor leads with the name and shows no control characters of a foreign server', () => {
  const problem = { status: 'problem', problem: 'issuer_host', message: 'a\u001b[31mb' } as const
  const first = 'problem  issuer        issuer_host: a\\u001b[31mb'
  const report = [first, `${' '.repeat(11)}line`, '1 problem.']
  expect(reportLines([{ check: 'issuer', fix: ['line'], ...problem }])).toEqual(report)
})

test('doctor exits with 0 when all is well, also with --json and a certificate to trust', async () => {
  const issuer = issuerOf(secure.baseUrl)
  const ca = join(folderWith({ 'ca.pem': secure.certificate?.pem }), 'ca.pem')
  const { code, stdout } = await run(['doctor', '--issuer', issuer, '--ca', ca, '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, issuer, default_issuer: false, checks: expect.any(Array) })
})

test('doctor exits with 1 and names the problem and the line to change', async () => {
  const issuer = issuerOf(plain.baseUrl)
  const { code, stdout, stderr } = await run(['doctor', '--issuer', `${issuer}/`])
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toMatch(/^\w+ +reachable /)
  expect(stdout).toContain('issuer_trailing_slash')
  expect(stdout).toContain(`in the app: issuer: ${issuer}\n`)
})

test('doctor looks at the default issuer when none is given, and says so', async () => {
  const issuer = 'http://localhost:2435/v1/oidc/use'
  const { stdout, stderr } = await run(['doctor'])
  expect(stderr).toBe('')
  const first = `No --issuer is given: this looks at the default one, ${issuer}\n`
  expect([stdout.slice(0, first.length), stdout.length > first.length]).toEqual([first, true])
  expect(JSON.parse((await run(['doctor', '--json'])).stdout)).toMatchObject({ issuer, default_issuer: true })
})

test.each([[[]], [['--json']]])('doctor drives no terminal by what it repeats, with %j', async (options) => {
  const { code, stdout, stderr } = await run(['doctor', '--issuer', 'http://a\u009b2J\u202e\u001b[2J/', ...options])
  expect([code, stderr]).toEqual([1, ''])
  expect(stdout).toContain('issuer_malformed')
  expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u)
})

const NO_URL = 'is not an http or https URL; an internal URL looks like http://agekey-sandbox:2435'

test.each([
  ['--ca absent.pem', '--ca: cannot use absent.pem (there is no such file)'],
  ['--redirect-uri http://b', '--redirect-uri: needs --client-id too'],
  ['--timeout x', '--timeout: "x" is not a number of seconds above 0, at most 60'],
  ['--timeout 0', '--timeout: "0" is not a number of seconds above 0, at most 60'],
  ['--internal-url b', `--internal-url: "b" ${NO_URL}`],
])('doctor %s ends with one line and exit code 1', async (args, line) => {
  const result = await run(['doctor', '--issuer', 'http://a', ...args.split(' ')])
  expect(result).toEqual({ code: 1, stdout: '', stderr: `error: ${line}\n` })
})
