import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/**
 * Sends one request over a kept connection. Resolves to status, headers and text; redirects are not
 * followed.
 */
export function send(url, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
    request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, text }),
      )
    })
      .on('error', reject)
      .end(body)
  })
}

/**
 * Makes `count` calls, at most 16 at a time, and checks that each has `status`. Resolves to the
 * answers in their order.
 */
export async function sendAll(count, status, make) {
  const answers = new Array(count)
  let next = 0
  const worker = async () => {
    while (next < count) {
      const index = next++
      answers[index] = await make(index)
      if (answers[index].status !== status)
        throw new Error(`${answers[index].status}: ${answers[index].text}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  return answers
}

const SIGNAL = {
  type: 'age_verification',
  age: { date_of_birth: '1990-05-17' },
  method: 'id_doc_scan',
  verification_id: '0190a5b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  verified_at: '2026-01-15T10:00:00Z',
  provenance: '/veratad/roc',
  attributes: { issuing_country: 'US' },
}
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** E1, decided by the query. */
export function use(baseUrl, changes = {}) {
  const query = new URLSearchParams({
    scope: 'openid',
    response_type: 'id_token',
    client_id: 'ak_test_sandbox',
    redirect_uri: 'http://localhost:3000/callback',
    state: 'state',
    nonce: 'nonce',
    claims: '{"age_thresholds":[13,16,18,21]}',
    sandbox_persona: 'adult-passport',
    ...changes,
  })
  return send(`${baseUrl}/v1/oidc/use?${query}`)
}

/** E2. */
export function push(baseUrl) {
  const form = new URLSearchParams({
    client_id: 'ak_test_sandbox',
    client_secret: 'sk_test_sandbox',
    scope: 'openid',
    response_type: 'none',
    type: 'age_verification',
    redirect_uri: 'http://localhost:3000/callback',
    state: 'state',
    authorization_details: JSON.stringify([SIGNAL]),
  })
  return send(`${baseUrl}/v1/oidc/create/par`, {
    method: 'POST',
    headers: FORM,
    body: String(form),
  })
}

/** E4. */
export function exchange(baseUrl, code) {
  const credentials = Buffer.from('ak_test_sandbox:sk_test_sandbox').toString('base64')
  return send(`${baseUrl}/v1/oidc/use/token`, {
    method: 'POST',
    headers: { ...FORM, Authorization: `Basic ${credentials}` },
    body: String(new URLSearchParams({ grant_type: 'authorization_code', code })),
  })
}

/** E5. */
export function upgrade(baseUrl, accessToken) {
  return send(`${baseUrl}/v1/svc/upgrade`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ authorization_details: [SIGNAL] }),
  })
}

/** Codes of E1 with the upgrade scope, one for each coming exchange. */
export async function obtainCodes(baseUrl, count) {
  const wanted = { scope: 'openid svc.upgrade', sandbox_persona: 'child-12' }
  const answers = await sendAll(count, 302, () => use(baseUrl, wanted))
  return answers.map(({ headers }) =>
    new URLSearchParams(new URL(headers.location).hash.slice(1)).get('code'),
  )
}
