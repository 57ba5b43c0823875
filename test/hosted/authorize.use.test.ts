import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { readCallback } from '../support/callbacks.ts'
import { headerOf, idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { claims, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

describe('E1 answers', () => {
  test('a verified user with id_token and state, and nothing else', async () => {
    const sandbox = await startSandbox()
    const { params, mode } = await createRelyingParty(sandbox).use()
    expect(Object.keys(params)).toEqual(['id_token', 'state'])
    expect(mode).toBe('fragment')
  })

  test('create_requested and state, without an id_token, when the user chose to create', async () => {
    const sandbox = await startSandbox()
    const { params } = await createRelyingParty(sandbox).use({
      can_create: 'true',
      sandbox_outcome: 'create_requested',
    })
    expect(params).toEqual({ create_requested: 'true', state: 'state-1' })
  })

  test.each([
    ['create_requested', { can_create: 'true' }],
    ['access_denied', {}],
    ['access_denied', { can_create: 'false' }],
  ])('a persona without an age key with %s when asked with %j', async (answer, changes) => {
    const sandbox = await startSandbox()
    const { params } = await createRelyingParty(sandbox).use({ ...changes, sandbox_persona: 'no-age-key' })
    expect(params).toHaveProperty(answer === 'access_denied' ? 'error' : answer)
    expect(params).not.toHaveProperty('id_token')
    expect(params['state']).toBe('state-1')
  })

  test('create_requested only to a request that offered it: otherwise a page with status 400 says why', async () => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request
      .get('/v1/oidc/use')
      .query(useRequest({ sandbox_outcome: 'create_requested' }))
      .expect(400)
    expect(answer.headers.location).toBeUndefined()
    expect(answer.text).toContain('can_create=true')
  })
})

describe('E1 signs an id_token', () => {
  test.each([
    ['RS256', undefined],
    ['RS256', 'RS256'],
    ['ES256', 'ES256'],
  ] as const)('with %s when signing_alg is %s, under a kid of the key set', async (alg, signingAlg) => {
    const sandbox = await startSandbox(signingAlg ? { signingAlg } : {})
    const callback = await createRelyingParty(sandbox).use()
    expect(headerOf(callback)).toEqual({ alg, typ: 'JWT', kid: expect.stringMatching(/^sandbox-/) })
    const jwks = z
      .object({ keys: z.array(z.looseObject({ kty: z.string() })) })
      .parse((await sandbox.request.get('/.well-known/jwks.json')).body)
    const verified = await jwtVerify(callback.params['id_token'] ?? '', createLocalJWKSet(jwks), {
      issuer: `${sandbox.baseUrl}/v1/oidc/use`,
      audience: 'ak_test_sandbox',
      algorithms: [alg],
    })
    expect(verified.payload['nonce']).toBe('nonce-1')
  })

  test('with the algorithm of its client, by key sets and discovery that every client reads', async () => {
    const shop = { clientSecret: 's', redirectUris: ['https://shop.example/cb'] }
    const clients = [
      { ...shop, clientId: 'modern', signingAlg: 'ES256' },
      { ...shop, clientId: 'plain' },
    ] as const
    const sandbox = await startSandbox({ clients })
    const use = (clientId: string) =>
      createRelyingParty(sandbox, { clientId }).use({ redirect_uri: 'https://shop.example/cb' })
    const [modern, plain] = [await use('modern'), await use('plain')]
    expect(headerOf(modern)).toEqual({ alg: 'ES256', typ: 'JWT', kid: expect.stringMatching(/^sandbox-es256-/) })
    expect(headerOf(plain).alg).toBe('RS256')
    const { keys } = (await sandbox.request.get('/.well-known/jwks.json')).body
    const keySet = createLocalJWKSet({ keys })
    await jwtVerify(modern.params['id_token'] ?? '', keySet, { algorithms: ['ES256'], audience: 'modern' })
    await jwtVerify(plain.params['id_token'] ?? '', keySet, { algorithms: ['RS256'], audience: 'plain' })
    const discovery = (await sandbox.request.get('/v1/oidc/use/.well-known/openid-configuration')).body
    expect(discovery.id_token_signing_alg_values_supported).toEqual(['RS256', 'ES256'])

    // What is declared at run time counts too, also RS256 in a sandbox of ES256, and a rotation reaches it.
    await sandbox.configure({
      clients: [{ clientId: 'late', clientSecret: 's', redirectUris: shop.redirectUris, signingAlg: 'ES256' }],
    })
    const before = headerOf(await use('late'))
    await sandbox.keys.rotate('publish')
    await sandbox.keys.rotate('use')
    const after = headerOf(await use('late'))
    expect([before.alg, after.alg]).toEqual(['ES256', 'ES256'])
    expect(after.kid).not.toBe(before.kid)
  })

  test('by the clock of the sandbox: the day after, turns-18-tomorrow is 18', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const request = { claims: claims({ age_thresholds: [18] }), sandbox_persona: 'turns-18-tomorrow' }
    expect(idTokenOf(await rp.use(request)).age_thresholds).toEqual({ 18: false })
    await sandbox.clock.advance(86_400)
    expect(idTokenOf(await rp.use(request)).age_thresholds).toEqual({ 18: true })
  })
})

test('E1 shows the choice page without a decision, and the client decides when it has a persona', async () => {
  const redirectUris = ['https://shop.example/callback']
  const client = { clientId: 'shop', clientSecret: 's', redirectUris }
  const sandbox = await startSandbox({ clients: [client, { ...client, clientId: 'fast', persona: 'teen-16' }] })
  const ask = (clientId: string) =>
    sandbox.request.get('/v1/oidc/use').query(useRequest({ client_id: clientId, redirect_uri: redirectUris[0] }))
  const shown = await ask('shop')
  expect(shown.status).toBe(200)
  expect(shown.text).toContain('data-testid="persona-adult-passport"')
  expect(idTokenOf(readCallback(await ask('fast'))).age_thresholds).toMatchObject({ 16: true, 18: false })
})

test('E1 reads no client from a body, and begins no flow by POST or HEAD', async () => {
  const sandbox = await startSandbox()
  const query = new URLSearchParams(useRequest({ sandbox_persona: 'adult-passport' }))
  await sandbox.request.post('/v1/oidc/use').send(String(query)).expect(405)
  await sandbox.request.head(`/v1/oidc/use?${query}`).expect(405)
})
