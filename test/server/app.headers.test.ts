import { describe, expect, test } from 'vitest'
import { readError } from '../support/error-body.ts'
import { createClient } from '../support/http-client.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { pushedRequest, tokenRequest, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const GETS = [
  '/',
  '/v1/oidc/use',
  `/v1/oidc/use?${new URLSearchParams(useRequest())}`,
  `/v1/oidc/use?${new URLSearchParams(useRequest({ sandbox_persona: 'teen-16' }))}`,
  '/v1/oidc/create',
  '/v1/oidc/use/.well-known/openid-configuration',
  '/.well-known/jwks.json',
  '/_sandbox/health',
  '/_sandbox/assets/app.css',
  '/no/such/page',
  '/t/%E0%A4%A/x',
  '/t/UPPER/v1/oidc/use',
]

describe('Every answer says that this is for testing only, and names no framework:', () => {
  test.each(GETS)('GET %s', async (path) => {
    const { headers } = await (await startSandbox()).request.get(path)
    expect(headers['x-agekey-sandbox']).toBe('testing-only')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['x-powered-by']).toBeUndefined()
  })

  test.each(['/v1/oidc/create/par', '/v1/oidc/use/token', '/v1/svc/upgrade', '/v1/oidc/use/choice', '/nowhere'])(
    'POST %s',
    async (path) => {
      const sandbox = await startSandbox()
      for (const body of [pushedRequest(), tokenRequest('x'), '', 'x'.repeat(70_000)]) {
        await sandbox.request.post(path).type('form').send(body).expect('x-agekey-sandbox', 'testing-only')
      }
      await sandbox.request.post(path).send({}).expect('x-agekey-sandbox', 'testing-only')
    },
  )
})

describe('HEAD', () => {
  test.each(['/', '/_sandbox/health', '/_sandbox/events', '/_sandbox/console/flows', '/.well-known/jwks.json'])(
    'of %s is its head, and nothing more',
    async (path) => {
      const answer = await (await startSandbox()).request.head(path).expect(200)
      expect(answer.text ?? '').toBe('')
    },
  )

  test.each(['/v1/oidc/use', '/v1/oidc/create'])('begins no flow at %s', async (path) => {
    await (await startSandbox()).request.head(path).query(useRequest()).expect(405)
  })
})

test.each([
  '/',
  `/v1/oidc/use?${new URLSearchParams(useRequest())}`,
  '/_sandbox/console/flows',
  '/_sandbox/demo',
  '/v1',
])('The page at %s may load from the sandbox alone, run no inline script and change no base address', async (path) => {
  const { headers } = await (await startSandbox()).request.get(path).set('Accept', 'text/html')
  const policy = String(headers['content-security-policy']).split('; ')
  const strict = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "base-uri 'none'"]
  expect(policy).toEqual(expect.arrayContaining(strict))
  expect(policy.join()).not.toContain('unsafe')
})

test('an address that is not served is answered by a page for a browser and in JSON for every other client', async () => {
  const sandbox = await startSandbox()
  const askedBy = async (path: string, Accept: string) =>
    (await sandbox.request.get(path).set('Accept', Accept)).headers
  const type = async (path: string, accept: string) => (await askedBy(path, accept))['content-type']
  expect(await type('/nothing', 'text/html,application/xhtml+xml,*/*;q=0.8')).toContain('text/html')
  expect(await type('/nothing', '*/*')).toContain('application/json')
  expect(await type('/_sandbox/nothing', 'text/html')).toContain('application/json')
  expect(await type('/_sandbox/console/nothing', 'text/html')).toContain('text/html')
})

test.each([
  [
    { query: useRequest({ sandbox_persona: 'teen16' }), headers: {} },
    'query parameter sandbox_persona: there is no persona "teen16"',
  ],
  [
    { query: useRequest(), headers: { 'X-Sandbox-Outcome': 'x' } },
    'request header X-Sandbox-Outcome: there is no outcome of use',
  ],
])('an unknown name is reported with the place where it stands', async ({ query, headers }, message) => {
  const sandbox = await startSandbox()
  const answer = await sandbox.request
    .get('/v1/oidc/use')
    .query(query)
    .set({ Accept: 'application/json', ...headers })
  expect(readError(answer).error_description).toContain(message)
})

describe('A path is answered', () => {
  test.each([
    ['/v1/oidc/create/par', 'get', 'POST'],
    ['/v1/oidc/use/token', 'get', 'POST'],
    ['/v1/svc/upgrade', 'put', 'POST'],
    ['/v1/oidc/use', 'delete', 'GET'],
    ['/v1/oidc/create', 'post', 'GET'],
    ['/v1/oidc/use/choice', 'get', 'POST'],
    ['/.well-known/jwks.json', 'post', 'GET'],
  ] as const)('%s by %s with 405 and Allow: %s', async (path, method, allowed) => {
    const answer = await (await startSandbox()).request[method](path).set('Accept', 'application/json').expect(405)
    expect(answer.headers.allow).toContain(allowed)
    expect(readError(answer).error).toBe('invalid_request')
  })

  test.each([
    '/v1/oidc/use/',
    '/V1/oidc/use',
    '/v1/oidc/use/tokens',
    '/v1/agekey/upgrade',
    '//v1/oidc/use',
    '/v2/oidc/use',
  ])('%s with 404 and JSON that says so', async (path) => {
    const answer = await (await startSandbox()).request.get(path).expect(404)
    expect(readError(answer)).toMatchObject({ error: 'invalid_request', findings: [] })
  })
})

test('A tenant has endpoints, issuer and links of its own below /t/NAME', async () => {
  const sandbox = await startSandbox()
  const discovery = await sandbox.request.get('/t/ci-1/v1/oidc/use/.well-known/openid-configuration')
  expect(discovery.body).toMatchObject({ issuer: `${sandbox.baseUrl}/t/ci-1/v1/oidc/use` })
  const page = await sandbox.request.get('/t/ci-1/v1/oidc/use').query(useRequest())
  expect(page.text).toContain('action="/t/ci-1/v1/oidc/use/choice"')
  const requestUri = await createRelyingParty(createClient(`${sandbox.url}/t/ci-1`)).obtainRequestUri()
  expect((await createRelyingParty(sandbox).create(requestUri)).params).toMatchObject({ error: 'invalid_request_uri' })
})

test('An answer to a server-to-server call is JSON even when the caller asks for HTML', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.request
    .post('/v1/oidc/use/token')
    .set('Accept', 'text/html')
    .type('form')
    .send(tokenRequest('x'))
  expect(readError(answer).error).toBe('invalid_client')
})
