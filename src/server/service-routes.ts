import { discoverCreate, discoverUse, jwks, par, token, upgrade } from '../backchannel/routes.ts'
import { createAuthorizeRoutes } from '../hosted/authorize.ts'
import type { HttpHost, RouteRow } from '../http/route.ts'
import { upgradePath } from '../oidc/profile.ts'

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
