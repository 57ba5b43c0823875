import { expect, test } from 'vitest'
import { readError } from '../support/error-body.ts'
import { type Changes, createRequest, pushedRequest, useRequest } from '../support/requests.ts'
import { shareSandbox, startSandbox } from '../support/sandbox.ts'

const registered = 'https://shop.example/callback?a=1'
const SHOP = { clientId: 'shop', clientSecret: 's', redirectUris: [registered], persona: 'teen-16' }
const sandbox = await shareSandbox({ clients: [SHOP] })
const use = (changes: Changes) => sandbox.request.get('/v1/oidc/use').query(useRequest(changes))

/** What E1 and E3 answer to these parameters, each a page that redirects nowhere. */
async function expectPages(changes: Changes): Promise<void> {
  const decided = { sandbox_persona: 'teen-16', ...changes }
  const create = sandbox.request.get('/v1/oidc/create').query(createRequest('urn:svc:request:x', decided))
  for (const { status, headers } of [await use(decided), await create]) {
    expect([status, headers.location, headers['content-type']]).toEqual([
      ...[400, undefined, expect.stringMatching(/^text\/html/)],
    ])
  }
}

test.each([
  'http://localhost/cb',
  'http://localhost:3000',
  'http://localhost:65535/a/b/c?x=1&y=2',
  'https://localhost/cb',
  'http://127.0.0.1:8080/cb',
  'http://[::1]:8080/cb',
])('The built-in client is answered at %j', async (redirect_uri) => {
  const location = new URL((await use({ redirect_uri, sandbox_persona: 'teen-16' })).headers.location ?? '')
  location.hash = ''
  expect(location.href).toBe(new URL(redirect_uri).href)
  await sandbox.request.post('/v1/oidc/create/par').type('form').send(pushedRequest({ redirect_uri })).expect(201)
})

test.each([
  'http://localhost:3000@evil.example/',
  'http://user@localhost:3000/cb',
  'http://user:pass@localhost:3000/cb',
  'http://@localhost:3000/cb',
  'http://localhost:3000/cb#fragment',
  'http://localhost:3000/cb#',
  'http://localhost\\.evil.example/',
  'http:\\\\localhost/cb',
  'http:localhost/cb',
  'http:/localhost/cb',
  'http:///localhost/cb',
  'http://localhost.evil.example/cb',
  'http://evil.example/localhost',
  'http://evil.example?localhost',
  'http://localhost:99999/cb',
  'http://127.0.0.1.evil.example/',
  'http://[::2]/cb',
  'http://0.0.0.0/cb',
  'https://evil.example/cb',
  'javascript:alert(1)//localhost',
  'data:text/html,x',
  'ftp://localhost/cb',
  'myapp://localhost/cb',
  '//localhost/cb',
  '/cb',
  'localhost:3000/cb',
  ' http://localhost/cb',
  'http://localhost/cb ',
  'http://localhost/\tcb',
  'http://localhost/\r\ncb',
  'not a url',
  undefined,
  '',
])('A page, never a redirect, answers E1 and E3 with redirect_uri %j', (redirect_uri) => expectPages({ redirect_uri }))

test.each(['nobody', '', undefined, '__proto__', 'constructor', 'ak_test_sandbox ', 'AK_TEST_SANDBOX'])(
  'A page, never a redirect, answers E1 and E3 with client_id %j',
  (client_id) => expectPages({ client_id }),
)

test.each(['redirect_uri', 'client_id'])('A page, never a redirect, answers E1 with two of %s', async (name) => {
  const query = new URLSearchParams(useRequest({ sandbox_persona: 'teen-16' }))
  query.append(name, query.get(name) ?? '')
  const { status, headers } = await sandbox.request.get('/v1/oidc/use').query(String(query))
  expect([status, headers.location]).toEqual([400, undefined])
})

test('A declared client is answered at its own address, character by character', async () => {
  const statusOf = async (redirect_uri: string) => (await use({ client_id: 'shop', redirect_uri })).status
  expect(await statusOf(registered)).toBe(302)
  for (const other of [
    'https://shop.example/callback',
    'https://shop.example/callback?a=1&b=2',
    'https://shop.example/callback/?a=1',
    'https://SHOP.example/callback?a=1',
    'https://shop.example:443/callback?a=1',
    'http://shop.example/callback?a=1',
    'http://localhost:3000/callback',
  ]) {
    expect(await statusOf(other), other).toBe(400)
  }
})

test('E1 answers JSON instead of the page when the caller asks for JSON', async () => {
  const answer = await use({ client_id: 'nobody' }).set('Accept', 'application/json').expect(400)
  expect(readError(answer)).toMatchObject({ error: 'invalid_client', findings: [{ rule: 'USE-01', level: 'error' }] })
})

test('E1 knows the built-in client only while it is not switched off', async () => {
  const { request } = await startSandbox({ builtinClient: false, clients: [SHOP] })
  await request.get('/v1/oidc/use').query(useRequest()).expect(400)
})
