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
 * Answers the preflight request of a browser that reads discovery or keys from another origin. It
 * makes no tenant: the reading does.
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
 * The methods of a row. HEAD is answered like GET without a body, except where a call begins or
 * ends a flow.
 */
export const methodsOf = ({ method, endpoint }: RouteRow): readonly string[] =>
  method === 'get' && endpoint?.caller !== 'browser' ? ['GET', 'HEAD'] : [method.toUpperCase()]

/** 405, in the form of the other refusals of these rows: the path exists, for their methods. */
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

/** For the routes that refuse: they make no tenant. */
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
 * 404 with the right place: a page if the caller accepts HTML, otherwise JSON. Below `/_sandbox/`,
 * where programs call, it is JSON, except for the pages of the console, the demo and the documents.
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

/** Both brand words have a route, and the tenant has one of the words. */
const isUnderOtherBrand = ({ path, endpoint }: RouteRow, { provider }: Tenant) =>
  endpoint?.path.includes('{brand}') === true &&
  path !== endpoint.path.replace('{brand}', provider.brand)

/** 404, with the right place. @throws Refusal */
export function refusePath(request: Incoming, tenant: Tenant, routes: readonly RouteRow[]): never {
  const { profile, brand } = tenant.provider
  const served = { profile, brand, baseUrl: addressForCaller(request, tenant), routes }
  const message = `${excerpt(tenant.basePath + request.path)} is not served here. ${rightPlace(request.path, served)}`
  throw Refusal.byHttp(404, message, { title: 'No such page' })
}

const excerpt = (path: string) => (path.length > 80 ? `${path.slice(0, 80)}...` : path)

/** Failures before a route is reached: an undecodable path, an unreadable body. */
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

/** The addresses that a refusal of an unknown path may name. */
interface Served {
  readonly profile: Profile
  readonly brand: Brand
  /** The URL of the tenant for this caller. */
  readonly baseUrl: string
  readonly routes: readonly Pick<RouteRow, 'path' | 'method'>[]
}

/**
 * The address that the caller probably means, in sentences; all addresses when the path resembles
 * none.
 */
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

/** Endpoints of other providers that this service does not have. */
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

/** The endpoints that the words of a path mean; among several, those of the named flow. */
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

/** The single fault of a path that is nearly right. */
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

/** A path under another brand word. */
function otherBrand(path: string, words: readonly string[], { profile, brand }: Served): string {
  const other = BRANDS.find((one) => one !== brand && words.includes(one))
  if (other === undefined) return ''
  const [its, own] = [other, brand].map((word) => describeBrand(word, { profile, brand }))
  const remedy =
    brand === BRAND[profile] ? `start it with --${its}` : `set the reading brand_word=${other}`
  return ` This sandbox runs with ${own}: ${remedy} to serve ${path}.`
}

/** A page or call of the sandbox with a similar path. */
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

/** The pages of the console, for a path below it. */
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
