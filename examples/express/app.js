import { createHash, randomUUID } from 'node:crypto'
import express from 'express'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const {
  PORT = '3000',
  AGE_BASE_URL = 'http://localhost:2435',
  // In a container the server finds the service by another name than the browser does.
  AGE_SERVER_URL = AGE_BASE_URL,
  AGE_CLIENT_ID = 'ak_test_sandbox',
  AGE_CLIENT_SECRET = 'sk_test_sandbox',
} = process.env

const CLAIMS = JSON.stringify({ age_thresholds: [18] }) // The token holds a hash of this text.
const keys = createRemoteJWKSet(new URL(`${AGE_SERVER_URL}/.well-known/jwks.json`))
const app = express()

app.get('/', (_request, response) => response.send('<a href="/verify">Prove that you are 18</a>'))

// Use: the browser goes to the service.
app.get('/verify', (request, response) => {
  const query = new URLSearchParams({
    ...ask(response, 'age_use'),
    client_id: AGE_CLIENT_ID,
    redirect_uri: `${request.protocol}://${request.host}/callback`,
    scope: 'openid svc.upgrade',
    response_type: 'id_token',
    response_mode: 'form_post', // A POST keeps the token out of logs of addresses.
    claims: CLAIMS,
    can_create: 'true',
  })
  response.redirect(`${AGE_BASE_URL}/v1/oidc/use?${query}`)
})

// And comes back with a token, a wish, or an error.
app.post('/callback', express.urlencoded(), async (request, response) => {
  const nonce = asked(request.body, { request, response, cookie: 'age_use' })
  const { error, create_requested, id_token, code } = request.body
  const answers = [error, create_requested, id_token].filter((answer) => answer !== undefined)
  if (answers.length !== 1) throw new Error('an answer is a token, a wish or an error')
  if (error !== undefined) return response.status(403).send('No age was proved.')
  if (create_requested === 'true') return create(request, response)

  const { sub, age_thresholds } = await readToken(id_token, { nonce, code })
  // Every threshold failed: the age key can be upgraded with an age that this app verifies itself.
  if (code !== undefined) return upgrade(code, response)
  if (!age_thresholds['18']) return response.status(403).send('You are not 18 yet.')
  // Keep it in your own session now, and log `sub`: it names this verification if it is ever revoked.
  console.log(`18 was proved by ${sub}`)
  response.send('Welcome, you are 18.')
})

// Create ends here: no error means that the age key was saved.
app.get('/created', (request, response) => {
  asked(request.query, { request, response, cookie: 'age_create' })
  if (request.query.error !== undefined) return response.status(403).send('No age key was saved.')
  response.send('Your age key is saved. <a href="/verify">Use it</a>')
})

app.use((error, _request, response, _next) => {
  console.error(error)
  response.status(400).send('This answer cannot be trusted.')
})

/** The claims of a token that answers this request. */
async function readToken(idToken, { nonce, code }) {
  if (idToken?.length > 8192) throw new Error('no id_token is that long')
  const options = {
    issuer: `${AGE_BASE_URL}/v1/oidc/use`,
    audience: AGE_CLIENT_ID,
    algorithms: ['RS256', 'ES256'],
  }
  const { payload } = await jwtVerify(idToken, keys, options)
  const isOurs =
    payload.nonce === nonce &&
    String(payload.aud) === AGE_CLIENT_ID &&
    payload.exp - payload.iat <= 600 &&
    typeof payload.sub === 'string' &&
    /^.{1,255}$/s.test(payload.sub) &&
    payload.req_claims_hash?.replace(/=+$/, '') === hash(CLAIMS, 32) &&
    payload.c_hash === (code && hash(code, 16)) &&
    ['{"18":true}', '{"18":false}'].includes(JSON.stringify(payload.age_thresholds))
  if (!isOurs) throw new Error('this token answers another request')
  return payload
}

/** Pushes the age that this app has verified, and sends the browser to save it. */
async function create(request, response) {
  const redirect_uri = `${request.protocol}://${request.host}/created`
  const common = { client_id: AGE_CLIENT_ID, scope: 'openid', response_type: 'none', redirect_uri }
  const form = new URLSearchParams({
    ...common,
    client_secret: AGE_CLIENT_SECRET,
    state: ask(response, 'age_create').state,
    type: 'age_verification',
    authorization_details: JSON.stringify([verifiedAge()]),
  })
  const { request_uri } = await call('/v1/oidc/create/par', form)
  if (typeof request_uri !== 'string') throw new Error('no request_uri came')
  response.redirect(
    `${AGE_BASE_URL}/v1/oidc/create?${new URLSearchParams({ ...common, request_uri })}`,
  )
}

/** Exchanges the code and adds the age that this app has verified to the user's age key. */
async function upgrade(code, response) {
  const grant = new URLSearchParams({ grant_type: 'authorization_code', code })
  const Authorization = `Basic ${btoa(`${AGE_CLIENT_ID}:${AGE_CLIENT_SECRET}`)}`
  const { access_token, token_type } = await call('/v1/oidc/use/token', grant, { Authorization })
  if (!access_token || !/^bearer$/i.test(token_type)) throw new Error('no bearer token came')
  const headers = { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' }
  const upgraded = await call(
    '/v1/svc/upgrade',
    JSON.stringify({ authorization_details: [verifiedAge()] }),
    headers,
  )
  if (upgraded !== 'OK') throw new Error('the age key was not upgraded')
  response.send('Your age key says more now. <a href="/verify">Try again</a>')
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

async function call(path, body, headers) {
  const signal = AbortSignal.timeout(5000)
  const response = await fetch(AGE_SERVER_URL + path, {
    method: 'POST',
    redirect: 'error',
    signal,
    headers,
    body,
  })
  const reply = await response.json()
  if (!response.ok) throw new Error(`${path}: ${reply.error}: ${reply.error_description}`)
  return reply
}

// Only such a cookie comes along with the form of another site. On http://localhost, Safari does not keep it.
const COOKIE = { httpOnly: true, sameSite: 'none', secure: true }

/** What a request is sent with. It stays in a cookie of this browser, so that in any other one the answer is refused. */
function ask(response, cookie) {
  const [state, nonce] = [randomUUID(), randomUUID()]
  response.cookie(cookie, `${state}.${nonce}`, { ...COOKIE, maxAge: 3_600_000 })
  return { state, nonce }
}

/** The nonce of the request that is answered, if this browser has sent it. It serves once. */
function asked(answer, { request, response, cookie }) {
  const sent = new RegExp(`(?:^|; )${cookie}=([\\w-]+)\\.([\\w-]+)`).exec(request.headers.cookie)
  if (!sent || answer.state !== sent[1]) throw new Error('this browser has sent no such request')
  response.clearCookie(cookie, COOKIE)
  return sent[2]
}

const hash = (text, bytes) =>
  createHash('sha256').update(text).digest().subarray(0, bytes).toString('base64url')

const server = app.listen(Number(PORT))
server.on('listening', () => console.log(`http://localhost:${server.address().port}`))
