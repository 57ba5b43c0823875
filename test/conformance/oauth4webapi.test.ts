import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  ClientSecretBasic,
  ClientSecretPost,
  discoveryRequest,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processPushedAuthorizationResponse,
  protectedResourceRequest,
  pushedAuthorizationRequest,
  validateAuthResponse,
  validateCodeIdTokenResponse,
} from 'oauth4webapi'
import { expect, test } from 'vitest'
import { ageSignal, type Changes, createRequest, pushedRequest, REDIRECT_URI, useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const INSECURE = { [allowInsecureRequests]: true }
const CLIENT = { client_id: 'ak_test_sandbox' }
const SECRET = 'sk_test_sandbox'
const UNASKED_VERIFIER = 'a-verifier-that-the-service-does-not-ask-for-0123456'

async function discover({ baseUrl }: TestSandbox, flow: 'use' | 'create'): Promise<AuthorizationServer> {
  const issuer = new URL(`${baseUrl}/v1/oidc/${flow}`)
  return processDiscoveryResponse(issuer, await discoveryRequest(issuer, INSECURE))
}

/** Sends the user to an endpoint of the server and waits for the callback. */
async function visit({ authorization_endpoint }: AuthorizationServer, query: URLSearchParams): Promise<URL> {
  const { headers } = await fetch(`${authorization_endpoint}?${query}`, { redirect: 'manual' })
  return new URL(headers.get('location') ?? '')
}

/** Pushes a Create request, authenticated by the library. */
function push(server: AuthorizationServer, changes: Changes = {}): Promise<Response> {
  const form = new URLSearchParams(pushedRequest({ client_id: undefined, client_secret: undefined, ...changes }))
  return pushedAuthorizationRequest(server, CLIENT, ClientSecretPost(SECRET), form, INSECURE)
}

const decided = { sandbox_persona: 'child-12' }

test('oauth4webapi validates the hybrid answer with c_hash, exchanges the code and upgrades the age key', async () => {
  const sandbox = await startSandbox()
  const server = await discover(sandbox, 'use')
  const callback = await visit(server, new URLSearchParams(useRequest({ scope: 'openid svc.upgrade', ...decided })))
  const sent = ['nonce-1', 'state-1', undefined] as const
  const validated = await validateCodeIdTokenResponse(server, CLIENT, callback, ...sent, INSECURE)

  const asked = [ClientSecretBasic(SECRET), validated, REDIRECT_URI, UNASKED_VERIFIER] as const
  const answer = await authorizationCodeGrantRequest(server, CLIENT, ...asked, INSECURE)
  const { access_token, expires_in } = await processAuthorizationCodeResponse(server, CLIENT, answer)
  expect(expires_in).toBe(10_800)

  const url = new URL(`${sandbox.baseUrl}/v1/svc/upgrade`)
  const headers = new Headers({ 'Content-Type': 'application/json' })
  const body = JSON.stringify({ authorization_details: [ageSignal()] })
  const upgraded = await protectedResourceRequest(access_token, 'POST', url, headers, body, INSECURE)
  expect(await upgraded.json()).toBe('OK')
})

test('oauth4webapi processes the answer to a pushed request and validates the callback of Create', async () => {
  const server = await discover(await startSandbox(), 'create')
  const answer = await push(server)
  const { request_uri, expires_in } = await processPushedAuthorizationResponse(server, CLIENT, answer)
  expect(expires_in).toBe(90)
  const callback = await visit(server, new URLSearchParams(createRequest(request_uri, decided)))
  expect([...validateAuthResponse(server, CLIENT, callback, 'state-1')]).toEqual([['state', 'state-1']])
})

test('oauth4webapi reads the refusal of a pushed request and of a callback', async () => {
  const server = await discover(await startSandbox(), 'create')
  const refusal = { error: 'invalid_authorization_details', status: 400 }
  const answer = await push(server, { authorization_details: '[]' })
  await expect(processPushedAuthorizationResponse(server, CLIENT, answer)).rejects.toMatchObject(refusal)
  const callback = await visit(server, new URLSearchParams(createRequest('urn:svc:request:unknown')))
  callback.searchParams.set('state', 'state-1')
  expect(() => validateAuthResponse(server, CLIENT, callback, 'state-1')).toThrow(
    expect.objectContaining({ error: 'invalid_request_uri' }),
  )
})
