import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { generateCertificate } from '../../../src/server/tls/self-signed.ts'
import { reportLines } from '../../../src/tools/cli/doctor/doctor.ts'
import { examine } from '../../../src/tools/cli/doctor/examine.ts'
import type { DoctorVisit } from '../../../src/tools/cli/doctor/visit.ts'
import { folderWith } from '../../support/folder-with.ts'
import { findFreePort } from '../../support/free-port.ts'
import { forwardPort } from '../../support/port-forward.ts'
import { shareSandbox, startSandbox } from '../../support/sandbox.ts'
import { redirectTo, startWebApp, type WebHandler } from '../../support/web-app.ts'
import { run } from './in-process.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const BUILTIN = { clientId: 'ak_test_sandbox', clientSecret: 'sk_test_sandbox' }
const CLIENT = { ...BUILTIN, redirectUri: 'http://localhost:3000/callback' }
const plain = await shareSandbox()
const secure = await shareSandbox({ https: true })

type Question = Partial<DoctorVisit> & { issuer: string }

const look = (visit: Question) => examine({ timeoutMs: 20_000, now: Date.now, ...visit })

const at = (baseUrl: string, visit: Partial<DoctorVisit> = {}) => ({
  issuer: `${baseUrl}/v1/oidc/use`,
  ...visit,
})

/** The names of the found problems, each with its message and the lines that mend it. */
async function problemsOf(visit: Question): Promise<Record<string, string>> {
  const found = (await look(visit)).filter((one) => one.status === 'problem')
  return Object.fromEntries(
    found.map(({ problem, message, fix }) => [problem, [message, ...fix].join('\n')]),
  )
}

/** A raw TCP server. @returns its port */
async function listen(server: ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Another HTTP server. @returns `http://localhost:PORT` */
const startServer = async (answer: WebHandler) =>
  (await startWebApp(answer)).url.replace('127.0.0.1', 'localhost')

/** A proxy between an app and its sandbox that changes answers. @returns its URL */
async function startMeddler(change: (text: string, path: string) => string) {
  let target = ''
  const url = await startServer(async ({ method = 'GET', path }, response) => {
    const answer = await fetch(target + path, { method, redirect: 'manual' })
    response.writeHead(answer.status).end(change(await answer.text(), path))
  })
  target = (await startSandbox({ baseUrl: url })).url
  return url
}

test.each(['', '/agekey'])(
  'The doctor passes every check below path "%s", spending no expectation',
  async (path) => {
    const sandbox = await startSandbox(path ? { basePath: path } : {})
    await sandbox.next({ persona: 'teen-16' })
    const diagnoses = await look(at(sandbox.baseUrl, CLIENT))
    const addresses = ['addresses', 'addresses', 'addresses']
    const checks = [
      'reachable',
      'issuer',
      'clock',
      ...addresses,
      'key_set',
      'client',
      'redirect_uri',
    ]
    expect(diagnoses.map(({ check, status }) => [check, status])).toEqual(
      checks.map((check) => [check, 'ok']),
    )
    // Coverage, journal and log are about apps, so nothing of the doctor stands there.
    expect((await sandbox.coverage.get()).names).toEqual([])
    expect(await sandbox.flows.list()).toEqual([])
    expect(sandbox.calls).toEqual([])
    expect(diagnoses.find(({ check }) => check === 'key_set')?.message).toMatch(
      /: 2 public keys \(RS256, ES256\)$/,
    )
    expect(reportLines(diagnoses).at(-1)).toBe('All is well.')
    expect(await sandbox.expectations.list()).toHaveLength(1)
  },
)

test('The doctor passes a tenant', async () => {
  expect(await problemsOf(at(`${plain.baseUrl}/t/ci-1`, BUILTIN))).toEqual({})
})

test('The doctor skips the checks of a client that is not given', async () => {
  const diagnoses = await look(at(secure.baseUrl, { ca: secure.certificate?.pem }))
  const others = diagnoses
    .filter(({ status }) => status !== 'ok')
    .map(({ check, status }) => [check, status])
  expect(others).toEqual(['client', 'redirect_uri'].map((check) => [check, 'skipped']))
})

test('The doctor passes an issuer behind an internal URL', async () => {
  const { url } = await startSandbox({ baseUrl: 'http://browsers.invalid', trustHost: true })
  expect(await problemsOf(at('http://browsers.invalid', { internalUrl: url, ...CLIENT }))).toEqual(
    {},
  )
})

const AGE = 'https://age.example/'
const TO_AGE = /\nin the app: issuer: https:\/\/age\.example\/$/
const NO_URL = 'http://['
const TO_NO_URL = /\nin the app: issuer: http:\/\/\[$/
const SHOP = 'https://shop.example/callback'
const FOREIGN = { ...BUILTIN, redirectUri: SHOP }
const INTERNAL = /AGEKEY_SANDBOX_INTERNAL_URL=http:\/\/agekey-sandbox:\d+/
const KEYS = /^in the app: jwks_uri: http:\/\/localhost:\d+\/\.well-known\/jwks\.json$/m

const free = async () => `http://localhost:${await findFreePort()}`
const tcp = async (server = createTcpServer()) => `http://127.0.0.1:${await listen(server)}`
const swapped = (base: string, from: string, to: string) => at(base.replace(from, to))
const keysOf = (keySet: string) =>
  startMeddler((text, path) => (path.includes('jwks') ? keySet : text))

async function atTls(names: string[], days = 0) {
  const { cert, key } = await generateCertificate(names, Date.now() + days * DAY_MS)
  return at(`https://localhost:${await listen(createHttpsServer({ cert, key }))}`, { ca: cert })
}

const clockAt = (offset: number) => at(plain.baseUrl, { now: () => Date.now() + offset })
const notFound: WebHandler = (_request, response) => response.writeHead(404).end()
const aPage: WebHandler = (_request, response) => response.end('<h1>It works!</h1>')

/** Its first URL of keys is that of another tenant. */
const ofOtherTenant = (text: string) =>
  text.replace(/(?<="jwks_uri":")[^"]*(?=\/\.well-known)/, '$&/t/other')
const withoutKeys = (text: string) => text.replace('/jwks.json"', '/none.json"')
const withoutToken = (text: string) => text.replace('"token_endpoint"', '"other"')

test.each<
  [what: string, ask: () => Question | Promise<Question>, problem: string, line?: string | RegExp]
>([
  [
    'an unknown host name',
    () => at('http://sandbox.invalid:1'),
    'name_not_found',
    'http://localhost:1',
  ],
  ['a port where nothing listens', async () => at(await free()), 'connection_refused', INTERNAL],
  [
    'a server that never answers',
    async () => at(await tcp(), { timeoutMs: 150 }),
    'timeout',
    'in 0.15 seconds',
  ],
  [
    'a server that hangs up',
    async () => at(await tcp(createTcpServer((it) => it.destroy()))),
    'connection_failed',
  ],
  [
    'http to https',
    () => swapped(secure.baseUrl, 'https:', 'http:'),
    'https_expected',
    'issuer: SECURE/v1/oidc/use',
  ],
  [
    'https to http',
    () => swapped(plain.baseUrl, 'http:', 'https:'),
    'http_expected',
    'issuer: PLAIN/v1/oidc/use',
  ],
  [
    'a self-signed certificate',
    () => at(secure.baseUrl),
    'tls_self_signed',
    'NODE_EXTRA_CA_CERTS=',
  ],
  [
    'a certificate for another name',
    () => atTls(['other.example']),
    'tls_wrong_name',
    'DNS:other.example',
  ],
  ['a certificate that has expired', () => atTls(['localhost'], -400), 'tls_expired'],
  ['a certificate of tomorrow', () => atTls(['localhost'], 30), 'tls_not_yet_valid'],
  ['a text without http://', () => at('localhost:2435'), 'issuer_malformed'],
  ['no text', () => ({ issuer: '' }), 'issuer_malformed'],
  ['another scheme', () => ({ issuer: 'ftp://localhost' }), 'issuer_malformed'],
  ['an address without a host', () => ({ issuer: 'http://' }), 'issuer_malformed'],
  [
    'another path of another server',
    async () => at(await startServer(notFound)),
    'discovery_missing',
  ],
  ['a page', async () => at(await startServer(aPage)), 'discovery_unreadable'],
  [
    'a redirect',
    async () => at(await startServer(redirectTo(AGE))),
    'discovery_redirected',
    TO_AGE,
  ],
  [
    'a redirect to no URL',
    async () => at(await startServer(redirectTo(NO_URL))),
    'discovery_redirected',
    TO_NO_URL,
  ],
  ['an empty key set', async () => at(await keysOf('{"keys":[]}')), 'key_set_empty'],
  ['a page for a key set', async () => at(await keysOf('<html>')), 'key_set_unreadable'],
  [
    'a private key',
    async () => at(await keysOf('{"keys":[{"kty":"RSA","e":"AQAB","d":"b"}]}')),
    'key_set_private',
  ],
  [
    'a shared key',
    async () => at(await keysOf('{"keys":[{"kty":"oct","k":"b"}]}')),
    'key_set_private',
  ],
  [
    'the keys of another tenant',
    async () => at(await startMeddler(ofOtherTenant)),
    'key_set_foreign',
    KEYS,
  ],
  [
    'an address that is not there',
    async () => at(await startMeddler(withoutKeys)),
    'address_unreachable',
    /s 404$/m,
  ],
  ['no token endpoint', async () => at(await startMeddler(withoutToken)), 'address_missing'],
  ['a clock that is slow here', () => clockAt(-32_000), 'clock_difference', 'ahead of'],
  ['a clock that is fast here', () => clockAt(32_000), 'clock_difference', 'behind'],
  [
    'a wrong secret',
    () => at(plain.baseUrl, { ...BUILTIN, clientSecret: 'wrong' }),
    'client_refused',
  ],
  [
    'a foreign callback',
    () => at(plain.baseUrl, FOREIGN),
    'redirect_uri_unregistered',
    'redirect_uris: [SHOP]',
  ],
])('The doctor names %s, with the line to change', async (_what, ask, problem, line = '') => {
  const found = await problemsOf(await ask())
  expect(Object.keys(found)).toEqual([problem])
  // The message is one line, and the lines to change follow.
  expect(found[problem]).toContain('\n')
  const fill = (text: string) =>
    text.replace('SECURE', secure.baseUrl).replace('PLAIN', plain.baseUrl).replace('SHOP', SHOP)
  if (typeof line === 'string') expect(found[problem]).toContain(fill(line))
  else expect(found[problem]).toMatch(line)
})

test.each([
  ['BASE/v1/oidc/use/', 'issuer_trailing_slash'],
  ['BASE', 'issuer_path_missing'],
  ['BASE/v1/oidc/', 'issuer_path_missing'],
  ['BASE/v1/oidc/use/token', 'issuer_path_missing'],
  ['BASE/t/a/', 'issuer_path_missing', 'BASE/t/a/v1/oidc/use'],
  ['BASE/v1/oidc/create/', 'issuer_of_create'],
  ['BASE/t/a/v1/oidc/create', 'issuer_of_create', 'BASE/t/a/v1/oidc/use'],
  ['BASE/v1/oidc/create/.well-known/openid-configuration', 'issuer_malformed'],
  ['BASE/.well-known/openid-configuration', 'issuer_malformed'],
  ['BASE/v1/oidc/use?tenant=a', 'issuer_malformed'],
  ['BASE/v1/oidc/use#', 'issuer_malformed'],
  // No library ignores the case.
  ['http://LOCALHOST:PORT/v1/oidc/use', 'issuer_spelling'],
])(
  'The doctor finds %s, which is written wrongly: %s',
  async (given, name, right = 'BASE/v1/oidc/use') => {
    const { baseUrl } = plain
    const fill = (text: string) =>
      text.replace('BASE', baseUrl).replace('PORT', new URL(baseUrl).port)
    const found = await problemsOf({ issuer: fill(given) })
    expect(Object.keys(found)).toEqual([name])
    expect(found[name]).toMatch(new RegExp(`^in the app: issuer: ${fill(right)}$`, 'm'))
  },
)

test.each([
  ['https://localhost', 'issuer_scheme'],
  ['http://localhost:1', 'issuer_port'],
  ['http://127.0.0.1:1', 'issuer_port'],
  ['http://age.example', 'issuer_host'],
])('The doctor finds a sandbox whose base URL is %s: %s', async (base, name) => {
  const given = (await startSandbox({ baseUrl: base })).url.replace('127.0.0.1', 'localhost')
  const found = await problemsOf(at(given))
  expect(found[name]).toContain(`in the app: issuer: ${base}/v1/oidc/use`)
  expect(found[name]).toContain(`AGEKEY_SANDBOX_BASE_URL=${given}`)
  // The URLs in discovery are not near either.
  expect(found['address_unreachable']).toBeDefined()
})

test('The doctor finds a base URL under another name of this machine', async () => {
  const port = await findFreePort()
  await startSandbox({ port, baseUrl: `http://127.0.0.1:${port}` })
  const found = await problemsOf(at(`http://localhost:${port}`))
  expect(found['issuer_loopback_name']).toContain(
    `in the app: issuer: http://127.0.0.1:${port}/v1/oidc/use`,
  )
  expect(found['issuer_loopback_name']).toContain('or leave base_url out')
})

test('Without a base URL the doctor finds nothing wrong at 127.0.0.1', async () => {
  expect(await problemsOf(at(plain.url, CLIENT))).toEqual({})
})

test('Without a base URL the doctor finds nothing wrong at a mapped port', async () => {
  expect(await problemsOf(at(await forwardPort(plain.url), CLIENT))).toEqual({})
})

test('The doctor finds a base path that the app left out', async () => {
  const { url, baseUrl } = await startSandbox({ basePath: '/agekey' })
  const found = await problemsOf(at(url.replace('127.0.0.1', 'localhost')))
  expect(found['issuer_path']?.split('\n').slice(1)).toEqual([
    `in the app: issuer: ${baseUrl}/v1/oidc/use`,
  ])
})

test('The doctor finds addresses that only browsers reach', async () => {
  const { url: internalUrl } = await startSandbox({ baseUrl: await free() })
  const elsewhere = await problemsOf(at('http://localhost', { internalUrl }))
  expect(elsewhere['address_unreachable']).toContain(`AGEKEY_SANDBOX_INTERNAL_URL=${internalUrl}`)
})

test('The doctor finds an unknown client', async () => {
  const unknown = await problemsOf(at(plain.baseUrl, { ...CLIENT, clientId: 'shop' }))
  expect(Object.keys(unknown)).toEqual(['client_refused', 'client_unknown'])
})

test('The doctor names a key set whose server hangs up on readers', async () => {
  const keys = await startServer(({ method }, response) =>
    method === 'HEAD' ? response.end() : response.destroy(),
  )
  const url = await startMeddler((text) =>
    withoutToken(text).replace(/"jwks_uri":"[^"]+"/, `"jwks_uri":"${keys}/.well-known/jwks.json"`),
  )
  const problem = { check: 'key_set', problem: 'connection_failed' }
  expect(await look(at(url))).toContainEqual(expect.objectContaining(problem))
})

/** A terminal obeys some of these characters; URL parsers drop or encode the others. */
const ODD = [
  '\u0000',
  '\t',
  '\n',
  '\r',
  '\u001b[2J',
  '\u007f',
  '\u0085',
  '\u009b2J',
  '\u2028',
  '\u202e',
]

/** The checks with a problem; no line of the report contains a control character. */
async function oddProblems(visit: Question): Promise<string[]> {
  const found = await look(visit)
  expect(
    reportLines(found).filter((line) => /[\p{Cc}\u2028]|\p{Bidi_Control}/u.test(line)),
  ).toEqual([])
  return found.filter(({ status }) => status === 'problem').map(({ check }) => check)
}

test.each(ODD)(
  'The doctor shows %j in an argument as what the character is, and finds a problem',
  async (odd) => {
    for (const issuer of [
      `${odd}http://localhost:1`,
      `http://local${odd}host:1/v1`,
      `http://localhost:1/v1${odd}`,
    ])
      expect(await oddProblems({ issuer })).toHaveLength(1)
    // The arguments of a process contain no NUL.
    if (odd === '\u0000') return
    const others = {
      clientId: `a${odd}b`,
      clientSecret: `c${odd}d`,
      redirectUri: `http://localhost/${odd}`,
    }
    expect(await oddProblems(at(plain.baseUrl, others))).toEqual(['client', 'redirect_uri'])
  },
)

test('The doctor shows control characters of a discovery document as what they are, wherever they stand', async () => {
  let answer = ''
  const url = await startServer((_request, response) => response.end(answer))
  for (const odd of ODD) {
    const addresses = { ...at(url), jwks_uri: url + odd, token_endpoint: odd }
    for (answer of [odd, JSON.stringify({ issuer: odd }), JSON.stringify(addresses)])
      expect(await oddProblems(at(url, BUILTIN))).not.toEqual([])
  }
})

test('doctor exits with 0 when all is well', async () => {
  const { issuer } = at(secure.baseUrl)
  const ca = join(folderWith({ 'ca.pem': secure.certificate?.pem }), 'ca.pem')
  const { code, stdout } = await run(['doctor', '--issuer', issuer, '--ca', ca, '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    issuer,
    default_issuer: false,
    checks: expect.any(Array),
  })
})

test('doctor exits with 1 for a problem', async () => {
  const { issuer } = at(plain.baseUrl)
  const { code, stdout, stderr } = await run(['doctor', '--issuer', `${issuer}/`])
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toMatch(/^ok {7}reachable /)
  expect(stdout).toMatch(
    /^problem {2}issuer {8}issuer_trailing_slash: .*\n {11}in the app: issuer: .*\n/m,
  )
  expect(stdout).toContain(`in the app: issuer: ${issuer}\n`)
  expect(stdout).toMatch(/\n1 problem\.\n$/)
})

test.each<[from: string, args: string[], options: (url: string) => Parameters<typeof run>[1]]>([
  [
    'the config file',
    [],
    (url) => ({ cwd: folderWith({ 'agekey-sandbox.yaml': `port: ${new URL(url).port}\n` }) }),
  ],
  ['a variable', [], (url) => ({ env: { AGEKEY_SANDBOX_URL: url } })],
  ['--url', ['--url', 'BASE'], () => ({})],
  ['--tenant', ['--url', 'BASE', '--tenant', 'qa'], () => ({})],
])(
  'doctor without an issuer takes that of the sandbox by %s, and says so',
  async (_from, args, options) => {
    const { baseUrl } = plain
    const words = ['doctor', ...args.map((word) => word.replace('BASE', baseUrl))]
    const issuer = `${baseUrl}${args.includes('qa') ? '/t/qa' : ''}/v1/oidc/use`
    const { code, stdout } = await run(words, options(baseUrl))
    expect(stdout).toMatch(`No --issuer is given: this looks at that of the sandbox, ${issuer}\n`)
    expect(code).toBe(0)
    expect(stdout).toMatch(/\nWhat was checked is well; not checked: client, r.*\n$/)
    const json = await run([...words, '--json'], options(baseUrl))
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: true, issuer, default_issuer: true })
  },
)

test('doctor checks a client without its callback', async () => {
  const checksOf = async (...args: string[]) => {
    const { code, stdout } = await run(['doctor', '--url', plain.baseUrl, ...args])
    return [
      code,
      ...stdout.split('\n').filter((line) => /^\S+ +(?:client|redirect_uri) /.test(line)),
    ]
  }
  const unchecked = [/^skipped +client /, /^skipped +redirect_uri /].map((line) =>
    expect.stringMatching(line),
  )
  expect(await checksOf('--client-id', 'ak_test_sandbox')).toEqual([0, ...unchecked])
  const unknown = expect.stringMatching(/^problem +redirect_uri +client_unknown: foo: /)
  expect(await checksOf('--client-id', 'foo')).toEqual([1, unchecked[0], unknown])
})

test('doctor checks a callback without its client', async () => {
  const checksOf = async (...args: string[]) => {
    const { code, stdout } = await run(['doctor', '--url', plain.baseUrl, ...args])
    return [
      code,
      ...stdout.split('\n').filter((line) => /^\S+ +(?:client|redirect_uri) /.test(line)),
    ]
  }
  const unchecked = [/^skipped +client /, /^skipped +redirect_uri /].map((line) =>
    expect.stringMatching(line),
  )
  const foreign = expect.stringMatching(
    /redirect_uri_unregistered: http:\S+ is not registered for ak_test_sandbox;/,
  )
  expect(await checksOf('--redirect-uri', 'http://evil.example/cb')).toEqual([
    1,
    unchecked[0],
    foreign,
  ])
})

test('doctor checks a callback that no client can register', async () => {
  const { stdout } = await run(['doctor', '--url', plain.baseUrl, '--redirect-uri', 'myapp://cb'])
  expect(stdout).toContain('myapp://cb is not registered for ak_test_sandbox')
  expect(stdout).toContain(
    'start the sandbox with --redirect-uri myapp://cb, or declare a client of your own',
  )
})

test.each([[[]], [['--json']]])(
  'doctor with %j repeats nothing that drives a terminal',
  async (options) => {
    const { code, stdout, stderr } = await run([
      'doctor',
      '--issuer',
      'http://a\u009b2J\u202e\u001b[2J/',
      ...options,
    ])
    expect(code).toBe(1)
    expect(stderr).toBe('')
    expect(stdout).toContain('issuer_malformed')
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u)
  },
)

const NO_INTERNAL_URL =
  'is not an http or https URL; an internal URL looks like http://agekey-sandbox:2435'

test.each([
  ['--ca absent.pem', '--ca: cannot use absent.pem (there is no such file)'],
  ['--tenant qa', '--tenant: --issuer says which sandbox is meant; give one of both'],
  ['--timeout x', '--timeout: "x" is not a number of seconds above 0, at most 60'],
  ['--timeout 0', '--timeout: "0" is not a number of seconds above 0, at most 60'],
  ['--internal-url b', `--internal-url: "b" ${NO_INTERNAL_URL}`],
])('doctor %s ends with one line on stderr', async (args, line) => {
  const result = await run(['doctor', '--issuer', 'http://a', ...args.split(' ')])
  expect(result).toEqual({ code: 1, stdout: '', stderr: `error: ${line}\n` })
})
