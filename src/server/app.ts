import { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import express, {
  type Express,
  type IRouter,
  type Request,
  type RequestHandler,
  type Router,
} from 'express'
import { packageRoot } from '../package-root.ts'
import { pathOf } from '../sandbox/addresses/addresses.ts'
import { onDemand } from '../sandbox/files/on-demand.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import {
  ENDPOINT_IDS,
  ENDPOINTS,
  type Endpoint,
  type EndpointId,
  endpointPath,
} from '../service/oidc/endpoints.ts'
import { BRAND, BRANDS, type Brand } from '../service/oidc/rules/profile.ts'
import { hostProblem } from './http/guard/host-header.ts'
import type { Handler, HttpHost, RouteRow } from './http/handler.ts'
import { grouped } from './http/html/elements.ts'
import { NO_PARAMS, type Place } from './http/incoming.ts'
import { bufferBody } from './http/read-body.ts'
import { ConnectedResponse } from './http/refusals/parser-answers.ts'
import {
  answeringPreflight,
  methodsOf,
  refusePath,
  refuseUnknownPath,
  refuseUnreadable,
  refusingMethods,
} from './http/refusals/refusals.ts'
import { setCommonHeaders } from './http/reply.ts'
import { createRoute, createServe, type Serve } from './http/route.ts'
import { CHOICE_ENDPOINTS } from './pages/form.ts'
import { createAuthorizeRoutes } from './routes/authorize.ts'
import { BACKCHANNEL } from './routes/backchannel.ts'

/**
 * The classes by which Node makes the requests and responses of `app`. Express gives others a new
 * prototype with each call, and V8 then makes a shape of its own for each of them
 * (docs/maintainers/performance.md).
 */
export function messageClasses(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ConnectedResponse<Request> {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request)
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response)
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}

/**
 * Fills `app` with the route table below the path of the base URL, and below `/t/NAME` there. It
 * does not listen.
 */
export function createApp(host: HttpHost, app: Express = express()): Express {
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', false)
  app.set('trust proxy', [...host.trustedProxies])
  const serviceRows = createServiceRoutes(host)
  // Pages and control calls are loaded with their first request: a start and a flow do not need
  // them.
  const pages = loadedOnDemand(async () => {
    const { createPageRoutes } = await import('./page-routes.ts')
    const rows = await createPageRoutes(host)
    const router = express.Router({ mergeParams: true, caseSensitive: true, strict: true })
    addRoutes(router, rows, host)
    return router
      .use('/_sandbox/assets', createAssets())
      .use(refuseUnknownPath(host, [...serviceRows, ...rows]))
  })
  const { basePath, addresses } = host.tenants.root
  // A reverse proxy may keep the path of the base URL or cut it off, so both are served.
  const prefixes = [
    ...new Set([basePath, pathOf(addresses.internalUrl ?? addresses.baseUrl), '']),
  ].sort((one, other) => other.length - one.length)
  const paths = prefixes.map(literally)
  app.use(serveByPath(serviceRows, host, prefixes), bufferBody)
  for (const path of paths) app.use(`${path}/t/:tenant`, pages)
  for (const path of paths.filter((path) => path !== '')) app.use(path, pages)
  app.use(pages)
  app.use(refuseUnreadable(host))
  return app
}

/** A path in the syntax of Express that matches only itself. */
const literally = (path: string) => path.replaceAll(/[{}()[\]+?!:*\\]/g, '\\$&')

const createAssets = (): RequestHandler =>
  express.static(fileURLToPath(new URL('public/', packageRoot)), {
    index: false,
    redirect: false,
    maxAge: '1h',
    setHeaders: setCommonHeaders,
  })

function addRoutes(router: IRouter, routes: readonly RouteRow[], host: HttpHost): void {
  for (const [path, rows] of grouped(routes, ({ path }) => path)) {
    const route = router.route(path)
    const refuse = createRoute(host, refusingMethods(rows))
    for (const row of rows) {
      route[row.method](createRoute(host, row))
    }
    route.all(refuse)
  }
}

/** A router that is created for its first request. */
function loadedOnDemand(load: () => Promise<Router>): RequestHandler {
  const loadOnce = onDemand(load)
  return async (request, response, next) => {
    const router = await loadOnce()
    router(request, response, next)
  }
}

/** The handlers of one path by method; `other` refuses the rest. */
interface Methods {
  readonly [method: string]: Serve | undefined
  readonly other: Serve
}

/**
 * Serves rows whose paths have no parameters, at the base URL and below `/t/NAME`: one lookup for
 * each call, whatever the number of rows.
 * @param prefixes the paths below which the sandbox may be reached, the longest first
 */
function serveByPath(
  rows: readonly RouteRow[],
  host: HttpHost,
  prefixes: readonly string[],
): RequestHandler {
  const paths = new Map(
    grouped(rows, ({ path }) => path).map(([path, own]) => [path, servingOf(own, host)]),
  )
  const { host: exampleHost } = new URL(host.tenants.root.addresses.baseUrl)
  return (request, response, next) => {
    const wrongHost = hostProblem(request, exampleHost)
    if (wrongHost) return next(wrongHost)
    const { url } = request
    const question = url.indexOf('?')
    const place = placeOf(question < 0 ? url : url.slice(0, question), prefixes)
    const methods = place && paths.get(place.path)
    if (!place || !methods) return next()
    const serve = methods[request.method] ?? methods.other
    if (!hasBody(request)) return serve(request, response, place)
    return bufferBody(request, response, (problem?: unknown) =>
      problem === undefined ? serve(request, response, place).catch(next) : next(problem),
    )
  }
}

const hasBody = ({ headers }: Request) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

function servingOf(rows: readonly RouteRow[], host: HttpHost): Methods {
  const serving: Record<string, Serve> = {}
  for (const row of rows) {
    for (const method of methodsOf(row)) serving[method] = createServe(host, row)
    if (row.endpoint?.caller === 'any') serving['OPTIONS'] = createServe(host, answeringPreflight)
  }
  return { ...serving, other: createServe(host, refusingMethods(rows)) }
}

/**
 * The path below the base URL of its tenant; `undefined` when the name of the tenant cannot be
 * decoded.
 */
function placeOf(path: string, prefixes: readonly string[]): Place | undefined {
  const prefix = prefixes.find((one) => path.startsWith(`${one}/`)) ?? ''
  const below = prefix === '' ? path : path.slice(prefix.length)
  if (!below.startsWith('/t/')) return { path: below, params: NO_PARAMS }
  const slash = below.indexOf('/', 3)
  if (slash < 0) return undefined
  try {
    // Decoding copies the name, which may be kept.
    return {
      path: below.slice(slash),
      params: { tenant: decodeURIComponent(below.slice(3, slash)) },
    }
  } catch {
    return undefined
  }
}

/** The service itself, E1 to E6, and the forms of its choice pages. */
export function createServiceRoutes(host: HttpHost): readonly RouteRow[] {
  const { use, create, choice } = createAuthorizeRoutes(host)
  const handlers: Readonly<Record<EndpointId, Handler>> = { ...BACKCHANNEL, use, create }
  const endpoints = ENDPOINT_IDS.flatMap((id): RouteRow[] => {
    const endpoint: Endpoint = ENDPOINTS[id]
    const { method, caller } = endpoint
    const rowOf = (brand: Brand, handler: Handler): RouteRow => {
      const row = { path: endpointPath(id, brand), method, handler, endpoint }
      return caller === 'browser'
        ? { ...row, errors: 'embeddable-page', openTo: 'navigation' }
        : row
    }
    return endpoint.path.includes('{brand}')
      ? BRANDS.map((brand) => ({
          ...rowOf(brand, underBrand(brand, handlers[id])),
          isServed: ({ provider }: Tenant) => provider.brand === brand,
        }))
      : [rowOf(BRAND[host.settings.profile], handlers[id])]
  })
  const choices = Object.values(CHOICE_ENDPOINTS).map(
    (endpoint): RouteRow => ({
      ...endpoint,
      handler: choice,
      endpoint,
      errors: 'embeddable-page',
      openTo: 'own-pages',
    }),
  )
  return [...endpoints, ...choices]
}

/** An endpoint under one brand word; the readings of a tenant decide which word it has. */
const underBrand =
  (brand: Brand, handler: Handler): Handler =>
  (request, tenant) =>
    tenant.provider.brand === brand ? handler(request, tenant) : refusePath(request, tenant, [])
