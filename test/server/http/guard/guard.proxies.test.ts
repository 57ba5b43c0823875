import { expect, test } from 'vitest'
import type { Answer } from '../../../support/http-client.ts'
import { shareSandbox, startSandbox, type TestSandbox } from '../../../support/sandbox.ts'

const TOKEN = 'not-a-real-token'
const BEARER = { Authorization: `Bearer ${TOKEN}` }
const BEYOND = 'https://sandbox.example.com'

/**
 * What a proxy on this machine, such as nginx, Caddy or a tunnel, says of a caller from elsewhere.
 */
const CALLER = '203.0.113.9'
const FORWARDED = { 'X-Forwarded-For': CALLER }

type Options = NonNullable<Parameters<typeof startSandbox>[0]>
type Headers = Readonly<Record<string, string>>

const BY_LOOPBACK: Options = { trustProxy: ['loopback'] }

const plain = await shareSandbox()
const withToken = await shareSandbox({ controlToken: TOKEN })

const advance = async ({ request }: Pick<TestSandbox, 'request'>, headers: Headers = {}) =>
  request.post('/_sandbox/clock').set(headers).send({ advance: 60 })
const errorOf = ({ status, body }: Answer) => [status, body.error, body.error_description]

test('The control API is off with a base URL beyond this machine but without a token', async () => {
  const warnings: string[] = []
  const sandbox = await startSandbox({ baseUrl: BEYOND, onWarning: (text) => warnings.push(text) })
  for (const headers of [{}, { Via: '1.1 proxy' }]) {
    const [status, code, description] = errorOf(await advance(sandbox, headers))
    expect(status).toBe(403)
    expect(code).toBe('access_denied')
    expect(description).toContain(`the base URL ${BEYOND} names a host`)
    expect(description).toContain(
      'start it with --control-token TOKEN (in the library: controlToken)',
    )
  }
  expect((await sandbox.clock.state()).advanced_seconds).toBe(0)
})

test('A start warns that the control API is off', async () => {
  const warnings: string[] = []
  await startSandbox({ baseUrl: BEYOND, onWarning: (text) => warnings.push(text) })
  expect(warnings).toEqual([
    expect.stringMatching(/^the control API is off: the base URL https:\/\/sandbox/),
  ])
  expect(warnings[0]).toContain('start it with the option controlToken')
})

test.each([
  ['https://localhost.example.com', 403],
  ['https://127.0.0.1.example.com', 403],
  ['http://127.0.0.2:9', 200],
  ['https://age.localhost', 200],
  ['http://[::1]:2435', 200],
])('Without a token a control call below the base URL %s gets %i', async (baseUrl, status) => {
  const warnings: string[] = []
  const sandbox = await startSandbox({ baseUrl, onWarning: (text) => warnings.push(text) })
  expect((await advance(sandbox)).status).toEqual(status)
  expect(warnings).toHaveLength(status === 403 ? 1 : 0)
})

test.each([
  ...['X-Forwarded-For', 'X-Real-IP', 'X-Client-IP', 'True-Client-IP', 'CF-Connecting-IP'].map(
    (name) => [name, CALLER],
  ),
  ['x-forwarded-host', 'sandbox.example.com'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-Port', '443'],
  ['Forwarded', 'for=203.0.113.9;proto=https'],
  ['Via', '1.1 tunnel'],
  ['X-Forwarded-For', '127.0.0.1'],
])(
  'Through an untrusted proxy that adds %s: %s no call drives a sandbox without a token',
  async (name = '', value) => {
    const [status, code, description] = errorOf(await advance(plain, { [name]: String(value) }))
    expect(status).toBe(403)
    expect(code).toBe('access_denied')
    expect(description).toContain(`the call came with ${name}: ${JSON.stringify(value)}`)
    expect(description).toContain('--control-token')
    expect((await plain.clock.state()).advanced_seconds).toBe(0)
  },
)

test.each([
  ['Fly-Client-IP', CALLER],
  ['Tailscale-User-Login', 'ada@example.com'],
  ['CF-Ray', '8f0e1c2d3b4a5968-FRA'],
])(
  'A call with the header %s of a platform or tunnel drives no sandbox without a token',
  async (name, value) => {
    const [status, , description] = errorOf(await advance(plain, { [name]: value }))
    expect(status).toBe(403)
    expect(description).toContain(`the call came with ${name}: ${JSON.stringify(value)}`)
  },
)

test('The answer to a proxied call names a header that holds a credential without its value', async () => {
  const [, , description] = errorOf(
    await advance(plain, { 'Cf-Access-Jwt-Assertion': 'eyJhbGciOiJSUzI1NiJ9' }),
  )
  expect(description).toContain(
    'the call came with the header Cf-Access-Jwt-Assertion, through a proxy',
  )
  expect(description).not.toContain('eyJ')
})

test('A trusted proxy that names its caller by a header of its vendor alone opens nothing', async () => {
  const { request } = await startSandbox(BY_LOOPBACK)
  const { status, body } = await request
    .get('/_sandbox/flows')
    .set({ 'Fastly-Client-IP': '127.0.0.1' })
  expect(status).toBe(403)
  expect(body.error_description).toContain('Fastly-Client-IP: "127.0.0.1" and no X-Forwarded-For')
})

test('A proxied call without the token gets a 401 that names the missing header', async () => {
  const refused = await advance(withToken, FORWARDED)
  expect(refused.headers['www-authenticate']).toMatch(/^Bearer /)
  expect(errorOf(refused)[2]).toMatch(
    /^Authorization: it is absent; .* X-Forwarded-For: "203\.0\.113\.9"/,
  )
})

test('A proxied call with a wrong token gets 401', async () => {
  for (const Authorization of ['Bearer wrong', `Basic ${TOKEN}`])
    expect((await advance(withToken, { ...FORWARDED, Authorization })).status).toBe(401)
})

test('A proxied call with the token is accepted', async () => {
  expect((await advance(withToken, { ...FORWARDED, ...BEARER })).status).toBe(200)
})

test('A call on this machine needs no token', async () => {
  // The developer at the machine itself needs none.
  expect((await advance(withToken)).status).toBe(200)
})

const GUARDED = [
  'console',
  'console/flows',
  'console/force',
  'events',
  'act-as/teen-16',
  'openapi.json',
  'catalog',
]

test.each([
  ...GUARDED.map((path) => ['get', path] as const),
  ...['console/force', 'act-as/teen-16'].map((path) => ['post', path] as const),
])('Through a proxy %s %s is not open', async (method, path) => {
  const call = plain.request[method](`/_sandbox/${path}`).set(FORWARDED)
  const { status, headers } = await (method === 'post'
    ? call.type('form').send({ advance: '60' })
    : call)
  expect(status).toBe(403)
  expect(headers['set-cookie']).toBeUndefined()
})

test.each(['/_sandbox/health', '/.well-known/jwks.json', '/_sandbox/demo'])(
  'A proxy may open %s',
  async (path) => {
    await plain.request.get(path).set(FORWARDED).expect(200)
  },
)

test('Through a proxy the home page hides the secret of the config', async () => {
  const shop = {
    clientId: 'shop',
    clientSecret: 'of-the-config',
    redirectUris: ['https://shop.example/cb'],
  }
  const { request } = await startSandbox({ clients: [shop], builtinClient: false })
  expect((await request.get('/').set(FORWARDED)).text).not.toContain('of-the-config')
  expect((await request.get('/')).text).toContain('of-the-config')
})

test.each<[string, Options, Headers]>([
  ['Through a proxy that is not trusted', {}, FORWARDED],
  ['Through a trusted proxy for a caller from elsewhere', BY_LOOPBACK, FORWARDED],
  ['With a base URL beyond this machine', { baseUrl: BEYOND }, {}],
  ['Where the sandbox listens beyond this machine', { host: '0.0.0.0' }, {}],
])('%s only a PUT with the control token makes a tenant', async (_sentence, options, added) => {
  const { request } = await startSandbox({ ...options, controlToken: TOKEN })
  const trusted = { ...added, ...BEARER }
  const namesOf = async () => {
    const { tenants } = (await request.get('/_sandbox/tenants').set(trusted)).body as {
      tenants: { name: string }[]
    }
    return tenants.map(({ name }) => name)
  }
  const keySet = () => request.get('/t/ci-1/.well-known/jwks.json').set(added)
  const missing = /^tenant: there is no "ci-1".*PUT http.*\/_sandbox\/tenants\/ci-1$/
  expect(errorOf(await keySet())).toEqual([404, 'not_found', expect.stringMatching(missing)])
  await request.get('/t/ci-1/_sandbox/clock').set(trusted).expect(404)
  const decision = { flow: 'use', outcome: 'access_denied' }
  const queued = await request.post('/t/ci-1/_sandbox/expectations').set(trusted).send(decision)
  expect(errorOf(queued)).toEqual([
    404,
    'not_found',
    expect.stringMatching(/PUT http.*tenants\/ci-1$/),
  ])
  expect(await namesOf()).toEqual(['default'])

  await request.put('/_sandbox/tenants/ci-1').set(trusted).send({}).expect(201)
  expect((await keySet()).status).toBe(200)
  expect(await namesOf()).toEqual(['default', 'ci-1'])
  for (const name of ['Upper', 'default'])
    await request.get(`/t/${name}/_sandbox/health`).set(added).expect(400)
})

test('Without a control token in the settings the answer says that a tenant beyond this machine needs one', async () => {
  const { body } = await plain.request
    .get('/t/ci-1/.well-known/jwks.json')
    .set(FORWARDED)
    .expect(404)
  expect(body.error_description).toContain(
    'make it with a control token, which this sandbox does not have yet: PUT ',
  )
})

test('On this machine, also through a trusted proxy, the call itself makes a tenant', async () => {
  const { request } = await startSandbox(BY_LOOPBACK)
  const added = { 'X-Forwarded-For': '::1', 'X-Forwarded-Host': 'localhost' }
  await request.get('/t/one/.well-known/jwks.json').set(added).expect(200)
  await request.get('/t/two/.well-known/jwks.json').expect(200)
})

const HTTPS = {
  'X-Forwarded-Host': 'app.internal:9000',
  'X-Forwarded-Proto': 'https',
  ...FORWARDED,
}
const named = (host: string, others: Headers = {}) => ({ 'X-Forwarded-Host': host, ...others })
const by = (host: string, protocol: string) =>
  named(host, { Host: 'x', 'X-Forwarded-Proto': protocol })

test.each<[trustProxy: string[], Headers, address: string]>([
  [['loopback'], HTTPS, 'https://app.internal:9000'],
  [['127.0.0.1'], HTTPS, 'https://app.internal:9000'],
  [['10.0.0.0/8', '127.0.0.0/8'], HTTPS, 'https://app.internal:9000'],
  [['10.0.0.0/8'], HTTPS, 'OWN'],
  [[], HTTPS, 'OWN'],
  // Of a list the first one counts; no other protocol than https does, and no host that is none.
  [['loopback'], by('a.example, b.example', 'https, http'), 'https://a.example'],
  [['loopback'], by('a.example', 'javascript'), 'http://a.example'],
  [['loopback'], by('a.example/x', 'https'), 'BASE'],
])(
  'Trusting the proxies %j, discovery answers the forwarded headers %j for %s',
  async (trustProxy, headers, address) => {
    const { request, url, baseUrl } = await startSandbox({ trustHost: true, trustProxy })
    const call = request.get('/v1/oidc/use/.well-known/openid-configuration')
    const { body } = await call.set({ Host: new URL(url).host, ...headers })
    expect(body.jwks_uri.replace(url, 'OWN').replace(baseUrl, 'BASE')).toBe(
      `${address}/.well-known/jwks.json`,
    )
  },
)

const FAR = { ...BY_LOOPBACK, baseUrl: BEYOND }
const MACHINE = { 'X-Forwarded-For': '127.0.0.1' }
const BY_NAME = { Host: 'agekey-sandbox:2435' }
const AT_INTERNAL = { ...BY_LOOPBACK, internalUrl: 'http://age.internal' }

/**
 * A sentence, the status of a control call, the options of the sandbox, and the headers of the
 * call.
 */
const CONTROL: readonly (readonly [string, number, Options, Headers])[] = [
  [
    'the name of the internal URL is taken',
    200,
    { internalUrl: 'http://agekey-sandbox:2435' },
    BY_NAME,
  ],
  ['trust_host is no invitation', 403, { trustHost: true }, BY_NAME],
  ['a control token opens by any name', 200, { controlToken: TOKEN }, { ...BY_NAME, ...BEARER }],
  ['a forwarded name opens nothing', 403, {}, named('localhost', { Host: 'evil.example' })],
  ['a forwarded name of a trusted proxy is judged', 403, BY_LOOPBACK, named('evil.example')],
  [
    'a trusted proxy may forward the name of the internal URL',
    200,
    AT_INTERNAL,
    named('age.internal', { Host: 'x' }),
  ],
  [
    'with a base URL elsewhere a trusted proxy opens nothing',
    403,
    FAR,
    named('sandbox.example.com', MACHINE),
  ],
  [
    'a trusted proxy that passes on a stranger opens nothing',
    403,
    BY_LOOPBACK,
    named('localhost', FORWARDED),
  ],
  [
    'a trusted proxy that names its caller by another header opens nothing',
    403,
    BY_LOOPBACK,
    named('localhost', { 'X-Real-IP': '127.0.0.1' }),
  ],
]

test.each(CONTROL)('At the control API %s: %i', async (_sentence, status, options, headers) => {
  const { request } = await startSandbox(options)
  expect((await request.get('/_sandbox/flows').set(headers)).status).toBe(status)
})

test.each([
  ['loopback', 204],
  ['10.0.0.0/8', 403],
])(
  'Trusting the proxy %s, a form of the forwarded origin is answered with %i',
  async (proxy, status) => {
    const { request } = await startSandbox({
      internalUrl: 'http://app.internal',
      trustProxy: [proxy],
    })
    const forwarded = {
      'X-Forwarded-Host': 'app.internal',
      'X-Forwarded-Proto': 'https',
      Origin: 'https://app.internal',
    }
    expect((await request.post('/_sandbox/reset').set(forwarded).send({})).status).toBe(status)
  },
)

test.each([
  ['loopback', 'https', true],
  ['loopback', 'http', false],
  ['10.0.0.0/8', 'https', false],
])(
  'Trusting the proxy %s, a cookie given by forwarded %s is Secure: %j',
  async (proxy, protocol, isSecure) => {
    const { request } = await startSandbox({ controlToken: TOKEN, trustProxy: [proxy] })
    const act = request
      .post('/_sandbox/act-as/teen-16')
      .set({ 'X-Forwarded-Proto': protocol, ...BEARER })
    const [cookie = ''] = (await act.send({})).get('Set-Cookie') ?? []
    expect(cookie).toMatch(/^agekey_sandbox_persona=teen-16/)
    expect(/; Secure(?:;|$)/.test(cookie)).toBe(isSecure)
  },
)
