import { allowInsecureRequests, discovery } from 'openid-client'
import { describe, expect, test } from 'vitest'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { startSandbox } from '../support/sandbox.ts'
import { discoveryBy } from './raw-call.ts'

const BASE = 'http://localhost:2435'
const INTERNAL = 'http://agekey-sandbox:2435'

describe('an internal URL', () => {
  test('E6 gives who calls by it the addresses for servers, and keeps issuer and authorization endpoint', async () => {
    const { url } = await startSandbox({ baseUrl: BASE, internalUrl: INTERNAL })
    expect(await discoveryBy(url, 'agekey-sandbox:2435')).toMatchObject({
      issuer: `${BASE}/v1/oidc/use`,
      authorization_endpoint: `${BASE}/v1/oidc/use`,
      token_endpoint: `${INTERNAL}/v1/oidc/use/token`,
      jwks_uri: `${INTERNAL}/.well-known/jwks.json`,
    })
    expect(await discoveryBy(url, 'agekey-sandbox:2435', { flow: 'create' })).toMatchObject({
      issuer: `${BASE}/v1/oidc/create`,
      authorization_endpoint: `${BASE}/v1/oidc/create`,
      pushed_authorization_request_endpoint: `${INTERNAL}/v1/oidc/create/par`,
      jwks_uri: `${INTERNAL}/.well-known/jwks.json`,
    })
  })

  test.each(['localhost:2435', '127.0.0.1:2435', 'agekey-sandbox', 'agekey-sandbox:80', 'evil.example:2435'])(
    'E6 gives who calls by %s the base URL throughout',
    async (host) => {
      const { url } = await startSandbox({ baseUrl: BASE, internalUrl: INTERNAL })
      const document = await discoveryBy(url, host)
      expect(document).toMatchObject({ token_endpoint: `${BASE}/v1/oidc/use/token` })
      expect(JSON.stringify(document)).not.toContain('agekey-sandbox:')
    },
  )

  test('a tenant has its own below both', async () => {
    const { url } = await startSandbox({ baseUrl: `${BASE}/age`, internalUrl: INTERNAL })
    expect(await discoveryBy(`${url}/t/ci-1`, 'agekey-sandbox:2435')).toMatchObject({
      issuer: `${BASE}/age/t/ci-1/v1/oidc/use`,
      token_endpoint: `${INTERNAL}/t/ci-1/v1/oidc/use/token`,
    })
  })

  test('what discovery names below it is served, also with a path of its own', async () => {
    const sandbox = await startSandbox({ internalUrl: 'http://gateway.internal/age', persona: 'adult-passport' })
    const { jwks_uri: jwksUri } = await discoveryBy(sandbox.url, 'gateway.internal')
    expect(jwksUri).toBe('http://gateway.internal/age/.well-known/jwks.json')
    await sandbox.request.get('/age/.well-known/jwks.json').expect(200)
    await sandbox.request.get('/age/t/ci-1/.well-known/jwks.json').expect(200)
  })

  test('iss of a token stays that of the base URL', async () => {
    const sandbox = await startSandbox({ baseUrl: BASE, internalUrl: INTERNAL })
    expect(idTokenOf(await createRelyingParty(sandbox).use()).iss).toBe(`${BASE}/v1/oidc/use`)
  })

  test('of two protocols of one host, that of the call counts', async () => {
    const { url } = await startSandbox({
      baseUrl: 'https://age.example:9443',
      internalUrl: 'http://age.example:9443',
      trustProxy: ['loopback'],
    })
    const by = (protocol: string) =>
      discoveryBy(url, 'age.example:9443', { headers: { 'X-Forwarded-Proto': protocol } })
    expect((await by('http'))['jwks_uri']).toMatch(/^http:/)
    expect((await by('https'))['jwks_uri']).toMatch(/^https:/)
  })

  test('the library returns the internal URL', async () => {
    const sandbox = await startSandbox({ internalUrl: `${INTERNAL}/` })
    expect(sandbox.internalUrl).toBe(INTERNAL)
  })
})

describe('trust_host', () => {
  test('without it a foreign name changes nothing', async () => {
    const sandbox = await startSandbox()
    expect((await discoveryBy(sandbox.url, 'app.internal:9'))['jwks_uri']).toBe(
      `${sandbox.baseUrl}/.well-known/jwks.json`,
    )
  })

  test('with it E6 answers in the name by which it was called, below the path of the base URL', async () => {
    const { url } = await startSandbox({ baseUrl: `${BASE}/age`, trustHost: true })
    expect(await discoveryBy(`${url}/t/ci-1`, 'my_sandbox:8080')).toMatchObject({
      issuer: `${BASE}/age/t/ci-1/v1/oidc/use`,
      token_endpoint: 'http://my_sandbox:8080/age/t/ci-1/v1/oidc/use/token',
    })
  })

  test.each(['a/b', 'user@evil.example', 'evil.example?', 'evil.example:99999'])(
    'with it the Host %j, which is none, changes nothing',
    async (host) => {
      const sandbox = await startSandbox({ baseUrl: BASE, trustHost: true })
      expect((await discoveryBy(sandbox.url, host))['jwks_uri']).toBe(`${BASE}/.well-known/jwks.json`)
    },
  )

  test('openid-client discovers by one address what is issued under another', async () => {
    const sandbox = await startSandbox({ baseUrl: BASE, trustHost: true })
    const issuer = new URL(`${sandbox.url}/v1/oidc/use/.well-known/openid-configuration`)
    await expect(
      discovery(issuer, 'ak_test_sandbox', 'sk_test_sandbox', undefined, { execute: [allowInsecureRequests] }),
    ).resolves.toMatchObject({})
  })
})

test('a base path is served below it and at the top, and is part of the base URL', async () => {
  const sandbox = await startSandbox({ basePath: '/agekey/' })
  expect(sandbox.baseUrl).toBe(`http://localhost:${new URL(sandbox.url).port}/agekey`)
  for (const path of ['/agekey/t/ci-1', '/t/ci-1']) {
    const answer = await sandbox.request.get(`${path}/v1/oidc/use/.well-known/openid-configuration`)
    expect(answer.body).toMatchObject({ issuer: `${sandbox.baseUrl}/t/ci-1/v1/oidc/use` })
  }
})

test('a base URL whose path means something to Express is served as it is written', async () => {
  const sandbox = await startSandbox({ baseUrl: `${BASE}/a:b(c)*` })
  const path = new URL(sandbox.baseUrl).pathname
  await sandbox.request.get(`${path}/.well-known/jwks.json`).expect(200)
  await sandbox.request.get('/axx/.well-known/jwks.json').expect(404)
})
