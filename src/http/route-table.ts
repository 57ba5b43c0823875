import { upgradePath } from '../oidc/profile.ts'
import { createAuthorizeRoutes } from './authorize-routes.ts'
import { createConsoleRoutes } from './console/routes.ts'
import { openApiRoute } from './control/openapi-route.ts'
import { serveControl } from './control/serve.ts'
import { CONTROL_ROUTES } from './control/table.ts'
import { createDemoRoutes } from './demo/routes.ts'
import { createHomeRoute } from './home-route.ts'
import { appearanceCss } from './hosted-appearance.ts'
import { createEmbeddingRoute } from './hosted-embedding-route.ts'
import { clientLogo } from './hosted-logo.ts'
import { createHostedRoutes } from './hosted-routes.ts'
import type { Handler, HttpHost } from './route.ts'
import { discoverCreate, discoverUse, jwks, par, token, upgrade } from './server-routes.ts'
import { createTrapRoute } from './trap-route.ts'

export type Method = 'get' | 'post' | 'put' | 'delete'

/** A path below the base URL (or below `/t/NAME`), its method, what serves it, and its name in the specification. */
export type RouteRow = readonly [path: string, method: Method, handler: Handler, endpoint?: string]

/** Everything that is served, in order. */
export function createRouteTable(host: HttpHost): readonly RouteRow[] {
  const authorize = createAuthorizeRoutes(host)
  const hosted = createHostedRoutes(host)
  return [
    ['/v1/oidc/use', 'get', authorize.use, 'E1'],
    ['/v1/oidc/use/choice', 'post', authorize.choice, 'choice'],
    ['/v1/oidc/create/par', 'post', par, 'E2'],
    ['/v1/oidc/create', 'get', authorize.create, 'E3'],
    ['/v1/oidc/create/choice', 'post', authorize.choice, 'choice'],
    ['/v1/oidc/use/token', 'post', token, 'E4'],
    [upgradePath(host.settings.profile), 'post', upgrade, 'E5'],
    ['/v1/oidc/use/.well-known/openid-configuration', 'get', discoverUse, 'E6'],
    ['/v1/oidc/create/.well-known/openid-configuration', 'get', discoverCreate, 'E6'],
    ['/.well-known/jwks.json', 'get', jwks, 'E6'],
    ['/v1/oidc/use/language', 'post', hosted.language],
    ['/v1/oidc/create/language', 'post', hosted.language],
    ['/v1/oidc/use/clock', 'post', hosted.clock],
    ['/v1/oidc/create/clock', 'post', hosted.clock],
    ['/_sandbox/appearance.css', 'get', appearanceCss],
    ['/_sandbox/clients/:client/logo', 'get', clientLogo],
    ['/_sandbox/embedding', 'get', createEmbeddingRoute(host)],
    ['/', 'get', createHomeRoute(host)],
    ['/_sandbox/trap/:id', 'get', createTrapRoute(), 'trap'],
    ['/_sandbox/trap/:id', 'post', createTrapRoute(), 'trap'],
    ...CONTROL_ROUTES.map((route): RouteRow => [`/_sandbox${route.path}`, route.method, serveControl(route, host)]),
    ['/_sandbox/openapi.json', 'get', openApiRoute(host)],
    ...createConsoleRoutes(host),
    ...createDemoRoutes(host),
  ]
}
