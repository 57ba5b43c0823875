import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Diagnosis } from '../../src/cli/doctor/diagnosis.ts'
import { reportLines } from '../../src/cli/doctor/doctor.ts'
import { examine } from '../../src/cli/doctor/examine.ts'
import type { Visit } from '../../src/cli/doctor/visit.ts'
import { generateCertificate } from '../../src/tls/self-signed.ts'
import { startSandbox } from '../support/sandbox.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const BUILTIN = { clientId: 'ak_test_sandbox', clientSecret: 'sk_test_sandbox' }
const REDIRECT_URI = 'http://localhost:3000/callback'

const look = (visit: Partial<Visit> & { issuer: string }) => examine({ timeoutMs: 5_000, now: Date.now, ...visit })

/** Names of what was found, with the lines that mend it. */
async function problemsOf(visit: Partial<Visit> & { issuer: string }): Promise<Record<string, string>> {
  const found = (await look(visit)).filter((one) => one.status === 'problem')
  return Object.fromEntries(found.map(({ problem, fix }) => [problem, fix.join('\n')]))
}

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A server that is none of ours: `http://localhost:PORT`. */
const startServer = async (answer: RequestListener) => `http://localhost:${await listen(createServer(answer))}`

/** Something that stands between an app and its sandbox and changes what comes back. */
async function startMeddler(
  change: (text: string, path: string) => { text: string; headers?: Record<string, string> },
) {
  let target = ''
  const url = await startServer(async (request, response) => {
    const init = request.method === 'GET' ? {} : { method: request.method ?? 'GET' }
    const answer = await fetch(target + request.url, { ...init, redirect: 'manual' })
    const { text, headers = {} } = change(await answer.text(), request.url ?? '')
    response.writeHead(answer.status, headers).end(text)
  })
  target = (await startSandbox({ baseUrl: url })).url
  return { url, issuer: `${url}/v1/oidc/use` }
}

const issuerOf = (baseUrl: string) => `${baseUrl}/v1/oidc/use`

describe('The doctor passes every check', () => {
  test.each([{}, { basePath: '/agekey' }])('with the options %j', async (options) => {
    const { baseUrl } = await startSandbox(options)
    const diagnoses = await look({ issuer: issuerOf(baseUrl), ...BUILTIN, redirectUri: REDIRECT_URI })
    expect(diagnoses.map(({ check, status }) => [check, status])).toEqual([
      ['reachable', 'ok'],
      ['issuer', 'ok'],
      ['clock', 'ok'],
      ['addresses', 'ok'],
      ['addresses', 'ok'],
      ['addresses', 'ok'],
      ['key_set', 'ok'],
      ['client', 'ok'],
      ['redirect_uri', 'ok'],
    ])
    expect(diagnoses.find(({ check }) => check === 'key_set')?.message).toMatch(/: 2 public keys \(RS256, ES256\)$/)
    expect(reportLines(diagnoses).at(-1)).toBe('All is well.')
  })

  test('of a tenant', async () => {
    const { baseUrl } = await startSandbox()
    expect(await problemsOf({ issuer: `${baseUrl}/t/ci-1/v1/oidc/use`, ...BUILTIN })).toEqual({})
  })

  test('by https with a certificate to trust', async () => {
    const { baseUrl, certificate } = await startSandbox({ https: true })
    expect(await problemsOf({ issuer: issuerOf(baseUrl), ca: certificate?.pem })).toEqual({})
  })

  test('from a container, by the internal URL, with an issuer that only browsers reach', async () => {
    const { url } = await startSandbox({ baseUrl: 'http://browsers.invalid', trustHost: true })
    const visit = { issuer: 'http://browsers.invalid/v1/oidc/use', internalUrl: url }
    expect(await problemsOf({ ...visit, ...BUILTIN, redirectUri: REDIRECT_URI })).toEqual({})
  })

  test('without spending a queued expectation', async () => {
    const sandbox = await startSandbox()
    await sandbox.next({ persona: 'teen-16' })
    await look({ issuer: issuerOf(sandbox.baseUrl), ...BUILTIN, redirectUri: REDIRECT_URI })
    expect(await sandbox.expectations.list()).toHaveLength(1)
  })
})

describe('The doctor explains why a server cannot be reached:', () => {
  test('the host name is unknown', async () => {
    const found = await problemsOf({ issuer: 'http://agekey-sandbox.invalid:2435/v1/oidc/use' })
    expect(Object.keys(found)).toEqual(['name_not_found'])
    expect(found['name_not_found']).toContain('http://localhost:2435')
  })

  test('nothing listens, as for localhost in a container', async () => {
    const found = await problemsOf({ issuer: `http://localhost:${await closedPort()}/v1/oidc/use` })
    expect(Object.keys(found)).toEqual(['connection_refused'])
    expect(found['connection_refused']).toMatch(/AGEKEY_SANDBOX_INTERNAL_URL=http:\/\/agekey-sandbox:\d+/)
  })

  test('the server accepts the connection and never answers', async () => {
    const port = await listen(createTcpServer())
    expect(Object.keys(await problemsOf({ issuer: `http://127.0.0.1:${port}/v1/oidc/use`, timeoutMs: 150 }))).toEqual([
      'timeout',
    ])
  })

  test('the server accepts the connection and hangs up', async () => {
    const port = await listen(createTcpServer((socket) => socket.destroy()))
    expect(Object.keys(await problemsOf({ issuer: `http://127.0.0.1:${port}/v1/oidc/use` }))).toEqual([
      'connection_failed',
    ])
  })

  test('http is sent to a port of https, and https to one of http', async () => {
    const secure = await startSandbox({ https: true })
    const plain = await startSandbox()
    const byHttp = issuerOf(secure.baseUrl).replace('https:', 'http:')
    const byHttps = issuerOf(plain.baseUrl).replace('http:', 'https:')
    expect((await problemsOf({ issuer: byHttp }))['https_expected']).toContain(`issuer: ${issuerOf(secure.baseUrl)}`)
    expect((await problemsOf({ issuer: byHttps }))['http_expected']).toContain(`issuer: ${issuerOf(plain.baseUrl)}`)
  })
})

describe('The doctor explains why a certificate is refused:', () => {
  const startTls = async (names: string[], at = Date.now()) => {
    const { cert, key } = await generateCertificate(names, at)
    const port = await listen(createHttpsServer({ cert, key }))
    return { issuer: `https://localhost:${port}/v1/oidc/use`, cert }
  }

  test('it is self-signed, and the environment variable to set is named', async () => {
    const { issuer } = await startTls(['localhost'])
    const found = await problemsOf({ issuer })
    expect(Object.keys(found)).toEqual(['tls_self_signed'])
    expect(found['tls_self_signed']).toContain('NODE_EXTRA_CA_CERTS=')
  })

  test.each([
    ['tls_expired', ['localhost'], -400],
    ['tls_not_yet_valid', ['localhost'], 30],
    ['tls_wrong_name', ['other.example'], 0],
  ])('%s, once it is trusted', async (name, names, days) => {
    const { issuer, cert } = await startTls(names, Date.now() + days * DAY_MS)
    const found = await look({ issuer, ca: cert })
    expect(found).toMatchObject([{ check: 'tls', problem: name }])
    if (name === 'tls_wrong_name') expect(found[0]?.message).toContain('DNS:other.example')
  })
})

describe('The doctor finds an issuer that is written wrongly:', () => {
  test.each<[string, (base: string) => string, string, (base: string) => string]>([
    ['a slash at the end', (base) => `${base}/v1/oidc/use/`, 'issuer_trailing_slash', (base) => `${base}/v1/oidc/use`],
    ['without its path', (base) => base, 'issuer_path_missing', (base) => `${base}/v1/oidc/use`],
    [
      'that is the one of Create',
      (base) => `${base}/v1/oidc/create`,
      'issuer_of_create',
      (base) => `${base}/v1/oidc/use`,
    ],
    [
      'that is the one of Create, with a slash',
      (base) => `${base}/v1/oidc/create/`,
      'issuer_of_create',
      (base) => `${base}/v1/oidc/use`,
    ],
    [
      'that is the one of Create in a tenant',
      (base) => `${base}/t/a/v1/oidc/create`,
      'issuer_of_create',
      (base) => `${base}/t/a/v1/oidc/use`,
    ],
    [
      'with the path of its discovery document',
      (base) => `${base}/v1/oidc/use/.well-known/openid-configuration`,
      'issuer_malformed',
      (base) => `${base}/v1/oidc/use`,
    ],
    [
      'that is the discovery document of Create',
      (base) => `${base}/v1/oidc/create/.well-known/openid-configuration`,
      'issuer_malformed',
      (base) => `${base}/v1/oidc/use`,
    ],
    [
      'that is the base URL with the path of a discovery document',
      (base) => `${base}/.well-known/openid-configuration`,
      'issuer_malformed',
      (base) => `${base}/v1/oidc/use`,
    ],
    [
      'that is the base URL of a tenant',
      (base) => `${base}/t/a/`,
      'issuer_path_missing',
      (base) => `${base}/t/a/v1/oidc/use`,
    ],
    [
      'that is an endpoint',
      (base) => `${base}/v1/oidc/use/token`,
      'issuer_path_missing',
      (base) => `${base}/v1/oidc/use`,
    ],
    [
      'that is a part of the path',
      (base) => `${base}/v1/oidc/`,
      'issuer_path_missing',
      (base) => `${base}/v1/oidc/use`,
    ],
    ['without its path, with a slash', (base) => `${base}/`, 'issuer_path_missing', (base) => `${base}/v1/oidc/use`],
    [
      '127.0.0.1 for localhost',
      (base) => `${base.replace('localhost', '127.0.0.1')}/v1/oidc/use`,
      'issuer_loopback_name',
      (base) => `${base}/v1/oidc/use`,
    ],
  ])('%s', async (_sentence, given, name, right) => {
    const { baseUrl } = await startSandbox()
    const found = await problemsOf({ issuer: given(baseUrl) })
    expect(Object.keys(found)).toEqual([name])
    expect(found[name]).toContain(`in the app: issuer: ${right(baseUrl)}`)
  })

  test.each([
    ['https://localhost', 'issuer_scheme'],
    ['http://localhost:1', 'issuer_port'],
    ['http://age.example', 'issuer_host'],
  ])('of a sandbox whose base URL is %s: %s', async (base, name) => {
    const { url } = await startSandbox({ baseUrl: base })
    const given = url.replace('127.0.0.1', 'localhost')
    const found = await problemsOf({ issuer: issuerOf(given) })
    expect(found[name]).toContain(`in the app: issuer: ${issuerOf(base)}`)
    expect(found[name]).toContain(`AGEKEY_SANDBOX_BASE_URL=${given}`)
    // And what discovery names is nowhere near.
    expect(found['address_unreachable']).toBeDefined()
  })

  test('in capitals, which no library forgives', async () => {
    const { baseUrl } = await startSandbox()
    const found = await problemsOf({ issuer: issuerOf(baseUrl.replace('localhost', 'LOCALHOST')) })
    expect(found).toEqual({ issuer_spelling: `in the app: issuer: ${issuerOf(baseUrl)}` })
  })

  test.each(['/.well-known/openid-configuration', '?tenant=a', '#'])('with %s behind it', async (surplus) => {
    const issuer = 'http://localhost:2435/v1/oidc/use'
    expect(await problemsOf({ issuer: issuer + surplus })).toEqual({
      issuer_malformed: `in the app: issuer: ${issuer}`,
    })
  })

  test('below a base path that the app left out', async () => {
    const { url, baseUrl } = await startSandbox({ basePath: '/agekey' })
    const found = await problemsOf({ issuer: issuerOf(url.replace('127.0.0.1', 'localhost')) })
    expect(found['issuer_path']).toBe(`in the app: issuer: ${issuerOf(baseUrl)}`)
  })

  test.each(['localhost:2435/v1/oidc/use', '', 'ftp://localhost', 'http://'])('%j is no address', async (issuer) => {
    expect(Object.keys(await problemsOf({ issuer }))).toEqual(['issuer_malformed'])
  })
})

describe('The doctor recognises a server that is no sandbox:', () => {
  test.each<[string, RequestListener, string]>([
    ['another path of another server', (_request, response) => response.writeHead(404).end(), 'discovery_missing'],
    ['a page', (_request, response) => response.end('<h1>It works!</h1>'), 'discovery_unreadable'],
    [
      'a redirect',
      (_request, response) => response.writeHead(301, { Location: 'https://age.example/' }).end(),
      'discovery_redirected',
    ],
  ])('%s', async (_sentence, answer, name) => {
    expect(Object.keys(await problemsOf({ issuer: issuerOf(await startServer(answer)) }))).toEqual([name])
  })
})

describe('The doctor finds in discovery and the key set', () => {
  test('addresses that only browsers reach, and advises to set the internal URL', async () => {
    const { url } = await startSandbox({ baseUrl: `http://localhost:${await closedPort()}` })
    const visit = { issuer: 'http://localhost/v1/oidc/use', internalUrl: url }
    const found = await problemsOf(visit)
    expect(found['address_unreachable']).toContain(`AGEKEY_SANDBOX_INTERNAL_URL=${url}`)
  })

  test.each<[string, (text: string) => string, string]>([
    ['an empty key set', () => '{"keys":[]}', 'key_set_empty'],
    ['a page instead of the key set', () => '<html>', 'key_set_unreadable'],
    ['private keys', () => '{"keys":[{"kty":"RSA","n":"a","e":"AQAB","d":"b"}]}', 'key_set_private'],
    ['a secret key', () => '{"keys":[{"kty":"oct","k":"b"}]}', 'key_set_private'],
  ])('%s', async (_sentence, keySet, name) => {
    const { issuer } = await startMeddler((text, path) => ({ text: path.includes('jwks') ? keySet(text) : text }))
    expect(Object.keys(await problemsOf({ issuer }))).toEqual([name])
  })

  test('the key set of another service', async () => {
    const { url, issuer } = await startMeddler((text) => ({
      text: text.replace(/(?<="jwks_uri":")[^"]*(?=\/\.well-known)/, '$&/t/other'),
    }))
    expect(await problemsOf({ issuer })).toEqual({
      key_set_foreign: expect.stringContaining(`in the app: jwks_uri: ${url}/.well-known/jwks.json`),
    })
  })

  test('a document without an address', async () => {
    const { issuer } = await startMeddler((text) => ({ text: text.replace('"token_endpoint"', '"other"') }))
    expect(Object.keys(await problemsOf({ issuer }))).toEqual(['address_missing'])
  })
})

test.each([
  [-32_000, 'ahead of'],
  [32_000, 'behind'],
])('a clock that is %i ms off is reported', async (offset, word) => {
  const { baseUrl } = await startSandbox()
  const found = await look({ issuer: issuerOf(baseUrl), now: () => Date.now() + offset })
  const clock = found.find(({ check }) => check === 'clock')
  expect(clock).toMatchObject({ status: 'problem', problem: 'clock_difference' })
  expect(clock?.message).toContain(word)
})

describe('The doctor checks the client and its redirect URI:', () => {
  const check = async (visit: Partial<Visit>) => {
    const { baseUrl } = await startSandbox()
    return problemsOf({ issuer: issuerOf(baseUrl), ...visit })
  }

  test('a wrong secret is found', async () => {
    expect(Object.keys(await check({ ...BUILTIN, clientSecret: 'wrong' }))).toEqual(['client_refused'])
  })

  test('an unknown client is found', async () => {
    const visit = { clientId: 'web-shop', clientSecret: 'secret', redirectUri: REDIRECT_URI }
    expect(Object.keys(await check(visit))).toEqual(['client_refused', 'client_unknown'])
  })

  test('an unregistered redirect URI is found, with the line to write', async () => {
    const found = await check({ ...BUILTIN, redirectUri: 'https://shop.example/callback' })
    expect(Object.keys(found)).toEqual(['redirect_uri_unregistered'])
    expect(found['redirect_uri_unregistered']).toContain('redirect_uris: [https://shop.example/callback]')
  })

  test('without them they are skipped', async () => {
    const { baseUrl } = await startSandbox()
    const skipped = (await look({ issuer: issuerOf(baseUrl) })).filter(({ status }) => status === 'skipped')
    expect(skipped.map(({ check }) => check)).toEqual(['client', 'redirect_uri'])
  })
})

/** A terminal obeys some of these, and parsers of URLs drop or encode the others. */
const ODD = ['\u0000', '\t', '\n', '\r', '\u001b[2J', '\u007f', '\u0085', '\u009b2J', '\u2028', '\u202e']
const isReadable = (line: string) => !/[\p{Cc}\u2028]|\p{Bidi_Control}/u.test(line)

describe('Control characters are diagnosed, and shown as what they are,', () => {
  test.each(ODD)('with %j in the issuer', async (odd) => {
    for (const issuer of [`${odd}http://localhost:1`, `http://local${odd}host:1/v1`, `http://localhost:1/v1${odd}`]) {
      const found = await look({ issuer })
      expect(found).toMatchObject([{ status: 'problem' }])
      expect(reportLines(found).filter((line) => !isReadable(line))).toEqual([])
    }
  })

  // The arguments of a process hold no NUL.
  test.each(ODD.slice(1))('with %j in the other arguments', async (odd) => {
    const { baseUrl } = await startSandbox()
    const visit = { clientId: `a${odd}b`, clientSecret: `c${odd}d`, redirectUri: `http://localhost/${odd}` }
    const found = await look({ issuer: issuerOf(baseUrl), ...visit })
    expect(found.filter(({ status }) => status === 'problem').map(({ check }) => check)).toEqual([
      'client',
      'redirect_uri',
    ])
    expect(reportLines(found).filter((line) => !isReadable(line))).toEqual([])
  })

  const DOCUMENTS: readonly (readonly [string, (odd: string, url: string) => string])[] = [
    ['the issuer', (odd) => JSON.stringify({ issuer: odd })],
    [
      'addresses',
      (odd, url) => JSON.stringify({ issuer: `${url}/v1/oidc/use`, jwks_uri: url + odd, token_endpoint: odd }),
    ],
    ['the whole document', (odd) => odd],
  ]
  test.each(DOCUMENTS)('in %s of a discovery document', async (_where, write) => {
    for (const odd of ODD) {
      const url = await startServer((request, response) => response.end(write(odd, `http://${request.headers.host}`)))
      const found = await look({ issuer: issuerOf(url), ...BUILTIN })
      expect(found.filter(({ status }) => status === 'problem')).not.toEqual([])
      expect(reportLines(found).filter((line) => !isReadable(line))).toEqual([])
    }
  })
})

test('The doctor says what a redirect names, also when it is no address', async () => {
  const url = await startServer((_request, response) => response.writeHead(302, { Location: 'http://[' }).end())
  expect(await problemsOf({ issuer: issuerOf(url) })).toEqual({ discovery_redirected: 'in the app: issuer: http://[' })
})

test('The doctor names a key set whose server hangs up on readers', async () => {
  const keys = await startServer((request, response) =>
    request.method === 'HEAD' ? response.end() : response.destroy(),
  )
  const { issuer } = await startMeddler((text) => ({
    text: text
      .replace(/"jwks_uri":"[^"]+"/, `"jwks_uri":"${keys}/.well-known/jwks.json"`)
      .replace(/,"token_endpoint":"[^"]+"/, ''),
  }))
  expect(await look({ issuer })).toContainEqual(
    expect.objectContaining({ check: 'key_set', problem: 'connection_failed' }),
  )
})

test('The report of the doctor leads with the name and shows no control characters of a foreign server', () => {
  const diagnosis: Diagnosis = {
    check: 'issuer',
    status: 'problem',
    problem: 'issuer_host',
    message: 'a\u001b[31mb',
    fix: ['line'],
  }
  expect(reportLines([diagnosis])).toEqual([
    expect.stringMatching(/^problem {2}issuer {8}issuer_host: a\\u001b\[31mb$/),
    `${' '.repeat(11)}line`,
    '1 problem.',
  ])
})

/** A port on which nothing listens any more. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}
