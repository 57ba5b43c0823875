import type { ErrorRequestHandler, RequestHandler } from 'express'
import { Refusal } from '../../oidc/refusal.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { addressForCaller } from '../guard/caller-address.ts'
import type { Handler, HttpHost, RouteRow } from '../handler.ts'
import type { Incoming } from '../incoming.ts'
import { CORS, noContent } from '../reply.ts'
import { createRoute } from '../route.ts'
import { rightPlace } from './right-place.ts'

/** Answers the preflight request of a browser that reads discovery or keys from another origin. */
export const answerPreflight: Handler = () => ({
  reply: noContent({ ...CORS, 'Access-Control-Allow-Methods': 'GET', 'Access-Control-Allow-Headers': '*' }),
})

/** The methods that a row serves. HEAD is answered as GET without a body, but HEAD must not begin or end a flow. */
export const methodsOf = ({ method, endpoint }: RouteRow): readonly string[] =>
  method === 'get' && endpoint?.caller !== 'browser' ? ['GET', 'HEAD'] : [method.toUpperCase()]

/** 405: the path is served, by the methods of these rows. */
export function refuseMethods(rows: readonly RouteRow[]): Handler {
  const allowed = rows.flatMap(methodsOf).join(', ')
  return (request, tenant) => {
    if (rows.some((row) => isUnderOtherBrand(row, tenant))) refusePath(request, tenant, rows)
    const received = `${request.method} ${excerpt(tenant.basePath + request.path)}`
    throw Refusal.byHttp(405, `${received} is not served; use ${allowed}. ${reasonOf(rows)}`, {
      title: 'Another method',
      headers: { Allow: allowed },
    })
  }
}

/** Why a path takes only some methods. */
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
 * 404, with the right place: a page for a caller that accepts HTML, else JSON. Below `/_sandbox/`, where programs call, it is
 * JSON, but for the pages of the console, of the demo and of the documents.
 */
export function refuseUnknownPath(host: HttpHost, routes: readonly RouteRow[]): RequestHandler {
  const handler: Handler = (request, tenant) => refusePath(request, tenant, routes)
  const [asPage, asJson] = [createRoute(host, { handler, errors: 'page' }), createRoute(host, { handler })]
  return (request, response, next) => {
    const acceptsPage = /\btext\/html\b/i.test(request.get('accept') ?? '')
    const isCall = /^\/_sandbox\/(?!console\/|demo\/|docs\/)/.test(request.path)
    return (acceptsPage && !isCall ? asPage : asJson)(request, response, next)
  }
}

/** Both brand words have a route; the tenant has one of them. */
const isUnderOtherBrand = ({ path, endpoint }: RouteRow, { provider }: Tenant) =>
  endpoint?.path.includes('{brand}') === true && path !== endpoint.path.replace('{brand}', provider.brand)

/** 404, with the right place. @throws Refusal */
export function refusePath(request: Incoming, tenant: Tenant, routes: readonly RouteRow[]): never {
  const { profile, brand } = tenant.provider
  const served = { profile, brand, baseUrl: addressForCaller(request, tenant), routes }
  const message = `${excerpt(tenant.basePath + request.path)} is not served here. ${rightPlace(request.path, served)}`
  throw Refusal.byHttp(404, message, { title: 'No such page' })
}

const excerpt = (path: string) => (path.length > 80 ? `${path.slice(0, 80)}...` : path)

/** Failures before a route is reached: a path that cannot be decoded, a body that is not read. */
export const refuseUnreadable =
  (host: HttpHost): ErrorRequestHandler =>
  (error, request, response, next) => {
    const handler: Handler = () => {
      const status: unknown = error?.status
      if (error instanceof Refusal || typeof status !== 'number' || status < 400 || status >= 500) throw error
      const message = `the request cannot be read: ${error.message}`
      throw Refusal.byHttp(status, message, { title: 'This request cannot be read' })
    }
    return createRoute(host, { handler })(request, response, next)
  }
