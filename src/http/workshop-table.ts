import { createConsoleRoutes } from './console/routes.ts'
import { openApiRoute } from './control/openapi-route.ts'
import { serveControl } from './control/serve.ts'
import { CONTROL_ROUTES } from './control/table.ts'
import { createDemoRoutes } from './demo/routes.ts'
import { createHomeRoute } from './home-route.ts'
import { appearanceCss } from './hosted-appearance.ts'
import { createEmbeddingRoute } from './hosted-embedding-route.ts'
import { clientLogo } from './hosted-logo.ts'
import type { HttpHost } from './route.ts'
import type { RouteRow } from './route-table.ts'
import { createTrapRoute } from './trap-route.ts'

/** What a sandbox has beside the service: the home page, the control API, the console and the demo relying party. */
export function createWorkshopTable(host: HttpHost): readonly RouteRow[] {
  return [
    ['/', 'get', createHomeRoute(host)],
    ['/_sandbox/appearance.css', 'get', appearanceCss],
    ['/_sandbox/clients/:client/logo', 'get', clientLogo],
    ['/_sandbox/embedding', 'get', createEmbeddingRoute(host)],
    ['/_sandbox/trap/:id', 'get', createTrapRoute(), 'trap'],
    ['/_sandbox/trap/:id', 'post', createTrapRoute(), 'trap'],
    ...CONTROL_ROUTES.map((route): RouteRow => [`/_sandbox${route.path}`, route.method, serveControl(route, host)]),
    ['/_sandbox/openapi.json', 'get', openApiRoute(host)],
    ...createConsoleRoutes(host),
    ...createDemoRoutes(host),
  ]
}
