import { discoverCreate, discoverUse, jwks, par, token, upgrade } from '../backchannel/routes.ts'
import { CHOICE_ENDPOINTS, createAuthorizeRoutes } from '../hosted/authorize.ts'
import type { Handler, HttpHost, RouteRow } from '../http/handler.ts'
import { ENDPOINTS, type EndpointId, endpointPath } from '../oidc/endpoints.ts'

/** The service itself, E1 to E6, and the forms of its choice pages. */
export function createServiceRoutes(host: HttpHost): readonly RouteRow[] {
  const authorize = createAuthorizeRoutes(host)
  const handlers: Readonly<Record<EndpointId, Handler>> = {
    use: authorize.use,
    par,
    create: authorize.create,
    token,
    upgrade,
    useDiscovery: discoverUse,
    createDiscovery: discoverCreate,
    jwks,
  }
  const rowOf = (id: EndpointId): RouteRow => {
    const endpoint = ENDPOINTS[id]
    const path = endpointPath(id, host.settings.profile)
    const row = { path, method: endpoint.method, handler: handlers[id], endpoint }
    return endpoint.caller === 'browser' ? { ...row, errors: 'page' } : row
  }
  const ids: readonly EndpointId[] = [
    'use',
    'par',
    'create',
    'token',
    'upgrade',
    'useDiscovery',
    'createDiscovery',
    'jwks',
  ]
  return [
    ...ids.map(rowOf),
    ...Object.values(CHOICE_ENDPOINTS).map(
      (endpoint): RouteRow => ({ ...endpoint, handler: authorize.choice, endpoint, errors: 'page' }),
    ),
  ]
}
