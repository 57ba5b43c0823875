// oauth4webapi.js
import * as oauth from 'oauth4webapi'

const http = { [oauth.allowInsecureRequests]: true } // for a sandbox without https
const client = { client_id: 'ak_test_sandbox' }
const secret = 'sk_test_sandbox'
const discover = async (issuer) =>
  oauth.processDiscoveryResponse(new URL(issuer), await oauth.discoveryRequest(new URL(issuer), http))
const use = await discover('http://localhost:2435/v1/oidc/use')
const create = await discover('http://localhost:2435/v1/oidc/create')

export const useUrl = ({ state, nonce, scope = 'openid' }) =>
  `${use.authorization_endpoint}?${new URLSearchParams({
    client_id: client.client_id,
    scope,
    state,
    nonce,
    response_type: 'id_token',
    response_mode: 'query',
    redirect_uri: 'http://localhost:3000/callback',
    claims: JSON.stringify({ age_thresholds: [18] }),
  })}`

export async function readAnswer(url, { state, nonce }) {
  const answer = new URLSearchParams(url.search)
  const id_token = answer.get('id_token') ?? undefined
  answer.delete('id_token')
  oauth.validateAuthResponse(use, client, answer, state)
  const response = Response.json({ id_token, access_token: 'none', token_type: 'bearer' })
  const checks = { expectedNonce: nonce, requireIdToken: true }
  const tokens = await oauth.processAuthorizationCodeResponse(use, client, response, checks)
  await oauth.validateApplicationLevelSignature(use, response, http) // a token from the browser: nothing else vouches for it
  return oauth.getValidatedIdTokenClaims(tokens)
}

export async function createUrl({ state, signals }) {
  const shown = { scope: 'openid', response_type: 'none', redirect_uri: 'http://localhost:3000/created' }
  const pushed = { ...shown, type: 'age_verification', state, authorization_details: JSON.stringify(signals) }
  const credentials = oauth.ClientSecretPost(secret)
  const response = await oauth.pushedAuthorizationRequest(create, client, credentials, pushed, http)
  const { request_uri } = await oauth.processPushedAuthorizationResponse(create, client, response)
  return `${create.authorization_endpoint}?${new URLSearchParams({ ...client, ...shown, request_uri })}`
}

export async function upgrade({ code, signals }) {
  const credentials = oauth.ClientSecretBasic(secret)
  const form = { code }
  const answer = await oauth.genericTokenEndpointRequest(use, client, credentials, 'authorization_code', form, http)
  const { access_token } = await oauth.processGenericTokenEndpointResponse(use, client, answer)
  const headers = new Headers({ 'Content-Type': 'application/json' })
  const body = JSON.stringify({ authorization_details: signals })
  const upgradeUrl = new URL('http://localhost:2435/v1/svc/upgrade')
  return (await oauth.protectedResourceRequest(access_token, 'POST', upgradeUrl, headers, body, http)).json()
}
