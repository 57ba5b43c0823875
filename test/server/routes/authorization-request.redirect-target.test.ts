import { expect, test } from 'vitest'
import {
  type Changes,
  createRequest,
  pushedRequest,
  REDIRECT_URI,
  useRequest,
} from '../../support/requests.ts'
import { shareSandbox, startSandbox } from '../../support/sandbox.ts'

const registered = 'https://shop.example/callback?a=1'
const SHOP = { clientId: 'shop', clientSecret: 's', redirectUris: [registered], persona: 'teen-16' }
const sandbox = await shareSandbox({ clients: [SHOP] })
const use = (changes: Changes) => sandbox.request.get('/v1/oidc/use').query(useRequest(changes))

const LOOPBACK = [
  'http://localhost/cb',
  'http://localhost:3000',
  'https://localhost/cb',
  'http://127.0.0.1:8080/cb',
]
LOOPBACK.push('http://[::1]:8080/cb', 'http://localhost:65535/a/b/c?x=1&y=2')
test.each(LOOPBACK)('The built-in client is answered at %j', async (redirect_uri) => {
  const location = new URL(
    (await use({ redirect_uri, sandbox_persona: 'teen-16' })).headers.location ?? '',
  )
  location.hash = ''
  expect(location.href).toBe(new URL(redirect_uri).href)
  await sandbox.request
    .post('/v1/oidc/create/par')
    .type('form')
    .send(pushedRequest({ redirect_uri }))
    .expect(201)
})

const AFTER_HTTP = `
  //localhost:3000@evil.example/ //user@localhost:3000/cb //user:pass@localhost:3000/cb //@localhost:3000/cb
  //localhost.evil.example/cb //evil.example/localhost //evil.example?localhost //127.0.0.1.evil.example/
  //localhost:99999/cb //[::2]/cb //0.0.0.0/cb //localhost:3000/cb#fragment //localhost:3000/cb#
  \\\\localhost/cb localhost/cb /localhost/cb ///localhost/cb //localhost\\.evil.example/`
const NOT_HTTP = `
  https://evil.example javascript:alert(1)//localhost data:text/html,x ftp://localhost myapp://localhost
  //localhost/cb /cb localhost:3000/cb`
const BLANK = [
  ' http://localhost/cb',
  'http://localhost/cb ',
  'http://localhost/\tcb',
  'http://localhost/\r\ncb',
]
const REDIRECT_URIS = [
  ...AFTER_HTTP.trim()
    .split(/\s+/)
    .map((rest) => `http:${rest}`),
  ...[...NOT_HTTP.trim().split(/\s+/), ...BLANK, 'not a url', undefined, ''],
]
const CLIENT_IDS = [
  'nobody',
  '',
  undefined,
  '__proto__',
  'constructor',
  'ak_test_sandbox ',
  'AK_TEST_SANDBOX',
]

test.each([
  ...REDIRECT_URIS.map((redirect_uri) => ({ redirect_uri })),
  ...CLIENT_IDS.map((client_id) => ({ client_id })),
])('A page, never a redirect, answers a request with %j', async (changes: Changes) => {
  const decided = { sandbox_persona: 'teen-16', ...changes }
  const create = sandbox.request
    .get('/v1/oidc/create')
    .query(createRequest('urn:svc:request:x', decided))
  for (const { status, headers } of [await use(decided), await create]) {
    expect(status).toBe(400)
    expect(headers.location).toBeUndefined()
    expect(headers['content-type']).toMatch(/^text\/html/)
  }
})

test.each(['redirect_uri', 'client_id'])(
  'A page, never a redirect, answers E1 with two of %s',
  async (name) => {
    const query = new URLSearchParams(useRequest({ sandbox_persona: 'teen-16' }))
    query.append(name, query.get(name) ?? '')
    const { status, headers } = await sandbox.request.get('/v1/oidc/use').query(String(query))
    expect(status).toBe(400)
    expect(headers.location).toBeUndefined()
  },
)

test('A declared client is answered at its own address, character by character', async () => {
  const statusOf = async (redirect_uri: string) =>
    (await use({ client_id: 'shop', redirect_uri })).status
  expect(await statusOf(registered)).toBe(302)
  const others = [
    'shop.example/callback',
    'shop.example/callback?a=1&b=2',
    'shop.example/callback/?a=1',
  ]
  others.push('SHOP.example/callback?a=1', 'shop.example:443/callback?a=1')
  for (const other of [
    ...others.map((rest) => `https://${rest}`),
    registered.replace('s:', ':'),
    REDIRECT_URI,
  ])
    expect(await statusOf(other), other).toBe(400)
})

test('E1 knows the built-in client only while it is not switched off', async () => {
  const { request, client } = await startSandbox({ builtinClient: false, clients: [SHOP] })
  expect((await request.get('/v1/oidc/use').query(useRequest()).expect(400)).text).toMatch(
    /Registered: shop\.</,
  )
  expect(client).toEqual({ clientId: 'shop', clientSecret: 's' })
})
