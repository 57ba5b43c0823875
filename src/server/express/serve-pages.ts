import { fileURLToPath } from 'node:url'
import express, { type IRouter, type RequestHandler } from 'express'
import { packageRoot } from '../../package-root.ts'
import { onDemand } from '../../sandbox/files/on-demand.ts'
import type { HttpHost, RouteRow } from '../http/handler.ts'
import { grouped } from '../http/html/elements.ts'
import { refuseUnknownPath, refusingMethods } from '../http/refusals/refusals.ts'
import { setCommonHeaders } from '../http/reply.ts'
import { createRoute } from '../http/route.ts'

/**
 * Serves pages, control calls and assets, and refuses every unknown path. The first such request
 * loads their modules, because neither a start nor a flow needs them.
 * @param serviceRows the rows that another handler serves; a refusal may name them
 */
export function servePages(host: HttpHost, serviceRows: readonly RouteRow[]): RequestHandler {
  const loadRouter = onDemand(async () => {
    const { createPageRoutes } = await import('../page-routes.ts')
    const rows = await createPageRoutes(host)
    const router = express.Router({ mergeParams: true, caseSensitive: true, strict: true })
    addRoutes(router, rows, host)
    router.use('/_sandbox/assets', createAssets())
    return router.use(refuseUnknownPath(host, [...serviceRows, ...rows]))
  })
  return async (request, response, next) => {
    const router = await loadRouter()
    router(request, response, next)
  }
}

function addRoutes(router: IRouter, routes: readonly RouteRow[], host: HttpHost): void {
  for (const [path, rows] of grouped(routes, ({ path }) => path)) {
    const route = router.route(path)
    const refuse = createRoute(host, refusingMethods(rows))
    for (const row of rows) route[row.method](createRoute(host, row))
    route.all(refuse)
  }
}

/** Serves the files of `public/`. */
const createAssets = (): RequestHandler =>
  express.static(fileURLToPath(new URL('public/', packageRoot)), {
    index: false,
    redirect: false,
    maxAge: '1h',
    setHeaders: setCommonHeaders,
  })
