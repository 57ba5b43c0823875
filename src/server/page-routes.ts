import { createControlRoutes } from './control/serve.ts'
import { guardControl } from './http/guard/guard.ts'
import type { HttpHost, RouteRow } from './http/handler.ts'
import { loadConsole, loadDemo, loadDocuments, loadMcp } from './loaded-later.ts'
import { appearanceCss } from './pages/appearance.ts'
import { clientLogo } from './pages/logo.ts'
import { createEmbeddingRoute, createHostedRoutes } from './pages/routes.ts'
import { TRAP_ENDPOINT, trap } from './routes/trap.ts'

/**
 * The routes outside the service: forms of the hosted pages, home page, control API, documents,
 * MCP, console, demo.
 */
export async function createPageRoutes(host: HttpHost): Promise<readonly RouteRow[]> {
  const [{ createConsoleRoutes, createHomeRoute }, { createDemoRoutes }, { createDocumentRoutes }] =
    await Promise.all([loadConsole(), loadDemo(), loadDocuments()])
  const hosted = createHostedRoutes(host)
  const pages: readonly RouteRow[] = [
    { path: '/v1/oidc/use/why', method: 'get', handler: hosted.why, errors: 'page' },
    {
      path: '/v1/oidc/use/endings',
      method: 'get',
      handler: hosted.endings,
      errors: 'embeddable-page',
    },
    {
      path: '/v1/oidc/create/endings',
      method: 'get',
      handler: hosted.endings,
      errors: 'embeddable-page',
    },
    {
      path: '/v1/oidc/use/language',
      method: 'post',
      handler: hosted.language,
      errors: 'embeddable-page',
    },
    {
      path: '/v1/oidc/create/language',
      method: 'post',
      handler: hosted.language,
      errors: 'embeddable-page',
    },
    {
      path: '/v1/oidc/use/continue',
      method: 'post',
      handler: hosted.goOn,
      errors: 'embeddable-page',
    },
    {
      path: '/v1/oidc/create/continue',
      method: 'post',
      handler: hosted.goOn,
      errors: 'embeddable-page',
    },
    { path: '/', method: 'get', handler: createHomeRoute(host), errors: 'page' },
    { path: '/_sandbox/appearance.css', method: 'get', handler: appearanceCss },
    { path: '/_sandbox/clients/:client/logo', method: 'get', handler: clientLogo },
    {
      path: '/_sandbox/embedding',
      method: 'get',
      handler: createEmbeddingRoute(host),
      errors: 'page',
    },
    ...createControlRoutes(host),
    ...createDocumentRoutes(host),
    createMcpRoute(host),
    ...[...createConsoleRoutes(host), ...createDemoRoutes(host)].map(
      (row): RouteRow => ({ ...row, errors: 'page' }),
    ),
  ]
  return [
    { ...TRAP_ENDPOINT, handler: trap, endpoint: TRAP_ENDPOINT },
    { ...TRAP_ENDPOINT, method: 'post', handler: trap, endpoint: TRAP_ENDPOINT },
    // Decision: a route rejects cross-site requests unless it opts in.
    ...pages.map((row): RouteRow => ({ openTo: 'own-pages', ...row })),
  ]
}

/**
 * The endpoint of the Model Context Protocol (MCP). It supports neither sessions nor streams, so it
 * serves POST only, not GET or DELETE.
 */
const createMcpRoute = (host: HttpHost): RouteRow => ({
  path: '/_sandbox/mcp',
  method: 'post',
  async handler(request, tenant) {
    guardControl(request, host.guard)
    const { answerMessage } = await loadMcp()
    return { reply: await answerMessage(request, tenant, host) }
  },
})
