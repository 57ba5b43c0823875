import { createTrapRoute } from '../backchannel/trap.ts'
import { createHomeRoute } from '../console/home.ts'
import { createConsoleRoutes } from '../console/routes.ts'
import { createControlRoutes } from '../control/serve.ts'
import { createDemoRoutes } from '../demo/routes.ts'
import { appearanceCss } from '../hosted/appearance.ts'
import { createEmbeddingRoute } from '../hosted/embedding-demo.ts'
import { clientLogo } from '../hosted/logo.ts'
import { createHostedRoutes } from '../hosted/routes.ts'
import type { HttpHost, RouteRow } from '../http/route.ts'

/** What no client calls in a flow: forms of the hosted pages, the home page, the control API, the console, the demo relying party. */
export function createWorkshopTable(host: HttpHost): readonly RouteRow[] {
  const hosted = createHostedRoutes(host)
  return [
    ['/v1/oidc/use/language', 'post', hosted.language],
    ['/v1/oidc/create/language', 'post', hosted.language],
    ['/v1/oidc/use/clock', 'post', hosted.clock],
    ['/v1/oidc/create/clock', 'post', hosted.clock],
    ['/', 'get', createHomeRoute(host)],
    ['/_sandbox/appearance.css', 'get', appearanceCss],
    ['/_sandbox/clients/:client/logo', 'get', clientLogo],
    ['/_sandbox/embedding', 'get', createEmbeddingRoute(host)],
    ['/_sandbox/trap/:id', 'get', createTrapRoute(), 'trap'],
    ['/_sandbox/trap/:id', 'post', createTrapRoute(), 'trap'],
    ...createControlRoutes(host),
    ...createConsoleRoutes(host),
    ...createDemoRoutes(host),
  ]
}
