import { createRemoteJWKSet, jwtVerify } from 'jose'
import { OidcClient, SigninState, WebStorageStateStore } from 'oidc-client-ts'

// oidc-client-ts makes requests of the code flow alone. Its store keeps this one, and its client checks the state of the answer.
const ISSUER = 'http://localhost:2435/v1/oidc/use'
const KEYS = 'http://localhost:2435/.well-known/jwks.json'
const CLIENT_ID = 'ak_test_sandbox'
const CLAIMS = JSON.stringify({ age_thresholds: [18] })

const request = {
  authority: ISSUER,
  client_id: CLIENT_ID,
  redirect_uri: `${location.origin}/`,
  response_type: 'id_token',
  response_mode: 'fragment',
  scope: 'openid',
  disablePKCE: true,
}
const stateStore = new WebStorageStateStore({ store: sessionStorage })
const client = new OidcClient({ ...request, stateStore })

async function begin() {
  const nonce = crypto.randomUUID()
  const state = await SigninState.create({ ...request, data: { nonce } })
  await stateStore.set(state.id, state.toStorageString())
  const { client_id, redirect_uri, response_type, scope } = request
  const query = { client_id, redirect_uri, response_type, scope, state: state.id, nonce, claims: CLAIMS }
  location.assign(`${ISSUER}?${new URLSearchParams(query)}`)
}

async function readAnswer() {
  const { state, response } = await client.readSigninResponseState(location.href, true)
  if (response.error !== null) throw new Error(response.error)
  const parameters = new URLSearchParams(location.hash.slice(1))
  for (const name of ['state', 'id_token']) {
    if (parameters.getAll(name).length !== 1) throw new Error(`${name} comes ${parameters.getAll(name).length} times`)
  }
  if (parameters.has('error') || parameters.has('create_requested')) throw new Error('it has more than an id_token')
  const options = { issuer: ISSUER, audience: CLIENT_ID, algorithms: ['RS256'], requiredClaims: ['exp', 'iat', 'sub'] }
  const { payload } = await jwtVerify(parameters.get('id_token'), createRemoteJWKSet(new URL(KEYS)), options)
  if (payload.nonce !== state.data.nonce) throw new Error('nonce is not that of this request')
  return payload.age_thresholds['18'] === true
}

const answer = document.querySelector('#answer')
document.querySelector('#verify').addEventListener('click', begin)
if (location.hash !== '') {
  try {
    answer.textContent = (await readAnswer()) ? 'Welcome, you are 18.' : 'You are not 18.'
  } catch (error) {
    answer.textContent = `No age was proved: ${error.message}`
  }
}
