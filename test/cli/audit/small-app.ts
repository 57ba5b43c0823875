import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose'
import { onTestFinished } from 'vitest'
import * as z from 'zod'

const CLIENT_ID = 'ak_test_sandbox'
const claimsSchema = z.object({ nonce: z.string().optional(), age_thresholds: z.record(z.string(), z.unknown()) })

export interface SmallApp {
  /** The page where a user begins to prove an age. */
  readonly page: string
  readonly port: number
  /** Callbacks that it answered. */
  callbacks(): number
}

/**
 * Starts a relying party that asks for 18, for one test. With `careful: false` it believes any token. With `moody` it
 * believes every second one that is expired.
 * @param baseUrl of a sandbox, which may start later
 */
export async function startSmallApp(baseUrl: string, { careful = true, moody = false } = {}): Promise<SmallApp> {
  const issuer = `${baseUrl}/v1/oidc/use`
  const keys = createRemoteJWKSet(new URL(`${baseUrl}/.well-known/jwks.json`))
  /** `nonce` by `state` of the flows that have begun. */
  const nonces = new Map<string, string>()
  let callbacks = 0
  let expired = 0

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', page)
    if (pathname === '/verify') return begin(response)
    if (pathname !== '/callback') return answer(response, 404, 'There is no such page.')
    callbacks++
    try {
      const claims = claimsSchema.parse(await read(searchParams))
      if (claims.age_thresholds['18'] === true) return answer(response, 200, 'Welcome, you may enter.')
      return answer(response, 403, 'You are too young.')
    } catch {
      return answer(response, 400, 'This is no proof.')
    }
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const page = `http://localhost:${port}/verify`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { page, port, callbacks: () => callbacks }

  function begin(response: ServerResponse): void {
    const [state, nonce] = [randomUUID(), randomUUID()]
    nonces.set(state, nonce)
    const query = new URLSearchParams({
      scope: 'openid',
      response_type: 'id_token',
      response_mode: 'query',
      client_id: CLIENT_ID,
      redirect_uri: `http://localhost:${port}/callback`,
      claims: JSON.stringify({ age_thresholds: [18] }),
      state,
      nonce,
    })
    response.writeHead(302, { Location: `${issuer}?${query}` }).end()
  }

  async function read(parameters: URLSearchParams): Promise<JWTPayload> {
    const token = parameters.get('id_token') ?? ''
    if (!careful) return decodeJwt(token)
    const state = parameters.get('state') ?? ''
    const nonce = nonces.get(state)
    nonces.delete(state)
    const rules = { issuer, audience: CLIENT_ID, requiredClaims: ['exp', 'nonce'] }
    const { payload } = await jwtVerify(token, keys, rules).catch((error: unknown) => {
      if (moody && error instanceof errors.JWTExpired && expired++ % 2 === 0) return error
      throw error
    })
    if (nonce === undefined || payload['nonce'] !== nonce) throw new Error('the answer of another flow')
    return payload
  }
}

const answer = (response: ServerResponse, status: number, text: string) =>
  void response.writeHead(status, { 'Content-Type': 'text/plain' }).end(text)
