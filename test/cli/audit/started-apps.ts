/** The code of an app that sends its users to the service at `endpoint()`, and lets in users whose answer `read` turns into claims. */
const appWith = ({ head, read }: { head: string; read: string }) => `
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
${head}
const { PORT, AGE_BASE_URL } = process.env
const ISSUER = AGE_BASE_URL + '/v1/oidc/use'
const nonces = new Map()
${read}
createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost:' + PORT)
  try {
    if (url.pathname === '/verify') {
      const [state, nonce] = [randomUUID(), randomUUID()]
      nonces.set(state, nonce)
      const query = new URLSearchParams({ scope: 'openid', response_type: 'id_token', response_mode: 'query', client_id: 'ak_test_sandbox', redirect_uri: url.origin + '/callback', claims: '{"age_thresholds":[18]}', state, nonce })
      return response.writeHead(302, { Location: await endpoint() + '?' + query }).end()
    }
    if (url.pathname !== '/callback') return response.end('home')
    const nonce = nonces.get(url.searchParams.get('state'))
    const claims = await read(url.searchParams.get('id_token') ?? '', nonce, url)
    if (!nonce || claims.nonce !== nonce || claims.age_thresholds[18] !== true) throw new Error('no proof')
    response.end('Welcome, you may enter.')
  } catch (error) {
    console.error(error)
    response.writeHead(url.pathname === '/verify' ? 503 : 400).end('This is no proof.')
  }
}).listen(PORT, 'localhost', () => console.log('listening'))
`

/** Reads discovery by openid-client 6 before it listens, and ends when that fails. */
export const OPENID_CLIENT = appWith({
  head: `import * as client from 'openid-client'`,
  read: `
const config = await client.discovery(new URL(ISSUER), 'ak_test_sandbox', undefined, client.None(), {
  execute: [client.allowInsecureRequests, client.useIdTokenResponseType],
})
const endpoint = async () => config.serverMetadata().authorization_endpoint
const read = async (_token, nonce, url) => {
  const body = new URLSearchParams(url.search)
  const request = new Request(url.origin + '/callback', { method: 'POST', body })
  return client.implicitAuthentication(config, request, nonce, { expectedState: url.searchParams.get('state') })
}`,
})

/** Reads discovery by fetch with the first request, and keys by jose. With `checks: false` it compares no issuer. */
export const jose = ({ checks }: { checks: boolean }) =>
  appWith({
    head: `import { createRemoteJWKSet, jwtVerify } from 'jose'`,
    read: `
let found
async function discover() {
  const answer = await fetch(ISSUER + '/.well-known/openid-configuration', { redirect: ${checks ? "'error'" : "'follow'"} })
  const document = await answer.json()
  if (${checks} && document.issuer !== ISSUER) throw new Error('discovery names another issuer: ' + document.issuer)
  if (${checks} && new URL(document.jwks_uri).origin !== new URL(ISSUER).origin) throw new Error('the keys are on another host')
  return { endpoint: document.authorization_endpoint, keys: createRemoteJWKSet(new URL(document.jwks_uri)) }
}
const endpoint = async () => (found ??= await discover()).endpoint
const read = async (token) => (await jwtVerify(token, found.keys, { issuer: ISSUER, audience: 'ak_test_sandbox', requiredClaims: ['exp'] })).payload`,
  })

/** Keeps the first discovery document, and needs an optional member of it. */
export const NEEDS_SCOPES = jose({ checks: true }).replace(
  '  return { endpoint',
  "  if (!document.scopes_supported.includes('openid')) throw new Error('no scope openid')\n  return { endpoint",
)

/** The Express example as a program, with code that runs before it. */
export const exampleAfter = (code = '') =>
  `${code}\nawait import(${JSON.stringify(new URL('../../../examples/express/app.js', import.meta.url).href)})\n`
