import { CONSOLE_PAGES, consolePathOf } from '../http/html/console-page.ts'
import { page } from '../http/reply.ts'
import type { Handler, HttpHost } from '../http/route.ts'
import { shellOf } from '../http/shell.ts'
import { upgradePath } from '../oidc/profile.ts'
import { createIssuer, useIssuer } from '../oidc/provider.ts'
import { OUTCOMES } from '../sandbox/outcomes/catalogue.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { renderHome } from './home-page.ts'

/** The home page: what to paste into the app, and the way into the console and the demo. */
export const createHomeRoute =
  (host: HttpHost): Handler =>
  async (_request, tenant) => {
    const { provider } = tenant
    const rendered = renderHome({
      shell: shellOf(tenant, host.version),
      baseUrl: provider.baseUrl,
      issuer: useIssuer(provider),
      jwksUri: `${provider.baseUrl}/.well-known/jwks.json`,
      parUrl: `${createIssuer(provider)}/par`,
      client: clientToShow(host),
      discoveryUrls: [
        { title: 'Use discovery', url: `${useIssuer(provider)}/.well-known/openid-configuration` },
        { title: 'Create discovery', url: `${createIssuer(provider)}/.well-known/openid-configuration` },
      ],
      endpoints: endpointsOf(tenant),
      personaCount: (await tenant.personas.list()).length,
      outcomeCount: OUTCOMES.length,
      tryItUrl: `${tenant.basePath}/_sandbox/demo`,
      consolePages: CONSOLE_PAGES.map(({ path, title }) => ({ title, path: `${consolePathOf(tenant)}/${path}` })),
      furtherPages: [
        { title: 'The flow in an iframe, right and wrong', path: `${tenant.basePath}/_sandbox/embedding` },
        { title: 'The control API (OpenAPI)', path: `${tenant.basePath}/_sandbox/openapi.json` },
      ],
    })
    return { reply: page(200, rendered) }
  }

/** Beyond loopback a secret from the config is nobody's business; that of the built-in client is no secret. */
function clientToShow({ shownClient, guard, settings }: HttpHost) {
  if (guard.loopbackOnly || settings.builtinClient) return shownClient
  return { clientId: shownClient.clientId, clientSecret: 'the client_secret of your config file' }
}

function endpointsOf({ provider }: Tenant) {
  const { baseUrl, profile } = provider
  return [
    { id: 'E1', method: 'GET', url: useIssuer(provider), purpose: 'Use: send the browser here' },
    { id: 'E2', method: 'POST', url: `${createIssuer(provider)}/par`, purpose: 'Create: push the request' },
    { id: 'E3', method: 'GET', url: createIssuer(provider), purpose: 'Create: send the browser here' },
    { id: 'E4', method: 'POST', url: `${useIssuer(provider)}/token`, purpose: 'Upgrade: the code for a token' },
    { id: 'E5', method: 'POST', url: baseUrl + upgradePath(profile), purpose: 'Upgrade: add age signals' },
    { id: 'E6', method: 'GET', url: `${baseUrl}/.well-known/jwks.json`, purpose: 'Keys that sign the id_token' },
  ]
}
