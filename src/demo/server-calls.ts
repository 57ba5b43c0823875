import { randomBytes } from 'node:crypto'
import type { HttpHost } from '../http/route.ts'
import { upgradePath } from '../oidc/profile.ts'
import { parseJson } from '../oidc/request/json.ts'
import { DEMO_CLIENT_ID, demoCallback } from '../sandbox/clients/demo-client.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { ExchangeView } from './exchange.ts'
import type { Sent } from './journey.ts'
import { callOwnServer, type ServerCall } from './own-server.ts'

/** An answer of the service, and how the pages show the call. */
export interface Exchange {
  readonly view: ExchangeView
  /** The body as JSON; `undefined` when it is none. */
  readonly body: unknown
}

/** E2: pushes a Create request for an age that the app has verified. */
export function push({ dateOfBirth, state }: { dateOfBirth: string; state: string }, world: World): Promise<Exchange> {
  const { tenant } = world
  const fields = {
    client_id: DEMO_CLIENT_ID,
    client_secret: secretOf(tenant),
    scope: 'openid',
    response_type: 'none',
    type: 'age_verification',
    redirect_uri: demoCallback(tenant.provider.baseUrl),
    state,
    authorization_details: JSON.stringify([ageSignal(dateOfBirth, tenant)]),
  }
  const shown = { ...fields, client_secret: '***' }
  return exchange('E2: push the request', form('/v1/oidc/create/par', fields), { shown, world })
}

/** E4: exchanges a code for an access token. */
export function exchangeCode(code: string, world: World): Promise<Exchange> {
  const fields = { grant_type: 'authorization_code', code }
  const basic = Buffer.from(`${DEMO_CLIENT_ID}:${secretOf(world.tenant)}`).toString('base64')
  const call = form('/v1/oidc/use/token', fields, { Authorization: `Basic ${basic}` })
  return exchange('E4: exchange the code', call, { shown: { Authorization: 'Basic ***', ...fields }, world })
}

/** E5: adds an age signal to the age key that the token names. */
export function upgrade(
  { accessToken, dateOfBirth }: { accessToken: string; dateOfBirth: string },
  world: World,
): Promise<Exchange> {
  const { tenant } = world
  const details = [ageSignal(dateOfBirth, tenant)]
  const call: Call = {
    method: 'POST',
    path: upgradePath(tenant.provider.profile),
    headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ authorization_details: details }),
  }
  const shown = { Authorization: 'Bearer ***', authorization_details: JSON.stringify(details, undefined, 2) }
  return exchange('E5: add the age signal', call, { shown, world })
}

/** E6: the public keys of the service. */
export async function fetchKeySet({ tenant, host }: World): Promise<unknown> {
  const { text } = await callOwnServer({ method: 'GET', url: ownAddress('/.well-known/jwks.json', { tenant, host }) })
  const json = parseJson(text)
  return json.ok ? json.value : undefined
}

/** Which sandbox the demo talks to. */
export interface World {
  readonly tenant: Tenant
  readonly host: Pick<HttpHost, 'ownUrl'>
}

type Call = Omit<ServerCall, 'url'> & { readonly path: string }

const form = (path: string, fields: Sent, headers: Readonly<Record<string, string>> = {}): Call => ({
  method: 'POST',
  path,
  headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
})

async function exchange(
  title: string,
  { path, ...call }: Call,
  { shown, world }: { shown: Sent; world: World },
): Promise<Exchange> {
  const { status, text } = await callOwnServer({ ...call, url: ownAddress(path, world) })
  const json = parseJson(text)
  const body = json.ok ? json.value : undefined
  const url = world.tenant.provider.baseUrl + path
  return { view: { title, method: call.method, url, sent: shown, status, answer: masked(body) ?? text }, body }
}

/** The base URL may be the name of a proxy that this process cannot reach: it calls itself by the address it listens on. */
const ownAddress = (path: string, { tenant, host }: World) => `${host.ownUrl}${tenant.basePath}${path}`

const masked = (body: unknown) =>
  typeof body === 'object' && body !== null && 'access_token' in body ? { ...body, access_token: '***' } : body

const secretOf = ({ clients }: Tenant) => clients.find(DEMO_CLIENT_ID)?.clientSecret ?? ''

/** What the app verified itself: a document scan, just now. */
function ageSignal(dateOfBirth: string, { provider }: Tenant) {
  const { provenanceAllowlist } = provider.vocabulary
  return {
    type: 'age_verification',
    method: 'id_doc_scan',
    age: { date_of_birth: dateOfBirth },
    verification_id: uuidOf(provider.clock.now()),
    verified_at: new Date(provider.clock.now()).toISOString(),
    provenance: provenanceAllowlist.find((path) => path === '/sandbox') ?? provenanceAllowlist[0] ?? '/sandbox',
    attributes: { issuing_country: 'US' },
  }
}

/** A UUID of version 7 (RFC 9562): the instant in milliseconds, then 74 random bits. */
function uuidOf(instant: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Math.max(0, instant), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
