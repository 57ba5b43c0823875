import { fileURLToPath } from 'node:url'
import express, { type Express, type IRouter, type RequestHandler, type Router } from 'express'
import { onDemand } from '../files/on-demand.ts'
import type { HttpHost, RouteRow } from '../http/handler.ts'
import { grouped } from '../http/html/elements.ts'
import { bufferBody } from '../http/read-body.ts'
import { refuseMethods, refuseUnknownPath, refuseUnreadable } from '../http/refusals/refusals.ts'
import { setCommonHeaders } from '../http/reply.ts'
import { createRoute } from '../http/route.ts'
import { packageRoot } from '../package-root.ts'
import { pathOf } from '../sandbox/addresses/addresses.ts'
import { serveByPath } from './serve-by-path.ts'
import { createServiceRoutes } from './service-routes.ts'

/** The Express application: the route table, below the path of the base URL and below `/t/NAME` there. It does not listen. */
export function createApp(host: HttpHost): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', false)
  app.set('trust proxy', [...host.trustedProxies])
  const serviceRows = createServiceRoutes(host)
  // Pages and control calls are loaded with the first request for one of them: a start and a flow do without.
  const pages = loadedOnDemand(async () => {
    const { createPageRoutes } = await import('./page-routes.ts')
    const rows = createPageRoutes(host)
    const router = express.Router({ mergeParams: true, caseSensitive: true, strict: true })
    addRoutes(router, rows, host)
    return router.use('/_sandbox/assets', createAssets()).use(refuseUnknownPath(host, [...serviceRows, ...rows]))
  })
  const { basePath, addresses } = host.tenants.root
  // A reverse proxy may keep the path of an address or cut it off, so both are served.
  const prefixes = [...new Set([basePath, pathOf(addresses.internalUrl ?? addresses.baseUrl), ''])].sort(
    (one, other) => other.length - one.length,
  )
  const paths = prefixes.map(literally)
  app.use(serveByPath(serviceRows, host, prefixes), bufferBody)
  for (const path of paths) app.use(`${path}/t/:tenant`, pages)
  for (const path of paths.filter((path) => path !== '')) app.use(path, pages)
  app.use(pages)
  app.use(refuseUnreadable(host))
  return app
}

/** A path in the syntax of Express that stands for itself alone. */
const literally = (path: string) => path.replaceAll(/[{}()[\]+?!:*\\]/g, '\\$&')

function createAssets(): RequestHandler {
  const folder = fileURLToPath(new URL('public/', packageRoot))
  return express.static(folder, {
    index: false,
    redirect: false,
    fallthrough: true,
    maxAge: '1h',
    setHeaders: setCommonHeaders,
  })
}

function addRoutes(router: IRouter, routes: readonly RouteRow[], host: HttpHost): void {
  for (const [path, rows] of grouped(routes, ({ path }) => path)) {
    const route = router.route(path)
    const refuse = createRoute(host, { handler: refuseMethods(rows) })
    for (const row of rows) {
      route[row.method](createRoute(host, row))
    }
    route.all(refuse)
  }
}

/** A router that is made when the first request comes to it. */
function loadedOnDemand(load: () => Promise<Router>): RequestHandler {
  const loadOnce = onDemand(load)
  return async (request, response, next) => {
    const router = await loadOnce()
    router(request, response, next)
  }
}
