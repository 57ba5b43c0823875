import type { ConsolePlace } from '../../http/console-page.ts'
import { reasonBeyondMachine } from '../../http/guard/guard.ts'
import type { HttpHost } from '../../http/handler.ts'
import { renderSnippet } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { Incoming } from '../../http/incoming.ts'
import { endpointUrl } from '../../oidc/endpoints.ts'
import { type Provider, useIssuer } from '../../oidc/provider.ts'

/** The settings of an app. */
export interface AppSettings {
  readonly provider: Pick<Provider, 'baseUrl' | 'brand'>
  readonly client: HttpHost['shownClient']
}

/** The client whose credentials a page shows. Other machines see no secret of the config, only the public one of the built-in client. */
export function clientToShow(request: Incoming, { shownClient, guard, settings }: HttpHost): HttpHost['shownClient'] {
  if (settings.builtinClient || reasonBeyondMachine(request, guard) === undefined) return shownClient
  return { clientId: shownClient.clientId, clientSecret: 'the client_secret of your config file' }
}

/** The settings of an app as a `.env` block, and where to see a flow without an app. */
export function renderSettings({ provider, client }: AppSettings, { demoPath, controlPath }: ConsolePlace): Html {
  const settings = [
    ['AGE_BASE_URL', provider.baseUrl],
    ['AGE_CLIENT_ID', client.clientId],
    ['AGE_CLIENT_SECRET', client.clientSecret],
    ['AGE_ISSUER', useIssuer(provider)],
    ['AGE_JWKS_URI', endpointUrl('jwks', provider)],
  ]
  return html`<section class="card paste" aria-labelledby="paste-title">
<h2 id="paste-title">Paste this into your app</h2>
<p class="muted">Name the variables as your app does. The secret belongs on the server. Then start a flow in your app, or in the demo app, which makes the same calls.</p>
${renderSnippet(settings.map(([name, value]) => `${name}=${value}`).join('\n'))}
<p class="row links"><a href="${demoPath}" data-testid="try-it">Demo app</a> <a href="${controlPath}/docs/first-steps">First steps with curl</a></p>
</section>`
}
