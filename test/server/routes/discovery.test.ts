import { expect, test } from 'vitest'
import * as z from 'zod'
import { idTokenOf } from '../../support/id-tokens.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { shareSandbox, startSandbox } from '../../support/sandbox.ts'

const USE = '/v1/oidc/use/.well-known/openid-configuration'
const CREATE = '/v1/oidc/create/.well-known/openid-configuration'
const JWKS = '/.well-known/jwks.json'
const sandbox = await shareSandbox()
const agekey = await shareSandbox({ profile: 'agekey' })
const PROFILES = [['spec', 'svc', sandbox] as const, ['agekey', 'agekey', agekey] as const]
const texts = z.array(z.string())
const modes = { response_types_supported: texts, response_modes_supported: texts }
const useDocument = z.object({ scopes_supported: texts, claims_supported: texts, ...modes })

test.each(PROFILES)(
  'Discovery of Use lists the scopes, types, modes and claims of profile %s',
  async (_, ...row) => {
    const [brand, own] = row
    const rp = createRelyingParty(own)
    const listed = useDocument.parse((await own.request.get(USE)).body)
    const scope = listed.scopes_supported.join(' ')
    for (const response_type of listed.response_types_supported)
      expect((await rp.use({ scope, response_type })).params, response_type).toHaveProperty(
        'id_token',
      )
    for (const response_mode of listed.response_modes_supported)
      expect((await rp.use({ response_mode })).mode).toBe(response_mode)
    const claims = idTokenOf(
      await rp.use({ scope: `openid ${brand}.upgrade`, sandbox_persona: 'child-12' }),
    )
    expect(Object.keys(claims).sort()).toEqual([...listed.claims_supported].sort())
  },
)

test('The key set shows one public key for each algorithm', async () => {
  const [text, kid] = [expect.any(String), expect.stringMatching(/^sandbox-/)]
  expect((await sandbox.request.get(JWKS)).body).toEqual({
    keys: [
      { kty: 'RSA', n: text, e: 'AQAB', kid, alg: 'RS256', use: 'sig' },
      { kty: 'EC', crv: 'P-256', x: text, y: text, kid, alg: 'ES256', use: 'sig' },
    ],
  })
})

test('The option signingAlg comes first in discovery', async () => {
  const clients = [{ clientId: 'shop', clientSecret: 's', redirectUris: ['https://shop.example/'] }]
  const { request } = await startSandbox({ signingAlg: 'ES256', clients })
  expect((await request.get(USE)).body.id_token_signing_alg_values_supported).toEqual([
    'ES256',
    'RS256',
  ])
})

test('The option signingAlg does not change the key set', async () => {
  const clients = [{ clientId: 'shop', clientSecret: 's', redirectUris: ['https://shop.example/'] }]
  const { request } = await startSandbox({ signingAlg: 'ES256', clients })
  const { keys } = (await request.get(JWKS)).body
  expect(keys.map(({ alg }: { alg: string }) => alg).sort()).toEqual(['ES256', 'RS256'])
})

test('The option signingAlg decides the id_token', async () => {
  const clients = [{ clientId: 'shop', clientSecret: 's', redirectUris: ['https://shop.example/'] }]
  const { request } = await startSandbox({ signingAlg: 'ES256', clients })
  const [header = ''] =
    (await createRelyingParty({ request }).use()).params['id_token']?.split('.') ?? []
  expect(JSON.parse(atob(header))).toMatchObject({ alg: 'ES256' })
})

test('The option signingAlg is that of a client that declares none', async () => {
  const clients = [{ clientId: 'shop', clientSecret: 's', redirectUris: ['https://shop.example/'] }]
  const { request } = await startSandbox({ signingAlg: 'ES256', clients })
  expect((await request.get('/_sandbox/tenants/default')).body.clients).toMatchObject([
    { signing_alg: 'ES256' },
  ])
})

test.each([USE, CREATE, JWKS])(
  '%s is JSON for every origin, and so is its preflight',
  async (path) => {
    const headers = { Origin: 'https://spa.example', 'Access-Control-Request-Method': 'GET' }
    const answer = await sandbox.request.get(path).set('Origin', headers.Origin).expect(200)
    const preflight = await sandbox.request.options(path).set(headers).expect(204)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    for (const { headers } of [answer, preflight])
      expect(headers['access-control-allow-origin']).toBe('*')
    const allowed = { 'access-control-allow-methods': 'GET', 'access-control-allow-headers': '*' }
    expect(preflight.headers).toMatchObject(allowed)
  },
)

test('The calls of a server are open to no other origin', async () => {
  for (const path of [
    '/v1/oidc/create/par',
    '/v1/oidc/use/token',
    '/v1/svc/upgrade',
    '/v1/oidc/use',
  ]) {
    const answer = await sandbox.request.options(path).set('Origin', 'https://spa.example')
    expect(answer.headers['access-control-allow-origin'], path).toBeUndefined()
  }
})
