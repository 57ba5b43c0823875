import { type ConsoleFrame, renderConsolePage } from '../../http/console-page.ts'
import type { Fields } from '../../http/form.ts'
import { reasonBeyondMachine } from '../../http/guard/guard.ts'
import { breakable } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { RenderedPage } from '../../http/html/layout.ts'
import { ENDPOINT_IDS, ENDPOINTS, type Endpoint, endpointUrl } from '../../oidc/endpoints.ts'
import type { ConsoleRoute } from '../console-route.ts'
import { type ClientView, type ListedClient, renderClients } from './clients.ts'
import { renderKeys, rotateKeys, type ShownKeys } from './keys.ts'
import { type AppSettings, clientToShow, renderSettings } from './settings.ts'

/** `console/setup`: what an app must know of this sandbox, the registered clients, and the keys, which a form rotates. */
export const setupPage: ConsoleRoute = {
  name: 'setup',
  async render({ request, tenant, host, frame, fields, problem }) {
    const { clients, keys, provider } = tenant
    return renderSetup(frame, {
      settings: { provider, client: clientToShow(request, host) },
      clients: clients.ids.flatMap((id) => clients.find(id) ?? []),
      // A secret of the config is shown only on this machine.
      view: { showsSecrets: reasonBeyondMachine(request, host.guard) === undefined, signingAlg: keys.alg },
      keys: { published: (await keys.jwks()).keys, signing: (await keys.signingKey()).kid },
      fields,
      problem,
    })
  },
  async act({ tenant, fields }) {
    await rotateKeys(fields['rotate'] ?? '', tenant)
    return { part: 'keys' }
  },
}

interface Setup {
  readonly settings: AppSettings
  readonly clients: readonly ListedClient[]
  readonly view: ClientView
  readonly keys: ShownKeys
  readonly fields: Fields
  readonly problem?: string | undefined
}

/** The settings to paste, the endpoints, the clients and the keys. */
export function renderSetup(
  frame: ConsoleFrame,
  { settings, clients, view, keys, fields, problem }: Setup,
): RenderedPage {
  const jwksUri = endpointUrl('jwks', settings.provider)
  return renderConsolePage(frame, {
    title: 'Setup',
    current: 'setup',
    lead: html`What your app needs to know of this sandbox, and what this sandbox knows of your app.`,
    problem,
    scripts: ['copy.js'],
    body: html`<div class="columns">
<div class="stack">
${renderSettings(settings, frame)}
${renderKeys(keys, { action: `${frame.consolePath}/setup`, jwksUri })}
</div>
${renderEndpoints(settings.provider, frame)}
</div>
${renderClients(frame, clients, { ...view, fields })}`,
  })
}

/** E1 to E6 with their purpose for a relying party. */
const renderEndpoints = (provider: AppSettings['provider'], { controlPath }: ConsoleFrame): Html =>
  html`<section class="card" aria-labelledby="endpoints-title">
<h2 id="endpoints-title">Endpoints</h2>
<ul class="endpoints">
${ENDPOINT_IDS.map((id) => {
  const { number, method, title, purpose = title }: Endpoint = ENDPOINTS[id]
  return html`<li><span class="tag">${number}</span> <div><code><b>${method.toUpperCase()}</b> ${breakable(endpointUrl(id, provider))}</code> <span class="muted">${purpose}</span></div></li>
`
})}</ul>
<p class="row links"><a href="${controlPath}/embedding">The flow in an iframe, right and wrong</a> <a href="${controlPath}/openapi.json">The control API (OpenAPI)</a></p>
</section>`
