import { BACKCHANNEL } from '../backchannel/routes.ts'
import { createAuthorizeRoutes } from '../hosted/authorize.ts'
import { CHOICE_ENDPOINTS } from '../hosted/form.ts'
import type { Handler, HttpHost, RouteRow } from '../http/handler.ts'
import { refusePath } from '../http/refusals/refusals.ts'
import { ENDPOINT_IDS, ENDPOINTS, type Endpoint, type EndpointId, endpointPath } from '../oidc/endpoints.ts'
import { BRAND, BRANDS, type Brand } from '../oidc/rules/profile.ts'

/** The service itself, E1 to E6, and the forms of its choice pages. */
export function createServiceRoutes(host: HttpHost): readonly RouteRow[] {
  const { use, create, choice } = createAuthorizeRoutes(host)
  const handlers: Readonly<Record<EndpointId, Handler>> = { ...BACKCHANNEL, use, create }
  const endpoints = ENDPOINT_IDS.flatMap((id): RouteRow[] => {
    const endpoint: Endpoint = ENDPOINTS[id]
    const { method, caller } = endpoint
    const rowOf = (brand: Brand, handler: Handler): RouteRow => {
      const row = { path: endpointPath(id, brand), method, handler, endpoint }
      return caller === 'browser' ? { ...row, errors: 'embeddable-page', openTo: 'navigation' } : row
    }
    return endpoint.path.includes('{brand}')
      ? BRANDS.map((brand) => rowOf(brand, underBrand(brand, handlers[id])))
      : [rowOf(BRAND[host.settings.profile], handlers[id])]
  })
  const choices = Object.values(CHOICE_ENDPOINTS).map(
    (endpoint): RouteRow => ({
      ...endpoint,
      handler: choice,
      endpoint,
      errors: 'embeddable-page',
      openTo: 'own-pages',
    }),
  )
  return [...endpoints, ...choices]
}

/** An endpoint under one brand word: which of them a tenant has, its readings say. */
const underBrand =
  (brand: Brand, handler: Handler): Handler =>
  (request, tenant) =>
    tenant.provider.brand === brand ? handler(request, tenant) : refusePath(request, tenant, [])
