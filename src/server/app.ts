import express, { type Express } from 'express'
import { pathOf } from '../sandbox/addresses/addresses.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import {
  ENDPOINT_IDS,
  ENDPOINTS,
  type Endpoint,
  type EndpointId,
  endpointPath,
} from '../service/oidc/endpoints.ts'
import { BRAND, BRANDS } from '../service/oidc/rules/profile.ts'
import { serveByPath } from './express/serve-by-path.ts'
import { servePages } from './express/serve-pages.ts'
import type { Handler, HttpHost, RouteRow } from './http/handler.ts'
import { bufferBody } from './http/read-body.ts'
import { refusePath, refuseUnreadable } from './http/refusals/refusals.ts'
import { CHOICE_ENDPOINTS } from './pages/form.ts'
import { serveChoice } from './routes/choice.ts'
import { serveCreate } from './routes/create.ts'
import { serveCreateDiscovery, serveJwks, serveUseDiscovery } from './routes/discovery.ts'
import { servePar } from './routes/par.ts'
import { serveToken } from './routes/token.ts'
import { serveUpgrade } from './routes/upgrade.ts'
import { serveUse } from './routes/use.ts'

/**
 * Method, path and handler of each endpoint. The compiler checks method and path against the list
 * of endpoints.
 */
type Service = {
  readonly [Id in EndpointId]: Pick<(typeof ENDPOINTS)[Id], 'method' | 'path'> & {
    readonly handler: Handler
  }
}

/** The service: E1 to E6 of the specification. */
const createService = (host: HttpHost): Service => ({
  // E1: the browser asks whether its user is old enough.
  use: { method: 'get', path: '/v1/oidc/use', handler: serveUse(host) },
  // E2: the app pushes a request for a new age key.
  par: { method: 'post', path: '/v1/oidc/create/par', handler: servePar },
  // E3: the browser brings the pushed request.
  create: { method: 'get', path: '/v1/oidc/create', handler: serveCreate(host) },
  // E4: the app exchanges the code of a Use for an access token.
  token: { method: 'post', path: '/v1/oidc/use/token', handler: serveToken },
  // E5: the app adds age signals to the age key of the user.
  upgrade: { method: 'post', path: '/v1/{brand}/upgrade', handler: serveUpgrade },
  // E6: discovery and keys.
  useDiscovery: {
    method: 'get',
    path: '/v1/oidc/use/.well-known/openid-configuration',
    handler: serveUseDiscovery,
  },
  createDiscovery: {
    method: 'get',
    path: '/v1/oidc/create/.well-known/openid-configuration',
    handler: serveCreateDiscovery,
  },
  jwks: { method: 'get', path: '/.well-known/jwks.json', handler: serveJwks },
})

/**
 * Adds the service, the pages and the control API to `app`, below the path of the base URL and, for
 * tenants, below `/t/NAME` there. The app does not listen yet.
 */
export function createApp(host: HttpHost, app: Express = express()): Express {
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', false)
  app.set('trust proxy', [...host.trustedProxies])

  const serviceRows = createServiceRoutes(host)
  const prefixes = prefixesOf(host.tenants.root)
  app.use(serveByPath(serviceRows, host, prefixes), bufferBody)

  const pages = servePages(host, serviceRows)
  const paths = prefixes.map(literally)
  for (const path of paths) app.use(`${path}/t/:tenant`, pages)
  for (const path of paths) if (path !== '') app.use(path, pages)
  app.use(pages)
  app.use(refuseUnreadable(host))
  return app
}

/**
 * The path prefixes under which requests may arrive, longest first. A reverse proxy may keep the
 * path of the base URL or remove it.
 */
function prefixesOf({ basePath, addresses }: Tenant): readonly string[] {
  const internalPath = pathOf(addresses.internalUrl ?? addresses.baseUrl)
  const prefixes = [...new Set([basePath, internalPath, ''])]
  return prefixes.sort((one, other) => other.length - one.length)
}

/** Escapes a path for Express, so that the pattern matches only this path. */
const literally = (path: string) => path.replaceAll(/[{}()[\]+?!:*\\]/g, '\\$&')

/** The routes of the service (E1 to E6) and of the forms on its choice pages. */
export function createServiceRoutes(host: HttpHost): readonly RouteRow[] {
  const service = createService(host)
  const rows: RouteRow[] = []
  for (const id of ENDPOINT_IDS) rows.push(...rowsOf(id, service[id].handler, host))
  const choice = serveChoice(host)
  for (const endpoint of Object.values(CHOICE_ENDPOINTS)) {
    const { path, method } = endpoint
    const isEmbeddable = { errors: 'embeddable-page', openTo: 'own-pages' } as const
    rows.push({ path, method, handler: choice, endpoint, ...isEmbeddable })
  }
  return rows
}

/**
 * Returns one row for an endpoint, or one row for each brand word if the path contains the brand
 * word.
 */
function rowsOf(id: EndpointId, handler: Handler, host: HttpHost): readonly RouteRow[] {
  const endpoint: Endpoint = ENDPOINTS[id]
  const { method } = endpoint
  if (endpoint.path.includes('{brand}')) {
    return BRANDS.map((brand) => {
      const isServed = ({ provider }: Tenant) => provider.brand === brand
      // The readings of a tenant decide which brand word the tenant has.
      const underBrand: Handler = (request, tenant, reserveFlow) =>
        isServed(tenant) ? handler(request, tenant, reserveFlow) : refusePath(request, tenant, [])
      return { path: endpointPath(id, brand), method, handler: underBrand, endpoint, isServed }
    })
  }
  const row = { path: endpointPath(id, BRAND[host.settings.profile]), method, handler, endpoint }
  return endpoint.caller === 'browser'
    ? [{ ...row, errors: 'embeddable-page', openTo: 'navigation' }]
    : [row]
}
