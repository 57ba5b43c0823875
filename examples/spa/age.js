const ISSUER = 'http://localhost:2435/v1/oidc/use'
const CLIENT_ID = 'ak_test_sandbox'
const REDIRECT_URI = `${location.origin}/`
const ALG = 'RS256'

/** Sends the browser to the service. `state` and `nonce` wait for the answer in this tab. */
export async function begin(thresholds) {
  const request = { state: randomText(), nonce: randomText() }
  sessionStorage.setItem('age-request', JSON.stringify(request))
  const { authorization_endpoint: endpoint } = await discover()
  const claims = JSON.stringify({ age_thresholds: thresholds })
  const parameters = {
    response_type: 'id_token',
    scope: 'openid',
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT_URI,
  }
  location.assign(`${endpoint}?${new URLSearchParams({ ...parameters, ...request, claims })}`)
}

/** What the answer says about each threshold. Throws when it does not belong to the request of this tab, or is not valid. */
export async function readAnswer(fragment, thresholds) {
  const { state, nonce } = JSON.parse(sessionStorage.getItem('age-request') ?? '{}')
  sessionStorage.removeItem('age-request') // an answer serves once
  require(state !== undefined &&
    only(fragment, 'state') === state, 'the answer is not for this request')
  require(!fragment.has('error'), fragment.get('error_description') ?? fragment.get('error'))
  require(!fragment.has('code') &&
    !fragment.has('create_requested'), 'the answer has more than an id_token')
  const token = await verify(only(fragment, 'id_token'))
  require(token.iss === ISSUER, `iss is ${token.iss}`)
  require([token.aud].flat().join() === CLIENT_ID, `aud is ${token.aud}`)
  require(typeof token.sub === 'string' && /^.{1,255}$/.test(token.sub), 'sub is missing')
  const now = Date.now() / 1000
  const { iat, exp, nbf = 0 } = token
  require([iat, exp, nbf].every(Number.isFinite) &&
    exp - iat <= 600, 'iat, exp or nbf is no time of this service')
  require(exp > now && nbf <= now + 60, 'the token has expired, or is not valid yet')
  require(nonce !== undefined && token.nonce === nonce, 'nonce is not that of this request')
  require(token.req_claims_hash ===
    (await hash(JSON.stringify({ age_thresholds: thresholds }))), 'it answers other claims')
  const answers = token.age_thresholds
  const isComplete = thresholds.every((threshold) => typeof answers?.[threshold] === 'boolean')
  require(isComplete &&
    Object.keys(answers).length === thresholds.length, 'it answers other thresholds')
  return answers
}

/** The payload of a token with a valid signature of the service. */
async function verify(jwt) {
  const [header, payload, signature, ...more] = jwt.split('.')
  const { alg, kid, crit } = readJson(header)
  require(more.length === 0 && alg === ALG && crit === undefined, `the token is signed by ${alg}`)
  const { keys } = await getJson((await discover()).jwks_uri)
  const jwk = keys.find((key) => key.kid === kid && key.kty === 'RSA')
  require(jwk !== undefined, `the key set has no key ${kid}`)
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey(
    'jwk',
    { kty: 'RSA', n: jwk.n, e: jwk.e },
    algorithm,
    false,
    ['verify'],
  )
  const signed = new TextEncoder().encode(`${header}.${payload}`)
  require(await crypto.subtle.verify(
    algorithm,
    key,
    readBytes(signature),
    signed,
  ), 'the signature is wrong')
  return readJson(payload)
}

const discover = async () => {
  const found = await getJson(`${ISSUER}/.well-known/openid-configuration`)
  require(found.issuer === ISSUER, `discovery is of the issuer ${found.issuer}`)
  return found
}

async function getJson(url) {
  const response = await fetch(url)
  require(response.ok, `${url} answers ${response.status}`)
  return response.json()
}

function only(parameters, name) {
  const values = parameters.getAll(name)
  require(values.length === 1, `${name} comes ${values.length} times`)
  return values[0]
}

function require(condition, message) {
  if (!condition) throw new Error(message)
}

const hash = async (text) =>
  base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)))
const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const readBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )
const readJson = (text) => JSON.parse(new TextDecoder().decode(readBytes(text)))
