import { randomBytes } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { buffer } from 'node:stream/consumers'
import type { JWK } from 'jose'
import * as z from 'zod'
import { DEMO_CLIENT_ID, demoCallback } from '../../sandbox/clients/clients.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { HttpHost } from '../../server/http/handler.ts'
import { ENDPOINTS, endpointPath } from '../../service/oidc/endpoints.ts'
import { useIssuer } from '../../service/oidc/provider.ts'
import { allPassed, checkResultSchema } from './checks/check.ts'
import {
  type CalledFlow,
  checkReply,
  keySetSchema,
  type ServerAnswer,
} from './checks/check-reply.ts'

export const exchangeSchema = z.object({
  title: z.string(),
  method: z.string(),
  /** The absolute URL. */
  url: z.string(),
  /** The relevant headers and fields, by name. */
  sent: z.record(z.string(), z.string()).readonly(),
  /** The status; 0 without an answer. */
  status: z.number(),
  /** The JSON value of the body; its text if it is not JSON. */
  answer: z.unknown(),
  checks: z.array(checkResultSchema).readonly(),
})

/** A server-to-server call as the result page shows it, with masked secrets. */
export type Exchange = Readonly<z.infer<typeof exchangeSchema>>

interface Answered {
  readonly exchange: Exchange
  /** The JSON body with its secrets; `undefined` unless all checks passed. */
  readonly body: unknown
}

/** The sandbox that the demo calls. */
interface World {
  readonly tenant: Tenant
  readonly host: Pick<HttpHost, 'ownUrl'>
}

/** E2: pushes a Create request for an age that the shop has verified. */
export function push(
  { dateOfBirth, state }: { dateOfBirth: string; state: string },
  world: World,
): Promise<Answered> {
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
  return call('E2: push the request', formCall('par', fields), { shown, world })
}

/** E4: exchanges a code for an access token. */
export function sendCode(code: string, world: World): Promise<Answered> {
  const fields = { grant_type: 'authorization_code', code }
  const basic = Buffer.from(`${DEMO_CLIENT_ID}:${secretOf(world.tenant)}`).toString('base64')
  const request = formCall('token', fields, { Authorization: `Basic ${basic}` })
  return call('E4: exchange the code', request, {
    shown: { Authorization: 'Basic ***', ...fields },
    world,
  })
}

/** E5: adds an age signal to the age key that the access token refers to. */
export function upgrade(
  { accessToken, dateOfBirth }: { accessToken: string; dateOfBirth: string },
  world: World,
): Promise<Answered> {
  const { tenant } = world
  const details = [ageSignal(dateOfBirth, tenant)]
  const request: Call = {
    flow: 'upgrade',
    method: 'POST',
    path: endpointPath('upgrade', tenant.provider.brand),
    headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ authorization_details: details }),
  }
  const shown = {
    Authorization: 'Bearer ***',
    authorization_details: JSON.stringify(details, undefined, 2),
  }
  return call('E5: add the age signal', request, { shown, world })
}

/** The key set of the service, and the calls that fetched it. */
export interface FetchedKeys {
  /** Absent unless all checks of both replies passed. */
  readonly keys: readonly JWK[] | undefined
  readonly exchanges: readonly Exchange[]
}

/** E6: the discovery document, and the key set. */
export async function readKeys(world: World): Promise<FetchedKeys> {
  const { useDiscovery, jwks } = ENDPOINTS
  const options = { shown: {}, world }
  const document = await call(
    'E6: read the discovery document',
    readCall('discovery', useDiscovery.path),
    options,
  )
  if (document.body === undefined) return { keys: undefined, exchanges: [document.exchange] }
  const set = await call('E6: read the key set', readCall('jwks', jwks.path), options)
  return {
    keys: keySetSchema.safeParse(set.body).data?.keys,
    exchanges: [document.exchange, set.exchange],
  }
}

type Call = Omit<OwnCall, 'url'> & { readonly flow: CalledFlow; readonly path: string }

const readCall = (flow: CalledFlow, path: string): Call => ({ flow, method: 'GET', path })

const formCall = (
  flow: 'par' | 'token',
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Call => ({
  flow,
  method: 'POST',
  path: ENDPOINTS[flow].path,
  headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
})

async function call(
  title: string,
  { flow, path, ...request }: Call,
  { shown, world }: { shown: Exchange['sent']; world: World },
): Promise<Answered> {
  const { provider } = world.tenant
  // The Host header of the base URL makes the sandbox answer as at its base URL. The URL itself may
  // name a proxy or a mapped port that this process cannot reach.
  const headers = { ...request.headers, Host: new URL(provider.baseUrl).host }
  const reply = await callOwnServer({ ...request, headers, url: ownAddress(path, world) })
  const { checks, body } = checkReply(flow, reply, useIssuer(provider))
  const { status, text } = reply ?? { status: 0, text: '' }
  const common = {
    title,
    method: request.method,
    url: provider.baseUrl + path,
    sent: shown,
    status,
    checks,
  }
  return {
    exchange: { ...common, answer: masked(body) ?? text },
    body: allPassed(checks) ? body : undefined,
  }
}

/** The URL of this process for a path of the tenant. */
const ownAddress = (path: string, { tenant, host }: World) =>
  `${host.ownUrl}${tenant.basePath}${path}`

const masked = (body: unknown) =>
  typeof body === 'object' && body !== null && 'access_token' in body
    ? { ...body, access_token: '***' }
    : body

const secretOf = ({ clients }: Tenant) => clients.find(DEMO_CLIENT_ID)?.clientSecret ?? ''

/** An age signal of a document scan that the shop pretends to have made. */
function ageSignal(dateOfBirth: string, { provider }: Tenant) {
  const { provenanceAllowlist } = provider.vocabulary
  return {
    type: 'age_verification',
    method: 'id_doc_scan',
    age: { date_of_birth: dateOfBirth },
    verification_id: uuidOf(provider.clock.now()),
    verified_at: new Date(provider.clock.now()).toISOString(),
    provenance:
      provenanceAllowlist.find((path) => path === '/sandbox') ??
      provenanceAllowlist[0] ??
      '/sandbox',
    attributes: { issuing_country: 'US' },
  }
}

/** Creates a UUID of version 7 (RFC 9562): the instant in milliseconds, then 74 random bits. */
function uuidOf(instant: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Math.max(0, instant), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** A call of the demo's server to the sandbox. */
interface OwnCall {
  readonly method: 'GET' | 'POST'
  /** The absolute URL; it begins with the sandbox's own address. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Milliseconds that the demo waits for a reply. */
const MAX_WAIT_MS = 5_000

/**
 * Sends a request as the server of a relying party, but only to this process: `url` never comes
 * from a request. Redirects are not followed. Resolves to `undefined` when the connection breaks or
 * the reply takes too long.
 */
export function callOwnServer({
  method,
  url,
  headers: own,
  body = '',
}: OwnCall): Promise<ServerAnswer | undefined> {
  // The header excludes the demo from the coverage.
  const headers = { 'X-Sandbox-Tool': 'demo', ...own }
  // The certificate may be self-signed. It is not checked, because the URL is this process.
  const request = url.startsWith('https:')
    ? requestHttps(url, { method, headers, rejectUnauthorized: false, timeout: MAX_WAIT_MS })
    : requestHttp(url, { method, headers, timeout: MAX_WAIT_MS })
  return new Promise((resolve) => {
    const giveUp = () => resolve(undefined)
    request.on('timeout', () => request.destroy())
    request.on('error', giveUp)
    request.on('response', (response) => {
      const { statusCode: status = 0 } = response
      buffer(response).then((bytes) => resolve({ status, text: bytes.toString('utf8') }), giveUp)
    })
    request.end(body)
  })
}
