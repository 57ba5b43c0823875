import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, basic, createRequest, tokenRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const USE = '/v1/oidc/use/.well-known/openid-configuration'
const CREATE = '/v1/oidc/create/.well-known/openid-configuration'
const JWKS = '/.well-known/jwks.json'

const keySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) })
const readKeys = async (sandbox: TestSandbox) => keySet.parse((await sandbox.request.get(JWKS)).body).keys

const PROFILES = [
  ['spec', 'svc'],
  ['agekey', 'agekey'],
] as const

describe('E6 of the Use flow', () => {
  test.each(PROFILES)('says in profile %s what there is', async (profile, brand) => {
    const sandbox = await startSandbox({ profile })
    const issuer = `${sandbox.baseUrl}/v1/oidc/use`
    expect((await sandbox.request.get(USE)).body).toEqual({
      issuer,
      authorization_endpoint: issuer,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${sandbox.baseUrl}/.well-known/jwks.json`,
      scopes_supported: ['openid', `${brand}.upgrade`],
      response_types_supported: profile === 'spec' ? ['id_token'] : ['id_token', 'code id_token'],
      response_modes_supported: ['fragment', 'query', 'form_post'],
      grant_types_supported: ['implicit', 'authorization_code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      claims_supported: ['sub', 'iss', 'aud', 'iat', 'exp', 'nonce', 'age_thresholds', 'req_claims_hash', 'c_hash'],
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    })
  })

  const useDocument = z.object({
    scopes_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    response_modes_supported: z.array(z.string()),
    claims_supported: z.array(z.string()),
    id_token_signing_alg_values_supported: z.array(z.string()),
  })

  test.each(PROFILES)(
    'lists in profile %s only what is served: each scope, response type, mode, claim, algorithm',
    async (profile, brand) => {
      const sandbox = await startSandbox({ profile })
      const rp = createRelyingParty(sandbox)
      const listed = useDocument.parse((await sandbox.request.get(USE)).body)
      const scope = listed.scopes_supported.join(' ')
      for (const response_type of listed.response_types_supported) {
        expect((await rp.use({ scope, response_type })).params, response_type).toHaveProperty('id_token')
      }
      for (const response_mode of listed.response_modes_supported) {
        expect((await rp.use({ response_mode })).mode).toBe(response_mode)
      }
      const claims = idTokenOf(await rp.use({ scope: `openid ${brand}.upgrade`, sandbox_persona: 'child-12' }))
      expect(Object.keys(claims).sort()).toEqual([...listed.claims_supported].sort())
      const algorithms = (await readKeys(sandbox)).map((key) => key['alg'])
      expect(algorithms.sort()).toEqual([...listed.id_token_signing_alg_values_supported].sort())
    },
  )

  test('lists a token endpoint that takes HTTP Basic and the grant authorization_code', async () => {
    const sandbox = await startSandbox()
    const code = await createRelyingParty(sandbox).obtainCode()
    const { token_endpoint } = z.object({ token_endpoint: z.url() }).parse((await sandbox.request.get(USE)).body)
    const Authorization = basic('ak_test_sandbox', 'sk_test_sandbox')
    await sandbox.request
      .post(new URL(token_endpoint).pathname)
      .set('Authorization', Authorization)
      .type('form')
      .send(tokenRequest(code))
      .expect(200)
  })
})

describe('E6 of the Create flow', () => {
  test.each(PROFILES)('says in profile %s what there is', async (profile) => {
    const sandbox = await startSandbox({ profile })
    const issuer = `${sandbox.baseUrl}/v1/oidc/create`
    expect((await sandbox.request.get(CREATE)).body).toEqual({
      issuer,
      authorization_endpoint: issuer,
      pushed_authorization_request_endpoint: `${issuer}/par`,
      require_pushed_authorization_requests: true,
      jwks_uri: `${sandbox.baseUrl}/.well-known/jwks.json`,
      scopes_supported: ['openid'],
      response_types_supported: ['none'],
      response_modes_supported: ['query'],
      grant_types_supported: ['implicit'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      authorization_details_types_supported: ['age_verification'],
      request_parameter_supported: false,
    })
  })

  test('lists only what is served: scope, response type, mode, authentication and type of details', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const listed = z
      .object({
        scopes_supported: z.tuple([z.string()]),
        response_types_supported: z.tuple([z.string()]),
        response_modes_supported: z.tuple([z.string()]),
        authorization_details_types_supported: z.tuple([z.string()]),
      })
      .parse((await sandbox.request.get(CREATE)).body)
    const [scope] = listed.scopes_supported
    const [response_type] = listed.response_types_supported
    const [type] = listed.authorization_details_types_supported
    const authorization_details = JSON.stringify([ageSignal({ type })])
    const requestUri = await rp.obtainRequestUri({ scope, response_type, authorization_details })
    expect((await rp.create(requestUri, { scope, response_type })).mode).toBe(listed.response_modes_supported[0])
  })

  test('demands pushed requests rightly: there is no Create without request_uri', async () => {
    const query = createRequest(undefined, { authorization_details: JSON.stringify([ageSignal()]) })
    const answer = await (await startSandbox()).request.get('/v1/oidc/create').query(query)
    expect(answer.headers.location).toContain('error=invalid_request')
  })
})

describe('E6 of the keys', () => {
  test('shows one public key for each algorithm, with kid, and no private member', async () => {
    const keys = await readKeys(await startSandbox())
    expect(keys).toEqual([
      { kty: 'RSA', n: expect.any(String), e: 'AQAB', kid: expect.any(String), alg: 'RS256', use: 'sig' },
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        alg: 'ES256',
        use: 'sig',
      },
    ])
    for (const { kid } of keys) expect(kid).toMatch(/^sandbox-/)
  })

  test.each(['RS256', 'ES256'] as const)('shows the key that signs, whichever it is: %s', async (signingAlg) => {
    const sandbox = await startSandbox({ signingAlg })
    const listed = z
      .object({ id_token_signing_alg_values_supported: z.array(z.string()) })
      .parse((await sandbox.request.get(USE)).body)
    expect(listed.id_token_signing_alg_values_supported[0]).toBe(signingAlg)
    expect((await readKeys(sandbox)).map((key) => key['alg']).sort()).toEqual(['ES256', 'RS256'])
  })
})

describe('E6 is read from browsers too:', () => {
  test.each([USE, CREATE, JWKS])('%s allows every origin, and its preflight', async (path) => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.get(path).set('Origin', 'https://spa.example').expect(200)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    const preflight = await sandbox.request
      .options(path)
      .set({ Origin: 'https://spa.example', 'Access-Control-Request-Method': 'GET' })
      .expect(204)
    expect(preflight.headers['access-control-allow-origin']).toBe('*')
    expect(preflight.headers['access-control-allow-methods']).toContain('GET')
  })

  test('no other endpoint does', async () => {
    const sandbox = await startSandbox()
    for (const path of ['/v1/oidc/create/par', '/v1/oidc/use/token', '/v1/svc/upgrade', '/v1/oidc/use']) {
      const answer = await sandbox.request.options(path).set('Origin', 'https://spa.example')
      expect(answer.headers['access-control-allow-origin'], path).toBeUndefined()
    }
  })
})

test('E6 and every issuer follow the base URL of the config', async () => {
  const sandbox = await startSandbox({ baseUrl: 'https://sandbox.example/age' })
  expect((await sandbox.request.get(USE)).body).toMatchObject({ issuer: 'https://sandbox.example/age/v1/oidc/use' })
  expect(idTokenOf(await createRelyingParty(sandbox).use()).iss).toBe('https://sandbox.example/age/v1/oidc/use')
})
