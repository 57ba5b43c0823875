import { createLocalJWKSet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { readCallback } from '../support/callbacks.ts'
import { createClient } from '../support/http-client.ts'
import { headerOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { useRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const { request, ...sandbox } = await shareSandbox()
const rp = createRelyingParty({ request })
const decline = (changes: Parameters<typeof useRequest>[0]) =>
  request.get('/v1/oidc/use').query(useRequest({ sandbox_outcome: 'access_denied', ...changes }))

const MODES = ['fragment', 'query', 'form_post'] as const

test.each(MODES)('E1 answers in the response mode %s and keeps the query of redirect_uri', async (mode) => {
  expect(await rp.use({ response_mode: mode })).toMatchObject({ mode, params: { id_token: expect.any(String) } })
  const error = { error: 'invalid_scope', error_description: expect.any(String), state: 'state-1' }
  expect(await rp.use({ response_mode: mode, scope: 'profile' })).toMatchObject({ mode, params: error })
  const redirect_uri = 'http://localhost:3000/cb?tenant=a%20b&x=1&state=mine'
  const answer = await decline({ redirect_uri, response_mode: mode, state: 'a b' })
  if (mode !== 'query')
    return expect(readCallback(answer)).toMatchObject({ address: redirect_uri, params: { state: 'a b' } })
  const location = answer.headers.location ?? ''
  expect(location).toMatch(/^http:\/\/localhost:3000\/cb\?tenant=a%20b&x=1&state=mine&error=/)
  expect(new URL(location).searchParams.getAll('state')).toEqual(['mine', 'a b'])
  // Every client reads %20 as a blank.
  expect(location).toMatch(/state=a%20b(?!.*\+)/)
})

const STATES = {
  unicode: 'ünïcødé 漢字 🔑',
  spaces: ' a  b ',
  'form characters': 'a+b&c=d%20%2B;e',
  markup: '"><script>alert(1)</script>\'',
  'line breaks': 'one\r\ntwo\nthree',
  'a URL': 'https://evil.example/?x=1#y',
  JSON: '{"a":["b"]}',
  '4 KiB': 'x'.repeat(4096),
}

test.each(Object.entries(STATES))('E1 sends %s in state back unchanged, in every mode', async (_name, state) => {
  for (const response_mode of MODES) expect((await rp.use({ response_mode, state })).params['state']).toBe(state)
})

test('E1 answers with 302 or a page that may post to the app alone, neither ever stored, and begins no flow by POST or HEAD', async () => {
  expect((await decline({}).expect(302)).headers['cache-control']).toContain('no-store')
  const query = new URLSearchParams(useRequest({ sandbox_persona: 'adult-passport' }))
  await request.post('/v1/oidc/use').send(String(query)).expect(405)
  await request.head(`/v1/oidc/use?${query}`).expect(405)
  expect(await sandbox.flows.list()).toHaveLength(1)
  const { headers } = await decline({ response_mode: 'form_post' }).expect(200)
  expect(headers['cache-control']).toContain('no-store')
  expect(headers['content-security-policy']).toMatch(/form-action [^;]*http:\/\/localhost:3000(;|$)/)
  expect(headers['content-security-policy']).not.toContain('unsafe-inline')
})

test('E1 signs with the algorithm of its client, also one declared at run time, and a rotation reaches it', async () => {
  const shop = { clientSecret: 's', redirectUris: ['https://shop.test/cb'] }
  const tenant = sandbox.tenant('algorithms')
  const http = createClient(tenant.baseUrl)
  const use = (clientId: string) => createRelyingParty(http, { clientId }).use({ redirect_uri: 'https://shop.test/cb' })
  const es256 = { ...shop, clientId: 'modern', signingAlg: 'ES256' as const }
  await tenant.configure({ clients: [es256, { ...shop, clientId: 'plain' }] })
  const [modern, plain] = [await use('modern'), await use('plain')]
  expect(headerOf(modern)).toEqual({ alg: 'ES256', typ: 'JWT', kid: expect.stringMatching(/^sandbox-es256-/) })
  expect(headerOf(plain)).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.stringMatching(/^sandbox-/) })
  const { keys } = (await http.request.get('/.well-known/jwks.json')).body
  for (const { params } of [modern, plain]) await jwtVerify(params['id_token'] ?? '', createLocalJWKSet({ keys }))
  const { body } = await http.request.get('/v1/oidc/use/.well-known/openid-configuration')
  expect(body.id_token_signing_alg_values_supported).toEqual(['RS256', 'ES256'])
  await tenant.keys.rotate('publish')
  await tenant.keys.rotate('use')
  const after = headerOf(await use('modern'))
  expect([after.alg, after.kid === headerOf(modern).kid]).toEqual(['ES256', false])
})
