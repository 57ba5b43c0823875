import { createRemoteJWKSet, jwtVerify } from 'jose'
import { allowInsecureRequests, discovery } from 'openid-client'
import { expect, test } from 'vitest'
import { createBrowserClient } from '../support/browser-client.ts'
import { readCallback } from '../support/callbacks.ts'
import { createClient } from '../support/http-client.ts'
import { idTokenOf } from '../support/id-tokens.ts'
import { textOf } from '../support/markup.ts'
import { forwardPort } from '../support/port-forward.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { useRequest } from '../support/requests.ts'
import { shareSandbox, startSandbox, type TestSandbox } from '../support/sandbox.ts'

const USE_DISCOVERY = '/v1/oidc/use/.well-known/openid-configuration'
const CREATE_DISCOVERY = '/v1/oidc/create/.well-known/openid-configuration'

const sandbox = await shareSandbox()

/** The sandbox by a port that is mapped to its own one. */
async function mapped({ url }: Pick<TestSandbox, 'url'> = sandbox) {
  const address = await forwardPort(url)
  const client = createClient(address)
  return { address, ...client, rp: createRelyingParty(client) }
}

/** What a call with this Host header is answered. */
const at = (host: string, path: string, { request } = sandbox) =>
  request.get(path).set('Host', host)

test('openid-client discovers the sandbox at a mapped port without a setting', async () => {
  const { address } = await mapped()
  const issuer = new URL(`${address}/v1/oidc/use`)
  const options = { execute: [allowInsecureRequests] }
  const found = await discovery(issuer, 'ak_test_sandbox', 'sk_test_sandbox', undefined, options)
  expect(found.serverMetadata()).toMatchObject({
    issuer: issuer.href,
    authorization_endpoint: issuer.href,
    token_endpoint: `${issuer.href}/token`,
    jwks_uri: `${address}/.well-known/jwks.json`,
  })
})

test('An id_token that is issued at a mapped port verifies by what that port publishes', async () => {
  const { address, rp } = await mapped()
  const { params } = await rp.use()
  const keys = createRemoteJWKSet(new URL(`${address}/.well-known/jwks.json`))
  const expected = { issuer: `${address}/v1/oidc/use`, audience: 'ak_test_sandbox' }
  const { payload } = await jwtVerify(params['id_token'] ?? '', keys, expected)
  expect(payload['nonce']).toBe('nonce-1')
})

test('The discovery document of Create speaks the port of the caller', async () => {
  const { address, request } = await mapped()
  expect((await request.get(CREATE_DISCOVERY)).body).toMatchObject({
    issuer: `${address}/v1/oidc/create`,
    pushed_authorization_request_endpoint: `${address}/v1/oidc/create/par`,
  })
})

test('A code that was issued at one address is exchanged at another', async () => {
  const { rp } = await mapped()
  const code = await rp.obtainCode()
  expect((await createRelyingParty(sandbox).exchange(code)).status).toBe(200)
})

test('A request that was pushed at one address is used at another', async () => {
  const { rp } = await mapped()
  const pushed = await createRelyingParty(sandbox).obtainRequestUri()
  expect((await rp.create(pushed, { sandbox_persona: 'no-age-key' })).params).toEqual({
    state: 'state-1',
  })
})

test('An access token that was issued at one address is used at another', async () => {
  const { rp } = await mapped()
  const token = await createRelyingParty(sandbox).obtainToken()
  expect((await rp.upgrade(token)).status).toBe(200)
})

test('The id_token names the address of the authorization request, wherever the form of its page is sent', async () => {
  const { address, request } = await mapped()
  const { text } = await request.get('/v1/oidc/use').query(useRequest())
  const [, transaction = ''] = /name="transaction" value="([^"]+)"/.exec(text) ?? []
  const form = { transaction, persona: 'adult-passport' }
  const callback = readCallback(
    await sandbox.request.post('/v1/oidc/use/choice').type('form').send(form),
  )
  expect(idTokenOf(callback).iss).toBe(`${address}/v1/oidc/use`)
})

test('The error of a refused request links to the flow at the port of the caller', async () => {
  const { address, request } = await mapped()
  const { body } = await request.post('/v1/oidc/use/token').type('form').send({})
  expect(body.error_uri).toMatch(`${address}/_sandbox/console/flows/`)
})

test('A tenant at a mapped port has its issuer there', async () => {
  const { address, request } = await mapped()
  const { body } = await request.get(`/t/ci-1${USE_DISCOVERY}`)
  expect(body.issuer).toBe(`${address}/t/ci-1/v1/oidc/use`)
})

test('The control API describes every tenant under the address of its caller', async () => {
  const { address, request } = await mapped()
  await request.put('/_sandbox/tenants/ci-2').send({})
  const { body } = await request.get('/_sandbox/tenants')
  const urls = body.tenants.map((tenant: { base_url: string }) => tenant.base_url)
  expect(urls).toContain(address)
  expect(urls).toContain(`${address}/t/ci-2`)
})

test('The page of the tenants shows their addresses at the port of the browser', async () => {
  const { address, request } = await mapped()
  await request.put('/_sandbox/tenants/ci-3').send({})
  const { text } = await request.get('/_sandbox/console/tenants')
  expect(text).toContain(`<code>${address}/t/ci-3</code>`)
})

test('A tool for coding agents answers with the address of its caller', async () => {
  const { address, request, rp } = await mapped()
  await rp.use()
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'explain_flow', arguments: {} },
  }
  const sent = request.post('/_sandbox/mcp').set('Accept', 'application/json, text/event-stream')
  const { text } = await sent.send(call)
  expect(text).toContain(address)
  expect(text).not.toContain(sandbox.baseUrl)
})

test('The demo passes its checks at a mapped port', async () => {
  const { address } = await mapped()
  const browser = createBrowserClient(address)
  const fields = { claims: '{"age_thresholds":[18]}', response_mode: 'query' }
  const begun = new URL(
    (await browser.submit('/_sandbox/demo/use', fields)).headers['location'] ?? '',
  )
  begun.searchParams.set('sandbox_persona', 'adult-passport')
  expect(begun.origin).toBe(address)
  const callback = new URL(
    (await browser.get(begun.pathname + begun.search)).headers['location'] ?? '',
  )
  expect(callback.origin).toBe(address)
  const shown = await browser.get(callback.pathname + callback.search)
  const result =
    shown.headers['location'] === undefined ? shown : await browser.get(shown.headers['location'])
  expect(textOf(result.text)).toContain('18: yes')
  expect(textOf(result.text)).not.toContain('fail')
})

test.each([
  '127.0.0.1:9',
  '127.9.9.9:2435',
  'shop.localhost',
  'localhost.:81',
  '[::1]:4000',
  '[::ffff:127.0.0.1]:80',
])('The loopback host %s is followed', async (host) => {
  const { origin } = new URL(`http://${host}`)
  expect((await at(host, USE_DISCOVERY)).body.issuer).toBe(`${origin}/v1/oidc/use`)
})

test.each([
  'evil.example',
  'localhost.evil.example:80',
  '128.0.0.1',
  '0.0.0.0:2435',
  'agekey-sandbox:2435',
  '[::2]',
])('The host "%s" is not followed', async (host) => {
  expect((await at(host, USE_DISCOVERY)).body.issuer).toBe(`${sandbox.baseUrl}/v1/oidc/use`)
})

test('A base URL that is set is the issuer at a mapped port too', async () => {
  const { request } = await mapped(await startSandbox({ baseUrl: 'http://localhost:2435' }))
  expect((await request.get(USE_DISCOVERY)).body).toMatchObject({
    issuer: 'http://localhost:2435/v1/oidc/use',
    token_endpoint: 'http://localhost:2435/v1/oidc/use/token',
  })
})

test('A base path stays below the address of the caller', async () => {
  const { address, request } = await mapped(await startSandbox({ basePath: '/age' }))
  expect((await request.get(`/age${USE_DISCOVERY}`)).body.issuer).toBe(`${address}/age/v1/oidc/use`)
})

test('A caller by the internal URL is told the issuer of browsers', async () => {
  const internalUrl = 'http://127.0.0.1:7777'
  const { request, baseUrl } = await startSandbox({ internalUrl })
  expect((await request.get(USE_DISCOVERY).set('Host', '127.0.0.1:7777')).body).toMatchObject({
    issuer: `${baseUrl}/v1/oidc/use`,
    token_endpoint: `${internalUrl}/v1/oidc/use/token`,
  })
})

test('With trust_host alone the issuer follows every name', async () => {
  const trusting = await startSandbox({ trustHost: true })
  expect((await at('my_sandbox:8080', USE_DISCOVERY, trusting)).body).toMatchObject({
    issuer: 'http://my_sandbox:8080/v1/oidc/use',
    jwks_uri: 'http://my_sandbox:8080/.well-known/jwks.json',
  })
})

test('With trust_host alone a form of the choice page is taken under every name', async () => {
  const { request } = await startSandbox({ trustHost: true })
  const { text } = await request.get('/v1/oidc/use').set('Host', 'age.test').query(useRequest())
  const [, transaction = ''] = /name="transaction" value="([^"]+)"/.exec(text) ?? []
  const form = { transaction, persona: 'adult-passport' }
  const sent = request
    .post('/v1/oidc/use/choice')
    .set({ Host: 'age.test', Origin: 'http://age.test' })
  expect(idTokenOf(readCallback(await sent.type('form').send(form))).iss).toBe(
    'http://age.test/v1/oidc/use',
  )
})

test('The address that a trusted proxy names is followed with its protocol', async () => {
  const { request } = await startSandbox({ trustProxy: ['loopback'] })
  const forwarded = { 'X-Forwarded-Host': 'shop.localhost', 'X-Forwarded-Proto': 'https' }
  expect((await request.get(USE_DISCOVERY).set(forwarded)).body.issuer).toBe(
    'https://shop.localhost/v1/oidc/use',
  )
})
