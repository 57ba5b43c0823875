import { discoverCreate, discoverUse, jwks, par, token, upgrade } from '../backchannel/routes.ts'
import { createAuthorizeRoutes } from '../hosted/authorize.ts'
import { CHOICE_ENDPOINTS } from '../hosted/form.ts'
import type { Handler, HttpHost, RouteRow } from '../http/handler.ts'
import { refusePath } from '../http/refusals/refusals.ts'
import { ENDPOINTS, type EndpointId, endpointPath } from '../oidc/endpoints.ts'
import { BRAND, BRANDS, type Brand } from '../oidc/profile.ts'

/** The service itself, E1 to E6, and the forms of its choice pages. */
export function createServiceRoutes(host: HttpHost): readonly RouteRow[] {
  const authorize = createAuthorizeRoutes(host)
  const rowOf = (id: EndpointId, handler: Handler, brand: Brand = BRAND[host.settings.profile]): RouteRow => {
    const endpoint = ENDPOINTS[id]
    const row = { path: endpointPath(id, brand), method: endpoint.method, handler, endpoint }
    return endpoint.caller === 'browser' ? { ...row, errors: 'embeddable-page', openTo: 'navigation' } : row
  }
  const choices = Object.values(CHOICE_ENDPOINTS).map(
    (endpoint): RouteRow => ({
      ...endpoint,
      handler: authorize.choice,
      endpoint,
      errors: 'embeddable-page',
      openTo: 'own-pages',
    }),
  )
  return [
    rowOf('use', authorize.use),
    rowOf('par', par),
    rowOf('create', authorize.create),
    rowOf('token', token),
    ...BRANDS.map((brand) => rowOf('upgrade', upgradeUnder(brand), brand)),
    rowOf('useDiscovery', discoverUse),
    rowOf('createDiscovery', discoverCreate),
    rowOf('jwks', jwks),
    ...choices,
  ]
}

/** E5 under one brand word: which of them a tenant has, its readings say. */
const upgradeUnder =
  (brand: Brand): Handler =>
  (request, tenant) =>
    tenant.provider.brand === brand ? upgrade(request, tenant) : refusePath(request, tenant, [])
