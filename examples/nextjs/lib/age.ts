import { createHash, randomUUID } from 'node:crypto'
import { cookies } from 'next/headers'

export const appUrl = process.env.APP_URL ?? 'http://localhost:3000'
export const baseUrl = process.env.AGE_BASE_URL ?? 'http://localhost:2435'
/** In a container the server finds the service by another name than the browser does. */
export const serverUrl = process.env.AGE_SERVER_URL ?? baseUrl
export const clientId = process.env.AGE_CLIENT_ID ?? 'ak_test_sandbox'
const clientSecret = process.env.AGE_CLIENT_SECRET ?? 'sk_test_sandbox'

/** One text for the request and for the hash of it in the token. */
export const CLAIMS = JSON.stringify({ age_thresholds: [18] })

// The form of the service comes from another site: only such a cookie comes along. Chrome and Firefox keep it on
// http://localhost too, Safari on https alone.
const COOKIE = { httpOnly: true, sameSite: 'none', secure: true } as const

/** What a request is sent with. It stays in a cookie of this browser, so that in any other one the answer is refused. */
export async function ask(flow: 'age_use' | 'age_create') {
  const sent = { state: randomUUID(), nonce: randomUUID() }
  const jar = await cookies()
  jar.set(flow, `${sent.state}.${sent.nonce}`, { ...COOKIE, maxAge: 3600 })
  return sent
}

/** The nonce of the request that is answered, if this browser has sent it. It serves once. */
export async function asked(flow: 'age_use' | 'age_create', answer: URLSearchParams) {
  const jar = await cookies()
  const [state, nonce] = jar.get(flow)?.value.split('.') ?? []
  if (!state || answer.get('state') !== state) throw new Error('this browser has sent no such request')
  if (new Set(answer.keys()).size !== [...answer.keys()].length) throw new Error('a parameter comes twice')
  jar.delete(flow)
  return nonce
}

/** Create: pushes the age that your app has verified. Resolves to where the browser goes to save it. */
export async function create() {
  const { state } = await ask('age_create')
  const common = { client_id: clientId, scope: 'openid', response_type: 'none', redirect_uri: `${appUrl}/created` }
  const { request_uri } = await call('/v1/oidc/create/par', {
    body: new URLSearchParams({
      ...common,
      client_secret: clientSecret,
      type: 'age_verification',
      state,
      authorization_details: JSON.stringify([verifiedAge()]),
    }),
  })
  if (typeof request_uri !== 'string') throw new Error('no request_uri came')
  return `${baseUrl}/v1/oidc/create?${new URLSearchParams({ ...common, request_uri })}`
}

/** Upgrade: exchanges the code and adds the age that your app has verified to the user's age key. */
export async function upgrade(code: string) {
  const { access_token, token_type } = await call('/v1/oidc/use/token', {
    headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code }),
  })
  if (!access_token) throw new Error('no access_token came')
  if (!/^bearer$/i.test(token_type)) throw new Error(`a token of type ${token_type} is of no use`)
  const upgraded = await call('/v1/svc/upgrade', {
    headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ authorization_details: [verifiedAge()] }),
  })
  if (upgraded !== 'OK') throw new Error('the age key was not upgraded')
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

async function call(path: string, init: RequestInit) {
  const signal = AbortSignal.timeout(5000)
  const response = await fetch(serverUrl + path, { method: 'POST', redirect: 'error', signal, ...init })
  const body = await response.json()
  if (!response.ok) throw new Error(`${path}: ${body.error}: ${body.error_description}`)
  return body
}

/** Base64url of the first bytes of a SHA-256 hash: all 32 for req_claims_hash, 16 for c_hash. */
export const hash = (text: string, bytes: number) =>
  createHash('sha256').update(text).digest().subarray(0, bytes).toString('base64url')
