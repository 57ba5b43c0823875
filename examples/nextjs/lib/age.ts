import { createHash, randomUUID } from 'node:crypto'
import { cookies } from 'next/headers'

export const appUrl = process.env.APP_URL ?? 'http://localhost:3000'
export const baseUrl = process.env.AGE_BASE_URL ?? 'http://localhost:2435'
export const serverUrl = process.env.AGE_SERVER_URL ?? baseUrl // In a container the service has another name.
export const clientId = process.env.AGE_CLIENT_ID ?? 'ak_test_sandbox'
const clientSecret = process.env.AGE_CLIENT_SECRET ?? 'sk_test_sandbox'

export const CLAIMS = JSON.stringify({ age_thresholds: [18] }) // The token holds a hash of this text.

/** What a request is sent with. It stays in a cookie of this browser, so that in any other one the answer is refused. */
export async function ask(flow: 'age_use' | 'age_create') {
  const jar = await cookies()
  const sent = { state: randomUUID(), nonce: randomUUID() }
  // Only such a cookie comes along with the form of another site. On http://localhost, Safari does not keep it.
  jar.set(flow, `${sent.state}.${sent.nonce}`, {
    httpOnly: true,
    sameSite: 'none',
    secure: true,
    maxAge: 3600,
  })
  return sent
}

/** The nonce of the request that is answered, if this browser has sent it. It serves once. */
export async function asked(flow: 'age_use' | 'age_create', answer: URLSearchParams) {
  const jar = await cookies()
  const [state, nonce] = jar.get(flow)?.value.split('.') ?? []
  if (!state || answer.get('state') !== state)
    throw new Error('this browser has sent no such request')
  if (new Set(answer.keys()).size !== [...answer.keys()].length)
    throw new Error('a parameter comes twice')
  jar.delete(flow)
  return nonce
}

/** Create: pushes the age that your app has verified. Resolves to where the browser goes to save it. */
export async function create() {
  const { state } = await ask('age_create')
  const common = {
    client_id: clientId,
    scope: 'openid',
    response_type: 'none',
    redirect_uri: `${appUrl}/created`,
  }
  const form = new URLSearchParams({
    ...common,
    client_secret: clientSecret,
    state,
    type: 'age_verification',
    authorization_details: JSON.stringify([verifiedAge()]),
  })
  const { request_uri } = await call('/v1/oidc/create/par', form)
  if (typeof request_uri !== 'string') throw new Error('no request_uri came')
  return `${baseUrl}/v1/oidc/create?${new URLSearchParams({ ...common, request_uri })}`
}

/** Upgrade: exchanges the code, and adds the age that your app has verified to the user's age key. */
export async function upgrade(code: string) {
  const grant = new URLSearchParams({ grant_type: 'authorization_code', code })
  const Authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`
  const { access_token, token_type } = await call('/v1/oidc/use/token', grant, { Authorization })
  if (!access_token || !/^bearer$/i.test(token_type)) throw new Error('no bearer token came')
  const headers = { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' }
  const upgraded = await call(
    '/v1/svc/upgrade',
    JSON.stringify({ authorization_details: [verifiedAge()] }),
    headers,
  )
  if (upgraded !== 'OK') throw new Error('the age key was not upgraded')
  return 'Your age key says more now.'
}

/** Stands for the check that your app has made: a scanned document. */
const verifiedAge = () => ({
  type: 'age_verification',
  method: 'id_doc_scan',
  age: { date_of_birth: '1990-05-17' },
  verification_id: randomUUID(),
  verified_at: new Date().toISOString(),
  provenance: '/veratad/roc',
})

async function call(path: string, body: BodyInit, headers: HeadersInit = {}) {
  const signal = AbortSignal.timeout(5000)
  const response = await fetch(serverUrl + path, {
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

export const hash = (text: string, bytes: number) =>
  createHash('sha256').update(text).digest().subarray(0, bytes).toString('base64url')
