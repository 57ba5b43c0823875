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

async function visit(url: URL, persona: string): Promise<URL> {
  url.searchParams.set('sandbox_persona', persona)
  const { headers } = await fetch(url, { redirect: 'manual' })
  return new URL(headers.get('location') ?? '')
}

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

test.each(
  ['RS256', 'ES256'].flatMap((signing) => [
    { signing, ...SURVIVED },
    { signing, ...PUBLISHED },
  ]),
)('openid-client survives the readings %j', async (readings) => {
  expect(await use(await startSandbox({ readings }), readings.signing)).toMatchObject({ 21: true })
})

test('openid-client, which wants 201 of a pushed request (RFC 9126), breaks under par_status=200 and under nothing else', async () => {
  const push = async (readings: Readonly<Record<string, string>>) => {
    const { baseUrl, client } = await startSandbox({ profile: 'agekey', readings })
    const config = await discovery(
      new URL(`${baseUrl}/v1/oidc/create`),
      client.clientId,
      undefined,
      ClientSecretPost(client.clientSecret),
      { execute: [allowInsecureRequests] },
    )
    return buildAuthorizationUrlWithPAR(config, {
      scope: 'openid',
      response_type: 'none',
      type: 'age_verification',
      redirect_uri: REDIRECT_URI,
      state: randomState(),
      authorization_details: JSON.stringify([ageSignal()]),
    })
  }
  await expect(push({ unknown_members: 'everywhere', brand_word: 'svc' })).resolves.toBeInstanceOf(URL)
  await expect(push({ par_status: '200' })).rejects.toThrow('unexpected HTTP response status code')
})
