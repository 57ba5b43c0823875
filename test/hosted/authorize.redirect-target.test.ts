import { describe, expect, test } from 'vitest'
import { readError } from '../support/error-body.ts'
import { createRequest, pushedRequest, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const ALLOWED = [
  'http://localhost/cb',
  'http://localhost:3000',
  'http://localhost:65535/a/b/c?x=1&y=2',
  'https://localhost/cb',
  'http://127.0.0.1:8080/cb',
  'http://[::1]:8080/cb',
]

const REFUSED = [
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
]

describe('The built-in client is answered at', () => {
  test.each(ALLOWED)('%j', async (redirect_uri) => {
    const sandbox = await startSandbox()
    const query = useRequest({ redirect_uri, sandbox_persona: 'teen-16' })
    const location = new URL((await sandbox.request.get('/v1/oidc/use').query(query)).headers.location ?? '')
    location.hash = ''
    expect(location.href).toBe(new URL(redirect_uri).href)
    await sandbox.request.post('/v1/oidc/create/par').type('form').send(pushedRequest({ redirect_uri })).expect(201)
  })
})

describe('A page, never a redirect, answers', () => {
  test.each([...REFUSED, undefined, ''])('E1 and E3 with redirect_uri %j', async (redirect_uri) => {
    const sandbox = await startSandbox()
    const queries = [
      ['/v1/oidc/use', useRequest({ redirect_uri, sandbox_persona: 'teen-16' })],
      ['/v1/oidc/create', createRequest('urn:svc:request:x', { redirect_uri, sandbox_persona: 'teen-16' })],
    ] as const
    for (const [path, query] of queries) {
      const answer = await sandbox.request.get(path).query(query)
      expect(answer.status, path).toBe(400)
      expect(answer.headers.location, path).toBeUndefined()
      expect(answer.headers['content-type'], path).toMatch(/^text\/html/)
    }
  })

  test.each(['nobody', '', undefined, '__proto__', 'constructor', 'ak_test_sandbox ', 'AK_TEST_SANDBOX'])(
    'E1 and E3 with client_id %j',
    async (client_id) => {
      const sandbox = await startSandbox()
      for (const [path, query] of [
        ['/v1/oidc/use', useRequest({ client_id })],
        ['/v1/oidc/create', createRequest('urn:svc:request:x', { client_id })],
      ] as const) {
        const answer = await sandbox.request.get(path).query(query)
        expect(answer.status, path).toBe(400)
        expect(answer.headers.location, path).toBeUndefined()
      }
    },
  )

  test('a request with two redirect_uris or two client_ids', async () => {
    const sandbox = await startSandbox()
    for (const name of ['redirect_uri', 'client_id']) {
      const query = new URLSearchParams(useRequest({ sandbox_persona: 'teen-16' }))
      query.append(name, query.get(name) ?? '')
      const answer = await sandbox.request.get('/v1/oidc/use').query(String(query))
      expect(answer.status, name).toBe(400)
      expect(answer.headers.location, name).toBeUndefined()
    }
  })

  test('a declared client at any address but its own, character by character', async () => {
    const registered = 'https://shop.example/callback?a=1'
    const client = { clientId: 'shop', clientSecret: 's', redirectUris: [registered], persona: 'teen-16' }
    const sandbox = await startSandbox({ clients: [client] })
    const statusOf = async (redirect_uri: string) =>
      (await sandbox.request.get('/v1/oidc/use').query(useRequest({ client_id: 'shop', redirect_uri }))).status
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
})

test('E1 answers JSON instead of the page when the caller asks for JSON', async () => {
  const sandbox = await startSandbox()
  const headers = { Accept: 'application/json' }
  const answer = await sandbox.request
    .get('/v1/oidc/use')
    .set(headers)
    .query(useRequest({ client_id: 'nobody' }))
    .expect(400)
  expect(readError(answer)).toMatchObject({ error: 'invalid_client', findings: [{ rule: 'USE-01', level: 'error' }] })
})

test('E1 knows the built-in client only while it is not switched off', async () => {
  const client = { clientId: 'shop', clientSecret: 's', redirectUris: ['https://shop.example/callback'] }
  const sandbox = await startSandbox({ builtinClient: false, clients: [client] })
  await sandbox.request.get('/v1/oidc/use').query(useRequest()).expect(400)
})
