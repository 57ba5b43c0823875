import {
  allowInsecureRequests,
  buildAuthorizationUrl,
  buildAuthorizationUrlWithPAR,
  ClientSecretPost,
  type Configuration,
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

const discoverCreate = async ({ baseUrl, client }: TestSandbox) =>
  discovery(new URL(`${baseUrl}/v1/oidc/create`), client.clientId, undefined, ClientSecretPost(client.clientSecret), {
    execute: [allowInsecureRequests],
  })

/** Sends the user away, who is `persona`, and waits for the callback. */
async function visit(url: URL, persona: string): Promise<URL> {
  url.searchParams.set('sandbox_persona', persona)
  const { headers } = await fetch(url, { redirect: 'manual' })
  return new URL(headers.get('location') ?? '')
}

/** A Use flow as a relying party with openid-client runs it: the thresholds of the validated id_token. */
async function use(config: Configuration, persona: string): Promise<unknown> {
  const [state, nonce] = [randomState(), randomNonce()]
  const request = { scope: 'openid', redirect_uri: REDIRECT_URI, state, nonce, claims: claims() }
  const callback = await visit(buildAuthorizationUrl(config, request), persona)
  const idToken = await implicitAuthentication(config, callback, nonce, { expectedState: state })
  return idToken['age_thresholds']
}

/** Pushes a Create request; the address that openid-client makes of it has `client_id` and `request_uri` alone. */
const push = async (sandbox: TestSandbox, state: string) =>
  buildAuthorizationUrlWithPAR(await discoverCreate(sandbox), {
    scope: 'openid',
    response_type: 'none',
    type: 'age_verification',
    redirect_uri: REDIRECT_URI,
    state,
    authorization_details: JSON.stringify([ageSignal()]),
  })

test('openid-client creates an age key in profile agekey with the address of buildAuthorizationUrlWithPAR as it is', async () => {
  const sandbox = await startSandbox({ profile: 'agekey' })
  const state = randomState()
  const url = await push(sandbox, state)
  expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
  const callback = await visit(url, 'no-age-key')
  expect([callback.origin + callback.pathname, Object.fromEntries(callback.searchParams)]).toEqual([
    REDIRECT_URI,
    { state },
  ])
})

test('openid-client learns in profile spec by a redirect that buildAuthorizationUrlWithPAR leaves parameters out', async () => {
  const state = randomState()
  const callback = await visit(await push(await startSandbox(), state), 'no-age-key')
  expect([callback.origin + callback.pathname, Object.fromEntries(callback.searchParams)]).toEqual([
    REDIRECT_URI,
    {
      error: 'invalid_request',
      error_description: expect.stringContaining('scope, response_type, redirect_uri'),
      state,
    },
  ])
})

test.each(['RS256', 'ES256'] as const)('openid-client accepts %s by the key set', async (signingAlg) => {
  const sandbox = await startSandbox({ signingAlg })
  const metadata = { id_token_signed_response_alg: signingAlg }
  const config = await discovery(
    new URL(`${sandbox.baseUrl}/v1/oidc/use`),
    sandbox.client.clientId,
    metadata,
    undefined,
    {
      execute: [allowInsecureRequests, enableNonRepudiationChecks],
    },
  )
  useIdTokenResponseType(config)
  expect(await use(config, 'adult-passport')).toMatchObject({ 21: true })
})
