import { fileURLToPath } from 'node:url'
import express, { type Express, type IRouter, type RequestHandler, type Router } from 'express'
import { onDemand } from '../files/on-demand.ts'
import type { HttpHost, RouteRow } from '../http/handler.ts'
import { grouped } from '../http/html/elements.ts'
import { readBody } from '../http/read-body.ts'
import { preflight, refuseMethods, refuseUnknownPath, refuseUnreadable } from '../http/refusals/refusals.ts'
import { setCommonHeaders } from '../http/reply.ts'
import { createRoute } from '../http/route.ts'
import { packageRoot } from '../package-root.ts'
import { pathOf } from '../sandbox/addresses/addresses.ts'
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
    return createRouter(rows, host)
      .use('/_sandbox/assets', createAssets())
      .use(refuseUnknownPath(host, [...serviceRows, ...rows]))
  })
  const tenantRoutes = loadedOnDemand(async () => createRouter(serviceRows, host).use(pages.serve))
  app.use(readBody)
  // Before all routes: a call that was first waits for its code, and what comes after it must not overtake it.
  app.use(pages.afterLoading)
  const { basePath, addresses } = host.tenants.root
  // A reverse proxy may keep the path of an address or cut it off, so both are served.
  const paths = [...new Set([basePath, pathOf(addresses.internalUrl ?? addresses.baseUrl), ''].map(literally))]
  addRoutes(app, serviceRows, host)
  for (const path of paths) app.use(`${path}/t/:tenant`, tenantRoutes.serve)
  for (const path of paths.filter((path) => path !== '')) app.use(path, tenantRoutes.serve)
  app.use(pages.serve)
  app.use(refuseUnreadable(host))
  return app
}

/** A path in the syntax of Express that stands for itself alone. */
const literally = (path: string) => path.replaceAll(/[{}()[\]+?!:*\\]/g, '\\$&')

function createRouter(routes: readonly RouteRow[], host: HttpHost): Router {
  const router = express.Router({ mergeParams: true, caseSensitive: true, strict: true })
  addRoutes(router, routes, host)
  return router
}

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
      const serve = createRoute(host, row)
      // Express answers HEAD by the handler of GET: a flow must not begin or end by one.
      if (row.method === 'get' && row.endpoint?.caller === 'browser') route.head(refuse)
      route[row.method](serve)
      if (row.endpoint?.caller === 'any') route.options(createRoute(host, { handler: preflight }))
    }
    route.all(refuse)
  }
}

/** A router that is made when the first request comes to it. */
interface RouterOnDemand {
  readonly serve: RequestHandler
  /** Holds a request back while the router is being made. */
  readonly afterLoading: RequestHandler
}

function loadedOnDemand(load: () => Promise<Router>): RouterOnDemand {
  const loadOnce = onDemand(load)
  let loading: Promise<Router> | undefined
  let router: Router | undefined
  return {
    async serve(request, response, next) {
      loading = loadOnce()
      router = await loading
      router(request, response, next)
    },
    async afterLoading(_request, _response, next) {
      // A failure is answered to the request that began the loading.
      if (router === undefined) await loading?.catch(() => {})
      next()
    },
  }
}
