// openid-client.js
import * as client from 'openid-client'

const http = { execute: [client.allowInsecureRequests] } // for a sandbox without https
const [id, secret] = ['ak_test_sandbox', 'sk_test_sandbox']
const useIssuer = new URL('http://localhost:2435/v1/oidc/use')
const use = await client.discovery(useIssuer, id, undefined, client.ClientSecretBasic(secret), http)
client.useIdTokenResponseType(use)
const createIssuer = new URL('http://localhost:2435/v1/oidc/create')
const create = await client.discovery(createIssuer, id, undefined, client.ClientSecretPost(secret), http)

/** Use: where the browser goes. With the scope `openid svc.upgrade`, a code may come beside the token. */
export const useUrl = ({ state, nonce, scope = 'openid' }) =>
  client.buildAuthorizationUrl(use, {
    scope,
    state,
    nonce,
    redirect_uri: 'http://localhost:3000/callback',
    response_mode: 'query',
    claims: JSON.stringify({ age_thresholds: [18] }),
  })

/** Checks the answer. The library looks for it in the fragment only, which reaches no server. */
export const readAnswer = (url, { state, nonce }) =>
  client.implicitAuthentication(use, new URL(`#${url.searchParams}`, url), nonce, { expectedState: state })

/** Create: where the browser goes. The library puts `client_id` and `request_uri` there, profile `spec` wants the rest too. */
export async function createUrl({ state, signals }) {
  const shown = { scope: 'openid', response_type: 'none', redirect_uri: 'http://localhost:3000/created' }
  const details = JSON.stringify(signals)
  const pushed = { ...shown, type: 'age_verification', state, authorization_details: details }
  const url = await client.buildAuthorizationUrlWithPAR(create, pushed)
  for (const [name, value] of Object.entries(shown)) url.searchParams.set(name, value)
  return url
}

/** Not `authorizationCodeGrant`, which asks for a second id_token: an access token comes alone. */
export async function upgrade({ code, signals }) {
  const { access_token } = await client.genericGrantRequest(use, 'authorization_code', { code })
  const body = JSON.stringify({ authorization_details: signals })
  const headers = new Headers({ 'Content-Type': 'application/json' })
  const upgradeUrl = new URL('http://localhost:2435/v1/svc/upgrade')
  const response = await client.fetchProtectedResource(use, access_token, upgradeUrl, 'POST', body, headers)
  return response.json()
}
