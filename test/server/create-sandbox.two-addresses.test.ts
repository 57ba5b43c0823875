import { allowInsecureRequests, discovery } from 'openid-client'
import { expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'

const BASE = 'http://localhost:2435'
const INTERNAL = 'http://agekey-sandbox:2435'
const discoveryOf = (flow: 'use' | 'create') => `/v1/oidc/${flow}/.well-known/openid-configuration`

test('E6 gives who calls by the internal URL the addresses for servers, and keeps issuer and authorization endpoint', async () => {
  const { request, internalUrl } = await startSandbox({ baseUrl: `${BASE}/age`, internalUrl: `${INTERNAL}/` })
  expect(internalUrl).toBe(INTERNAL)
  const read = async (path: string) => (await request.get(path).set('Host', 'agekey-sandbox:2435')).body
  for (const tenant of ['', '/t/ci-1']) {
    expect(await read(`${tenant}${discoveryOf('use')}`)).toMatchObject({
      issuer: `${BASE}/age${tenant}/v1/oidc/use`,
      authorization_endpoint: `${BASE}/age${tenant}/v1/oidc/use`,
      token_endpoint: `${INTERNAL}${tenant}/v1/oidc/use/token`,
      jwks_uri: `${INTERNAL}${tenant}/.well-known/jwks.json`,
    })
    expect(await read(`${tenant}${discoveryOf('create')}`)).toMatchObject({
      issuer: `${BASE}/age${tenant}/v1/oidc/create`,
      authorization_endpoint: `${BASE}/age${tenant}/v1/oidc/create`,
      pushed_authorization_request_endpoint: `${INTERNAL}${tenant}/v1/oidc/create/par`,
      jwks_uri: `${INTERNAL}${tenant}/.well-known/jwks.json`,
    })
  }
  const other = (await request.get(discoveryOf('use')).set('Host', 'evil.example:2435')).text
  expect(other).not.toMatch(/agekey-sandbox:|evil/)
})

test('What discovery names below an internal URL is served, also with a path of its own', async () => {
  const { request } = await startSandbox({ internalUrl: 'http://gateway.internal/age' })
  const { body } = await request.get(discoveryOf('use')).set('Host', 'gateway.internal')
  expect(body.jwks_uri).toBe('http://gateway.internal/age/.well-known/jwks.json')
  for (const path of ['/age', '/age/t/ci-1']) await request.get(`${path}/.well-known/jwks.json`).expect(200)
})

test('With trust_host openid-client discovers by one address what is issued under another', async () => {
  const { url, request } = await startSandbox({ baseUrl: BASE, trustHost: true })
  expect((await request.get(`/t/ci-1${discoveryOf('use')}`).set('Host', 'my_sandbox:8080')).body).toMatchObject({
    issuer: `${BASE}/t/ci-1/v1/oidc/use`,
    token_endpoint: 'http://my_sandbox:8080/t/ci-1/v1/oidc/use/token',
  })
  const issuer = new URL(`${url}${discoveryOf('use')}`)
  const options = { execute: [allowInsecureRequests] }
  const found = await discovery(issuer, 'ak_test_sandbox', 'sk_test_sandbox', undefined, options)
  expect(found.serverMetadata()).toMatchObject({ token_endpoint: `${url}/v1/oidc/use/token` })
})

test('A base path is served below itself and at the top, and is part of the base URL', async () => {
  const { url, baseUrl, request } = await startSandbox({ basePath: '/agekey/' })
  expect(baseUrl).toBe(`http://localhost:${new URL(url).port}/agekey`)
  for (const path of ['/agekey/t/ci-1', '/t/ci-1']) {
    const { body } = await request.get(`${path}${discoveryOf('use')}`)
    expect(body).toMatchObject({ issuer: `${baseUrl}/t/ci-1/v1/oidc/use` })
  }
})

test('A base URL whose path means something to Express is served as it is written', async () => {
  const { baseUrl, request } = await startSandbox({ baseUrl: `${BASE}/a:b(c)*` })
  await request.get(`${new URL(baseUrl).pathname}/.well-known/jwks.json`).expect(200)
  await request.get('/axx/.well-known/jwks.json').expect(404)
})
