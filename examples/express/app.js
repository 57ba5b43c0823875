import { createHash, randomUUID } from 'node:crypto'
import express from 'express'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const {
  PORT = '3000',
  AGE_ISSUER = 'http://localhost:2435/v1/oidc/use',
  AGE_CLIENT_ID = 'ak_test_sandbox',
  AGE_CLIENT_SECRET = 'sk_test_sandbox',
} = process.env
const browserUrl = AGE_ISSUER.replace(/\/v1\/oidc\/use$/, '')
// In a container the server finds the service by another name than the browser does.
const serverUrl = process.env.AGE_SERVER_URL ?? browserUrl

const CLAIMS = JSON.stringify({ age_thresholds: [18] })
const keys = createRemoteJWKSet(new URL(`${serverUrl}/.well-known/jwks.json`))
/** What was sent and waits for its answer, by `state`; in a real app this stands in the user's session. */
const waiting = new Map()

const app = express()

app.get('/', (_request, response) => response.send('<a href="/verify">Prove that you are 18</a>'))

// Use: the browser goes to the service.
app.get('/verify', (request, response) => {
  const [state, nonce] = [randomUUID(), randomUUID()]
  waiting.set(state, { nonce })
  response.redirect(
    url('/v1/oidc/use', {
      scope: 'openid svc.upgrade',
      response_type: 'id_token',
      response_mode: 'form_post',
      client_id: AGE_CLIENT_ID,
      redirect_uri: `${here(request)}/callback`,
      state,
      nonce,
      claims: CLAIMS,
      can_create: 'true',
    }),
  )
})

// And comes back with a token, a wish, or an error.
app.post('/callback', express.urlencoded({ extended: false }), async (request, response) => {
  const { state, error, create_requested, id_token, code } = request.body
  const sent = waiting.get(state)
  if (!sent?.nonce) return response.status(400).send('This answer belongs to no question of ours.')
  waiting.delete(state)
  if (error) return response.status(403).send(`No age was proved: ${error}`)
  if (create_requested === 'true') return response.redirect(await create(here(request)))

  const { payload } = await jwtVerify(id_token, keys, {
    issuer: AGE_ISSUER,
    audience: AGE_CLIENT_ID,
    algorithms: ['RS256'],
    requiredClaims: ['exp', 'iat', 'sub'],
  })
  if (payload.nonce !== sent.nonce) return response.status(400).send('This token is of another request.')
  if (payload.req_claims_hash !== hash(CLAIMS)) return response.status(400).send('This token answers another question.')
  if (payload.age_thresholds['18'] === true) return response.send('Welcome, you are 18.')
  // Every threshold failed: the age key can be upgraded with an age that this app verifies itself.
  if (code && payload.c_hash === leftHalfHash(code)) {
    await upgrade(code)
    return response.send('Your age key says more now. <a href="/verify">Try again</a>')
  }
  response.status(403).send('You are not 18 yet.')
})

// Create ends here: no error means that the age key was saved.
app.get('/created', (request, response) => {
  const { state, error } = request.query
  if (!waiting.delete(state)) return response.status(400).send('This answer belongs to no question of ours.')
  if (error) return response.status(403).send(`No age key was saved: ${error}`)
  response.send('Your age key is saved. <a href="/verify">Use it</a>')
})

app.use((error, _request, response, _next) => {
  console.error(error)
  response.status(400).send('This answer cannot be trusted.')
})

/** Pushes the age that this app has verified, and says where the browser goes to save it. */
async function create(self) {
  const state = randomUUID()
  waiting.set(state, {})
  const common = { client_id: AGE_CLIENT_ID, scope: 'openid', response_type: 'none', redirect_uri: `${self}/created` }
  const { request_uri } = await call('/v1/oidc/create/par', {
    body: new URLSearchParams({
      ...common,
      client_secret: AGE_CLIENT_SECRET,
      type: 'age_verification',
      state,
      authorization_details: JSON.stringify([verifiedAge()]),
    }),
  })
  return url('/v1/oidc/create', { ...common, request_uri })
}

/** Exchanges the code and adds the age that this app has verified to the user's age key. */
async function upgrade(code) {
  const credentials = Buffer.from(`${AGE_CLIENT_ID}:${AGE_CLIENT_SECRET}`).toString('base64')
  const { access_token } = await call('/v1/oidc/use/token', {
    headers: { Authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code }),
  })
  await call('/v1/svc/upgrade', {
    headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ authorization_details: [verifiedAge()] }),
  })
}

/** Stands for the check that a real app has made: a scanned document. */
const verifiedAge = () => ({
  type: 'age_verification',
  method: 'id_doc_scan',
  age: { date_of_birth: '1990-05-17' },
  verification_id: randomUUID(),
  verified_at: new Date().toISOString(),
  provenance: '/veratad/roc',
})

async function call(path, init) {
  const response = await fetch(serverUrl + path, { method: 'POST', ...init })
  const body = await response.json()
  if (!response.ok) throw new Error(`${path}: ${body.error}: ${body.error_description}`)
  return body
}

const url = (path, query) => `${browserUrl}${path}?${new URLSearchParams(query)}`
const here = (request) => `${request.protocol}://${request.host}`
const hash = (text) => createHash('sha256').update(text).digest('base64url')
const leftHalfHash = (text) => createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')

const server = app.listen(Number(PORT), () => console.log(`http://localhost:${server.address().port}`))
