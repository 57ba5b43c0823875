import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose'
import * as z from 'zod'
import { ageSignal, basic, type Changes, pushedRequest, tokenRequest } from '../support/requests.ts'
import { Refusal } from './correct-client.ts'

export type CallOptions = { readonly headers?: Readonly<Record<string, string>> }

/**
 * Sends a call and reads its JSON: in time, without redirects, with a status of success.
 * @throws Refusal
 */
async function callJson(
  url: string,
  init: RequestInit,
  { headers = {} }: CallOptions = {},
): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(5_000)
    const response = await fetch(url, {
      ...init,
      headers: { ...headers, ...init.headers },
      redirect: 'error',
      signal,
    })
    const text = await response.text()
    if (!response.ok) throw new Refusal(`status ${response.status}: ${text.slice(0, 500)}`)
    const type = response.headers.get('content-type') ?? ''
    if (!type.startsWith('application/json')) throw new Refusal(`the reply is ${type}, not JSON`)
    return JSON.parse(text)
  } catch (cause) {
    throw cause instanceof Refusal ? cause : new Refusal('the call failed', { cause })
  }
}

const parAnswer = z.object({
  request_uri: z.string().startsWith('urn:'),
  expires_in: z.coerce.number().positive(),
})

/** E2. @throws Refusal */
export async function push(
  base: string,
  changes?: Changes,
  options?: CallOptions,
): Promise<string> {
  const init = { method: 'POST', body: new URLSearchParams(pushedRequest(changes)) }
  return expectShape(parAnswer, await callJson(`${base}/v1/oidc/create/par`, init, options))
    .request_uri
}

const tokenResponse = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().positive().optional(),
})

/** E4. @throws Refusal */
export async function exchange(base: string, code: string, options?: CallOptions): Promise<string> {
  const headers = { Authorization: basic('ak_test_sandbox', 'sk_test_sandbox') }
  const init = { method: 'POST', body: new URLSearchParams(tokenRequest(code)), headers }
  return expectShape(tokenResponse, await callJson(`${base}/v1/oidc/use/token`, init, options))
    .access_token
}

/** E5. @throws Refusal */
export async function upgrade(base: string, token: string, options?: CallOptions): Promise<void> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  const init = {
    method: 'POST',
    body: JSON.stringify({ authorization_details: [ageSignal()] }),
    headers,
  }
  expectShape(z.literal('OK'), await callJson(`${base}/v1/svc/upgrade`, init, options))
}

const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

/** E6, the key set. @throws Refusal */
export async function fetchKeys(base: string, options?: CallOptions): Promise<JWTVerifyGetKey> {
  return createLocalJWKSet(
    expectShape(keySet, await callJson(`${base}/.well-known/jwks.json`, {}, options)),
  )
}

function expectShape<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new Refusal(`the reply has another shape: ${parsed.error}`)
  return parsed.data
}
