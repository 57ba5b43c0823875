import { fileURLToPath } from 'node:url'
import express, { type Express, type RequestHandler, type Router } from 'express'
import { packageRoot } from '../package-root.ts'
import { pathOf } from '../sandbox/addresses.ts'
import { preflight, refuseMethods, refuseUnknownPath, refuseUnreadable } from './refusals.ts'
import { setCommonHeaders } from './reply.ts'
import { createRoute, type HttpHost } from './route.ts'
import { createServiceTable, type RouteRow } from './route-table.ts'

/** A body may have this many bytes. */
const BODY_LIMIT = 64 * 1024

/** The Express application: the route table, below the path of the base URL and below `/t/NAME` there. It does not listen. */
export function createApp(host: HttpHost): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.set('trust proxy', [...host.trustedProxies])
  const router = createRouter(createServiceTable(host), host)
  // A start and the flows of a client do not pay for pages and control calls that nobody asks for.
  router.use(
    loadedOnDemand(async () => {
      const { createWorkshopTable } = await import('./workshop-table.ts')
      const workshop = createRouter(createWorkshopTable(host), host)
      const assets = fileURLToPath(new URL('public/', packageRoot))
      workshop.use(
        '/_sandbox/assets',
        express.static(assets, {
          index: false,
          redirect: false,
          fallthrough: true,
          maxAge: '1h',
          setHeaders: setCommonHeaders,
        }),
      )
      return workshop
    }),
  )
  const { basePath, addresses } = host.tenants.root
  // A reverse proxy may keep the path of an address or cut it off: both arrive.
  const paths = new Set([basePath, pathOf(addresses.internalUrl ?? addresses.baseUrl), ''].map(literally))
  for (const path of paths) app.use(`${path}/t/:tenant`, router)
  for (const path of paths) app.use(path || '/', router)
  app.use(createRoute(host, undefined, refuseUnknownPath))
  app.use(refuseUnreadable(host, BODY_LIMIT))
  return app
}

/** A path in the syntax of Express that stands for itself alone. */
const literally = (path: string) => path.replaceAll(/[{}()[\]+?!:*\\]/g, '\\$&')

function createRouter(routes: readonly RouteRow[], host: HttpHost): Router {
  const router = express.Router({ mergeParams: true, caseSensitive: true, strict: true })
  const readBody = express.raw({ type: () => true, limit: BODY_LIMIT, inflate: false })
  for (const [path, rows] of rowsByPath(routes)) {
    const route = router.route(path)
    for (const [, method, handler, endpoint] of rows) {
      const serve = createRoute(host, endpoint, handler)
      // Express answers HEAD by the handler of GET: a flow must not begin or end by one.
      if (endpoint === 'E1' || endpoint === 'E3') route.head(createRoute(host, undefined, refuseMethods(['get'])))
      if (method === 'get') route.get(serve)
      else route[method](readBody, serve)
      if (endpoint === 'E6') route.options(createRoute(host, undefined, preflight))
    }
    route.all(createRoute(host, undefined, refuseMethods(rows.map(([, method]) => method))))
  }
  return router
}

/** A router that is made when the first request comes to it. */
function loadedOnDemand(load: () => Promise<Router>): RequestHandler {
  let loading: Promise<Router> | undefined
  return async (request, response, next) => {
    loading ??= load()
    const router = await loading
    router(request, response, next)
  }
}

function rowsByPath(routes: readonly RouteRow[]): Map<string, RouteRow[]> {
  const rows = new Map<string, RouteRow[]>()
  for (const row of routes) rows.set(row[0], [...(rows.get(row[0]) ?? []), row])
  return rows
}
