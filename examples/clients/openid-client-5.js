// openid-client-5.js
import { Issuer } from 'openid-client'

const credentials = { client_id: 'ak_test_sandbox', client_secret: 'sk_test_sandbox' }
const useIssuer = await Issuer.discover('http://localhost:2435/v1/oidc/use')
const use = new useIssuer.Client({ ...credentials, response_types: ['id_token'] })
const createIssuer = await Issuer.discover('http://localhost:2435/v1/oidc/create')
const create = new createIssuer.Client({ ...credentials, token_endpoint_auth_method: 'client_secret_post' })

export const useUrl = ({ state, nonce, scope = 'openid' }) =>
  use.authorizationUrl({
    scope,
    state,
    nonce,
    redirect_uri: 'http://localhost:3000/callback',
    response_mode: 'query', // or 'form_post'
    claims: { age_thresholds: [18] },
  })

export async function readAnswer(url, { state, nonce }) {
  const { code, ...answer } = use.callbackParams(url.href)
  const checks = { state, nonce, response_type: 'id_token' }
  return (await use.callback('http://localhost:3000/callback', answer, checks)).claims()
}

export async function createUrl({ state, signals }) {
  const shown = { scope: 'openid', response_type: 'none', redirect_uri: 'http://localhost:3000/created' }
  const pushed = { ...shown, type: 'age_verification', state, authorization_details: JSON.stringify(signals) }
  const { request_uri } = await create.pushedAuthorizationRequest(pushed)
  return create.authorizationUrl({ ...shown, request_uri })
}

export async function upgrade({ code, signals }) {
  const { access_token } = await use.grant({ grant_type: 'authorization_code', code })
  const { body } = await use.requestResource('http://localhost:2435/v1/svc/upgrade', access_token, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ authorization_details: signals }),
  })
  return JSON.parse(body)
}
