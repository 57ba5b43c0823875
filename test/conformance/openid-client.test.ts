import {
  allowInsecureRequests,
  buildAuthorizationUrl,
  discovery,
  enableNonRepudiationChecks,
  implicitAuthentication,
  randomNonce,
  randomState,
  useIdTokenResponseType,
} from 'openid-client'
import { expect, test } from 'vitest'
import { claims, REDIRECT_URI } from '../support/requests.ts'
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

/** A Use flow of an adult as a relying party with openid-client runs it: the thresholds of the validated id_token. */
async function use({ baseUrl, client }: TestSandbox, signingAlg: string): Promise<unknown> {
  const metadata = { id_token_signed_response_alg: signingAlg }
  const execute = [allowInsecureRequests, enableNonRepudiationChecks]
  const config = await discovery(new URL(`${baseUrl}/v1/oidc/use`), client.clientId, metadata, undefined, { execute })
  useIdTokenResponseType(config)
  const [state, nonce] = [randomState(), randomNonce()]
  const decided = { claims: claims(), sandbox_persona: 'adult-passport' }
  const request = { scope: 'openid', redirect_uri: REDIRECT_URI, state, nonce, ...decided }
  const { headers } = await fetch(buildAuthorizationUrl(config, request), { redirect: 'manual' })
  const callback = new URL(headers.get('location') ?? '')
  const idToken = await implicitAuthentication(config, callback, nonce, { expectedState: state })
  return idToken['age_thresholds']
}

test.each([
  { ...SURVIVED, signing: 'RS256' },
  { ...PUBLISHED, signing: 'ES256' },
])('openid-client accepts an id_token under the readings %j', async (readings) => {
  expect(await use(await startSandbox({ readings }), readings.signing)).toMatchObject({ 21: true })
})
