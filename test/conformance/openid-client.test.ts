import {
  allowInsecureRequests,
  buildAuthorizationUrl,
  buildAuthorizationUrlWithPAR,
  ClientSecretPost,
  discovery,
  enableNonRepudiationChecks,
  implicitAuthentication,
  randomNonce,
  randomState,
  useIdTokenResponseType,
} from 'openid-client'
import { expect, test } from 'vitest'
import { ageSignal, claims, REDIRECT_URI } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

/** All that a strict client of OpenID Connect has to survive at once, beside one signature or the other. */
const SURVIVED = {
  unknown_members: 'everywhere',
  typ: 'absent',
  azp: 'present',
  nbf: 'present',
  sub: 'long',
  token_order: 'reversed',
  token_layout: 'indented',
  callback_iss: 'present',
  callback_order: 'reversed',
  callback_spaces: 'plus',
  redirect_status: '303',
  error_description: 'absent',
}
const PUBLISHED = { discovery: 'minimal', key_set: 'one', key_members: 'minimal', sub: 'uuid' }

/** Sends the user away, who is `persona`, and waits for the callback. */
async function visit(url: URL, persona: string): Promise<URL> {
  url.searchParams.set('sandbox_persona', persona)
  const { headers } = await fetch(url, { redirect: 'manual' })
  return new URL(headers.get('location') ?? '')
}

/** A Use flow of an adult as a relying party with openid-client runs it: the thresholds of the validated id_token. */
async function use({ baseUrl, client }: TestSandbox, signingAlg: string): Promise<unknown> {
  const metadata = { id_token_signed_response_alg: signingAlg }
  const execute = [allowInsecureRequests, enableNonRepudiationChecks]
  const config = await discovery(new URL(`${baseUrl}/v1/oidc/use`), client.clientId, metadata, undefined, { execute })
  useIdTokenResponseType(config)
  const [state, nonce] = [randomState(), randomNonce()]
  const request = { scope: 'openid', redirect_uri: REDIRECT_URI, state, nonce, claims: claims() }
  const callback = await visit(buildAuthorizationUrl(config, request), 'adult-passport')
  const idToken = await implicitAuthentication(config, callback, nonce, { expectedState: state })
  return idToken['age_thresholds']
}

/** Pushes a Create request; the address that openid-client makes of it has `client_id` and `request_uri` alone. */
async function push({ baseUrl, client }: TestSandbox, state = randomState()): Promise<URL> {
  const issuer = new URL(`${baseUrl}/v1/oidc/create`)
  const authentication = ClientSecretPost(client.clientSecret)
  const execute = [allowInsecureRequests]
  const config = await discovery(issuer, client.clientId, undefined, authentication, { execute })
  return buildAuthorizationUrlWithPAR(config, {
    scope: 'openid',
    response_type: 'none',
    type: 'age_verification',
    redirect_uri: REDIRECT_URI,
    state,
    authorization_details: JSON.stringify([ageSignal()]),
  })
}

/** Where a callback arrives, and with what. */
const received = ({ origin, pathname, searchParams }: URL) => [origin + pathname, Object.fromEntries(searchParams)]

test('openid-client creates an age key in profile agekey with the address of buildAuthorizationUrlWithPAR as it is', async () => {
  const state = randomState()
  const url = await push(await startSandbox({ profile: 'agekey' }), state)
  expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
  expect(received(await visit(url, 'no-age-key'))).toEqual([REDIRECT_URI, { state }])
})

test('openid-client learns in profile spec by a redirect that buildAuthorizationUrlWithPAR leaves parameters out', async () => {
  const state = randomState()
  const error_description = expect.stringContaining('scope, response_type, redirect_uri')
  const answer = [REDIRECT_URI, { error: 'invalid_request', error_description, state }]
  expect(received(await visit(await push(await startSandbox(), state), 'no-age-key'))).toEqual(answer)
})

test.each(
  ['RS256', 'ES256'].flatMap((signing) => [{}, SURVIVED, PUBLISHED].map((readings) => ({ ...readings, signing }))),
)('openid-client accepts an id_token under the readings %j', async (readings) => {
  expect(await use(await startSandbox({ readings }), readings.signing)).toMatchObject({ 21: true })
})

test('openid-client, which wants 201 of a pushed request (RFC 9126), breaks under par_status=200 and under nothing else', async () => {
  const under = async (readings: Readonly<Record<string, string>>) =>
    push(await startSandbox({ profile: 'agekey', readings }))
  await expect(under({ unknown_members: 'everywhere', brand_word: 'svc' })).resolves.toBeInstanceOf(URL)
  await expect(under({ par_status: '200' })).rejects.toThrow('unexpected HTTP response status code')
})
