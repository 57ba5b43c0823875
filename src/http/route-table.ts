import { upgradePath } from '../oidc/profile.ts'
import { createAuthorizeRoutes } from './authorize-routes.ts'
import type { Handler, HttpHost } from './route.ts'
import { discoverCreate, discoverUse, jwks, par, token, upgrade } from './server-routes.ts'

export type Method = 'get' | 'post' | 'put' | 'delete'

/** A path below the base URL (or below `/t/NAME`), its method, what serves it, and its name in the specification. */
export type RouteRow = readonly [path: string, method: Method, handler: Handler, endpoint?: string]

/** The service itself, E1 to E6. */
export function createServiceTable(host: HttpHost): readonly RouteRow[] {
  const authorize = createAuthorizeRoutes(host)
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
  ]
}
