import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  ClientSecretBasic,
  discoveryRequest,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  protectedResourceRequest,
  validateCodeIdTokenResponse,
} from 'oauth4webapi'
import { expect, test } from 'vitest'
import { ageSignal, REDIRECT_URI, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const INSECURE = { [allowInsecureRequests]: true }
const CLIENT = { client_id: 'ak_test_sandbox' }
const SECRET = 'sk_test_sandbox'
const UNASKED_VERIFIER = 'a-verifier-that-the-service-does-not-ask-for-0123456'

/** Sends the user to an endpoint of the server and waits for the callback. */
async function visit(
  { authorization_endpoint }: AuthorizationServer,
  query: URLSearchParams,
): Promise<URL> {
  const { headers } = await fetch(`${authorization_endpoint}?${query}`, { redirect: 'manual' })
  return new URL(headers.get('location') ?? '')
}

test('oauth4webapi validates the hybrid answer with c_hash, exchanges the code and upgrades the age key', async () => {
  const sandbox = await startSandbox()
  const issuer = new URL(`${sandbox.baseUrl}/v1/oidc/use`)
  const server = await processDiscoveryResponse(issuer, await discoveryRequest(issuer, INSECURE))
  const callback = await visit(
    server,
    new URLSearchParams(useRequest({ scope: 'openid svc.upgrade', sandbox_persona: 'child-12' })),
  )
  const sent = ['nonce-1', 'state-1', undefined] as const
  const validated = await validateCodeIdTokenResponse(server, CLIENT, callback, ...sent, INSECURE)

  const asked = [ClientSecretBasic(SECRET), validated, REDIRECT_URI, UNASKED_VERIFIER] as const
  const answer = await authorizationCodeGrantRequest(server, CLIENT, ...asked, INSECURE)
  const { access_token, expires_in } = await processAuthorizationCodeResponse(
    server,
    CLIENT,
    answer,
  )
  expect(expires_in).toBe(10_800)

  const url = new URL(`${sandbox.baseUrl}/v1/svc/upgrade`)
  const headers = new Headers({ 'Content-Type': 'application/json' })
  const body = JSON.stringify({ authorization_details: [ageSignal()] })
  const upgraded = await protectedResourceRequest(
    access_token,
    'POST',
    url,
    headers,
    body,
    INSECURE,
  )
  expect(await upgraded.json()).toBe('OK')
})
