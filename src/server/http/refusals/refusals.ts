import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import {
  ENDPOINT_IDS,
  ENDPOINTS,
  type EndpointId,
  endpointPath,
} from '../../../service/oidc/endpoints.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import {
  BRAND,
  BRANDS,
  type Brand,
  describeBrand,
  type Profile,
} from '../../../service/oidc/rules/profile.ts'
import { nearest } from '../../../service/text/message-parts.ts'
import { addressForCaller } from '../guard/called-address.ts'
import type { Handler, HttpHost, RouteRow } from '../handler.ts'
import type { Incoming } from '../incoming.ts'
import { CORS, noContent } from '../reply.ts'
import { createRoute } from '../route.ts'

/**
 * Answers the CORS preflight for discovery and the key set. A preflight creates no tenant; the
 * request after it does.
 */
export const answeringPreflight: Pick<RouteRow, 'handler' | 'isServed'> = {
  handler: () => ({
    reply: noContent({
      ...CORS,
      'Access-Control-Allow-Methods': 'GET',
      'Access-Control-Allow-Headers': '*',
    }),
  }),
  isServed: () => false,
}

/**
 * The methods that a row serves. HEAD is served like GET, except where a call begins or ends a
 * flow.
 */
export const methodsOf = ({ method, endpoint }: RouteRow): readonly string[] =>
  method === 'get' && endpoint?.caller !== 'browser' ? ['GET', 'HEAD'] : [method.toUpperCase()]

/**
 * Refuses other methods with 405. The refusal has the same form (page or JSON) as the other
 * refusals of these rows.
 */
export function refusingMethods(
  rows: readonly RouteRow[],
): Pick<RouteRow, 'handler' | 'errors' | 'isServed'> {
  const allowed = rows.flatMap(methodsOf).join(', ')
  const handler: Handler = (request, tenant) => {
    if (rows.some((row) => isUnderOtherBrand(row, tenant))) refusePath(request, tenant, rows)
    const received = `${request.method} ${excerpt(tenant.basePath + request.path)}`
    throw Refusal.byHttp(405, `${received} is not served; use ${allowed}. ${reasonOf(rows)}`, {
      title: 'Another method',
      headers: { Allow: allowed },
    })
  }
  return { handler, errors: rows.find(({ errors }) => errors)?.errors, isServed: never }
}

/** Routes that only refuse create no tenant. */
const never = () => false

function reasonOf(rows: readonly RouteRow[]): string {
  const endpoint = rows.find((row) => row.endpoint)?.endpoint
  if (endpoint === undefined) {
    return rows.some(({ method }) => method === 'get')
      ? 'GET and HEAD read, the other methods change something.'
      : 'The call changes something, which GET and HEAD never do.'
  }
  const called = `${endpoint.number} (${endpoint.title})`
  if (endpoint.caller === 'any') return `${called} is a document to read.`
  if (endpoint.caller === 'server') {
    return `${called} is called by your server, with its parameters in the body: what stands in a URL ends up in logs.`
  }
  return endpoint.method === 'get'
    ? `${called} is opened by the browser, by GET alone: redirect it there, with the parameters in the query.`
    : `${called} is sent by the form of a hosted page.`
}

/**
 * Refuses an unknown path with 404 and names the right path. A caller that accepts HTML gets a
 * page. Below `/_sandbox/`, which programs call, the answer is JSON, except below the console, the
 * demo and the documents.
 */
export function refuseUnknownPath(host: HttpHost, routes: readonly RouteRow[]): RequestHandler {
  const handler: Handler = (request, tenant) => refusePath(request, tenant, routes)
  const asPage = createRoute(host, { handler, errors: 'page', isServed: never })
  const asJson = createRoute(host, { handler, isServed: never })
  return (request, response, next) => {
    const acceptsPage = /\btext\/html\b/i.test(request.get('accept') ?? '')
    const isCall = /^\/_sandbox\/(?!console\/|demo\/|docs\/)/.test(request.path)
    return (acceptsPage && !isCall ? asPage : asJson)(request, response, next)
  }
}

/** Whether the row belongs to the brand word that this tenant does not serve. */
const isUnderOtherBrand = ({ path, endpoint }: RouteRow, { provider }: Tenant) =>
  endpoint?.path.includes('{brand}') === true &&
  path !== endpoint.path.replace('{brand}', provider.brand)

/**
 * Refuses an unknown path and names the right path.
 * @throws Refusal 404
 */
export function refusePath(request: Incoming, tenant: Tenant, routes: readonly RouteRow[]): never {
  const { profile, brand } = tenant.provider
  const served = { profile, brand, baseUrl: addressForCaller(request, tenant), routes }
  const message = `${excerpt(tenant.basePath + request.path)} is not served here. ${rightPlace(request.path, served)}`
  throw Refusal.byHttp(404, message, { title: 'No such page' })
}

const excerpt = (path: string) => (path.length > 80 ? `${path.slice(0, 80)}...` : path)

/**
 * Answers errors that happen before a route is reached: an undecodable path, an unreadable body, a
 * bad `Host` header.
 */
export const refuseUnreadable =
  (host: HttpHost): ErrorRequestHandler =>
  (error, request, response, next) => {
    const handler: Handler = () => {
      const status: unknown = error?.status
      if (error instanceof Refusal || typeof status !== 'number' || status < 400 || status >= 500)
        throw error
      const remedy = error instanceof URIError ? '; encode it as UTF-8, and a % itself as %25' : ''
      const message = `the request cannot be read: ${error.message}${remedy}`
      throw Refusal.byHttp(status, message, { title: 'This request cannot be read' })
    }
    return createRoute(host, { handler, isServed: never })(request, response, next)
  }

/** The parts of the sandbox that a refusal of an unknown path may name. */
interface Served {
  readonly profile: Profile
  readonly brand: Brand
  /** The URL of the tenant for this caller. */
  readonly baseUrl: string
  readonly routes: readonly Pick<RouteRow, 'path' | 'method'>[]
}

/** Names the address that the caller probably meant, or all addresses when no path is similar. */
function rightPlace(path: string, served: Served): string {
  const parts = path.split('/').filter((part) => part !== '')
  const words = parts.map((part) => part.toLowerCase())
  const absent = words.map((word) => ABSENT.get(word)).find((reason) => reason !== undefined)
  if (absent !== undefined) return absent
  const endpoints = words[0] === '_sandbox' ? [] : endpointsMeant(words)
  if (endpoints.length === 0)
    return similarPlace(parts, served) ?? pagesBeside(parts, served) ?? everyPlace(served)
  const places = endpoints.map((id) => {
    const { number, title, method } = ENDPOINTS[id]
    return `${number} (${title}): ${method.toUpperCase()} ${served.baseUrl}${endpointPath(id, served.brand)}`
  })
  const differences = differencesOf(
    path,
    endpoints.map((id) => endpointPath(id, served.brand)),
  )
  return `${places.join('; ')}${differences}.${otherBrand(path, words, served)}`
}

/** Endpoints that other providers have and this service lacks, by a word of their path. */
const ABSENT: ReadonlyMap<string, string> = new Map([
  [
    'userinfo',
    'There is no userinfo endpoint: all that the service says of a user stands in the id_token.',
  ],
  [
    'introspect',
    'There is no introspection endpoint: the access token is opaque and serves the upgrade call alone.',
  ],
  ['revoke', 'There is no revocation endpoint: the access token expires by itself.'],
  ['logout', 'There is no session to end: each flow stands alone.'],
  [
    'register',
    'There is no dynamic registration: declare clients in the config file, or by PUT /_sandbox/tenants/NAME.',
  ],
  ['callback', 'The callback is a page of your app: send its full address as redirect_uri.'],
])

const FLOWS: readonly string[] = ['use', 'create']

/**
 * Finds the endpoints that the words of a path mean. If the path names a flow, only endpoints of
 * that flow are returned.
 */
function endpointsMeant(words: readonly string[]): readonly EndpointId[] {
  const known = ENDPOINT_IDS.flatMap(wordsOf)
  const last = words.at(-1) ?? ''
  const own = words.findLast((word) => known.includes(word) && !FLOWS.includes(word))
  const word = own ?? (FLOWS.includes(last) ? last : nearest(last, known)[0])
  const meant = ENDPOINT_IDS.filter((id) => word !== undefined && wordsOf(id).includes(word))
  const ofFlow = meant.filter((id) =>
    words.some((flow) => FLOWS.includes(flow) && belongsTo(id, flow)),
  )
  return ofFlow.length > 0 ? ofFlow : meant
}

const wordsOf = (id: EndpointId): readonly string[] => ENDPOINTS[id].words

const belongsTo = (id: EndpointId, flow: string) => ENDPOINTS[id].path.split('/').includes(flow)

/** Says how a path differs from the right one: slashes or capitals; empty for other paths. */
function differencesOf(path: string, rightPaths: readonly string[]): string {
  const plain = (text: string) => text.toLowerCase().replaceAll(/\/+/g, '/').replace(/\/$/, '')
  const right = rightPaths.find((one) => plain(one) === plain(path))
  if (right === undefined) return ''
  const differences = [
    ...(/\/{2}/.test(path) ? ['without doubled slashes'] : []),
    ...(path.endsWith('/') ? ['without the slash at the end'] : []),
    ...(path === path.toLowerCase() ? [] : ['in lowercase']),
  ]
  return ` (${differences.join(', ')})`
}

/** Says how to serve a path that contains the other brand word; empty for other paths. */
function otherBrand(path: string, words: readonly string[], { profile, brand }: Served): string {
  const other = BRANDS.find((one) => one !== brand && words.includes(one))
  if (other === undefined) return ''
  const [its, own] = [other, brand].map((word) => describeBrand(word, { profile, brand }))
  const remedy =
    brand === BRAND[profile] ? `start it with --${its}` : `set the reading brand_word=${other}`
  return ` This sandbox runs with ${own}: ${remedy} to serve ${path}.`
}

/** Finds a page or control call with a similar path. */
function similarPlace(parts: readonly string[], { baseUrl, routes }: Served): string | undefined {
  const [first = '', ...others] = parts
  const below = nearest(first, ['_sandbox']).length > 0 ? others : parts
  const meant = [
    ['_sandbox', ...below],
    ['_sandbox', 'console', ...below],
  ]
  const [path] = [...new Set(routes.map((route) => route.path))].filter((one) =>
    meant.some((parts) => isSimilar(parts, one.split('/').slice(1))),
  )
  if (path === undefined) return undefined
  const methods = routes
    .filter((route) => route.path === path)
    .map(({ method }) => method.toUpperCase())
  const shown = path.replaceAll(/:(\w+)/g, (_, name: string) => name.toUpperCase())
  return `${methods.join(', ')} ${baseUrl}${shown}.`
}

const isSimilar = (parts: readonly string[], pattern: readonly string[]) =>
  parts.length === pattern.length &&
  pattern.every(
    (part, index) => part.startsWith(':') || nearest(parts[index] ?? '', [part]).length > 0,
  )

/** Lists the pages of the console, for an unknown path below the console. */
function pagesBeside(parts: readonly string[], { baseUrl, routes }: Served): string | undefined {
  const folder = '/_sandbox/console/'
  if (!`/${parts.join('/')}`.startsWith(folder)) return undefined
  const paths = routes
    .filter(({ path, method }) => method === 'get' && path.startsWith(folder))
    .map(({ path }) => path)
  const names = paths.map((path) => path.slice(folder.length)).filter((name) => !name.includes('/'))
  return `Below ${baseUrl}${folder} there are ${names.join(', ')}.`
}

function everyPlace({ baseUrl, brand }: Served): string {
  const places = Object.values(ENDPOINTS).map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replace('{brand}', brand)}`,
  )
  return `Served below ${baseUrl}: ${places.join(', ')}; the sandbox itself: / (pages), /_sandbox/openapi.json (calls), /_sandbox/docs (documents).`
}
