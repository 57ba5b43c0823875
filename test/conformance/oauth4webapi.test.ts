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
import { ageSignal, createRequest, pushedRequest, REDIRECT_URI, useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const INSECURE = { [allowInsecureRequests]: true }
const CLIENT = { client_id: 'ak_test_sandbox' }
const SECRET = 'sk_test_sandbox'

async function discover({ baseUrl }: TestSandbox, flow: 'use' | 'create'): Promise<AuthorizationServer> {
  const issuer = new URL(`${baseUrl}/v1/oidc/${flow}`)
  return processDiscoveryResponse(issuer, await discoveryRequest(issuer, INSECURE))
}

/** Sends the user to an endpoint of the server and waits for the callback. */
async function visit({ authorization_endpoint }: AuthorizationServer, query: URLSearchParams): Promise<URL> {
  const { headers } = await fetch(`${authorization_endpoint}?${query}`, { redirect: 'manual' })
  return new URL(headers.get('location') ?? '')
}

const decided = { sandbox_persona: 'child-12' }

test('oauth4webapi validates the hybrid answer with c_hash, exchanges the code and upgrades the age key', async () => {
  const sandbox = await startSandbox()
  const server = await discover(sandbox, 'use')
  const callback = await visit(server, new URLSearchParams(useRequest({ scope: 'openid svc.upgrade', ...decided })))
  const validated = await validateCodeIdTokenResponse(
    server,
    CLIENT,
    callback,
    'nonce-1',
    'state-1',
    undefined,
    INSECURE,
  )

  const answer = await authorizationCodeGrantRequest(
    server,
    CLIENT,
    ClientSecretBasic(SECRET),
    validated,
    REDIRECT_URI,
    'a-verifier-that-the-service-does-not-ask-for-0123456',
    INSECURE,
  )
  const { access_token, expires_in } = await processAuthorizationCodeResponse(server, CLIENT, answer)
  expect(expires_in).toBe(10_800)

  const upgraded = await protectedResourceRequest(
    access_token,
    'POST',
    new URL(`${sandbox.baseUrl}/v1/svc/upgrade`),
    new Headers({ 'Content-Type': 'application/json' }),
    JSON.stringify({ authorization_details: [ageSignal()] }),
    INSECURE,
  )
  expect(await upgraded.json()).toBe('OK')
})

test('oauth4webapi processes the answer to a pushed request and validates the callback of Create', async () => {
  const server = await discover(await startSandbox(), 'create')
  const parameters = new URLSearchParams(pushedRequest({ client_id: undefined, client_secret: undefined }))
  const authenticate = ClientSecretPost(SECRET)
  const answer = await pushedAuthorizationRequest(server, CLIENT, authenticate, parameters, INSECURE)
  const { request_uri, expires_in } = await processPushedAuthorizationResponse(server, CLIENT, answer)
  expect(expires_in).toBe(90)
  const callback = await visit(server, new URLSearchParams(createRequest(request_uri, decided)))
  expect([...validateAuthResponse(server, CLIENT, callback, 'state-1')]).toEqual([['state', 'state-1']])
})

test('oauth4webapi reads the refusal of a pushed request and of a callback', async () => {
  const server = await discover(await startSandbox(), 'create')
  const parameters = new URLSearchParams(
    pushedRequest({ client_id: undefined, client_secret: undefined, authorization_details: '[]' }),
  )
  const answer = await pushedAuthorizationRequest(server, CLIENT, ClientSecretPost(SECRET), parameters, INSECURE)
  await expect(processPushedAuthorizationResponse(server, CLIENT, answer)).rejects.toMatchObject({
    error: 'invalid_authorization_details',
    status: 400,
  })
  const callback = await visit(server, new URLSearchParams(createRequest('urn:svc:request:unknown')))
  callback.searchParams.set('state', 'state-1')
  expect(() => validateAuthResponse(server, CLIENT, callback, 'state-1')).toThrow(
    expect.objectContaining({ error: 'invalid_request_uri' }),
  )
})
