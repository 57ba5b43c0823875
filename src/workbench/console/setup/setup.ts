import { BUILTIN_CLIENT, type SandboxClient } from '../../../sandbox/clients/clients.ts'
import { ROTATION_STAGES, type RotationStage } from '../../../sandbox/keys/key-ring.ts'
import {
  type ConsoleFrame,
  type ConsolePlace,
  renderConsolePage,
} from '../../../server/http/console-page.ts'
import type { Fields } from '../../../server/http/form.ts'
import { reasonBeyondMachine } from '../../../server/http/guard/guard.ts'
import type { HttpHost } from '../../../server/http/handler.ts'
import { breakable, renderSnippet, renderTable } from '../../../server/http/html/elements.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import type { RenderedPage } from '../../../server/http/html/layout.ts'
import type { Incoming } from '../../../server/http/incoming.ts'
import {
  ENDPOINT_IDS,
  ENDPOINTS,
  type Endpoint,
  endpointUrl,
} from '../../../service/oidc/endpoints.ts'
import { type Provider, useIssuer } from '../../../service/oidc/provider.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import type { ConsoleRoute } from '../console-route.ts'
import { pageOf, renderPaging } from '../list-page.ts'

/**
 * `console/setup`: the settings that an app needs, the registered clients, and the keys, which a
 * form rotates.
 */
export const setupPage: ConsoleRoute = {
  name: 'setup',
  async render({ request, tenant, host, frame, fields, problem }) {
    const { clients, keys, provider } = tenant
    return renderSetup(frame, {
      settings: { provider, client: clientToShow(request, host) },
      clients: clients.ids.flatMap((id) => clients.find(id) ?? []),
      showsSecrets: reasonBeyondMachine(request, host.guard) === undefined,
      signingAlg: keys.alg,
      keys: { published: (await keys.jwks()).keys, signing: (await keys.signingKey()).kid },
      fields,
      problem,
    })
  },
  async act({ tenant, fields: { rotate: wanted = '' } }) {
    const stage = ROTATION_STAGES.find((known) => known === wanted)
    if (stage === undefined)
      throw Refusal.invalidRequest(
        `rotate: there is no ${JSON.stringify(wanted.slice(0, 40))}; send one of ${ROTATION_STAGES.join(', ')}`,
      )
    await tenant.rotateKeys(stage)
    return { part: 'keys' }
  },
}

interface Setup {
  readonly settings: AppSettings
  readonly clients: readonly ListedClient[]
  /** Whether the page shows the secrets of the config. Only browsers on this machine see them. */
  readonly showsSecrets: boolean
  /** The algorithm for clients without a `signing_alg` of their own. */
  readonly signingAlg: string
  /** The public keys, oldest first, and the `kid` of the current signing key. */
  readonly keys: {
    readonly published: readonly Readonly<Record<string, unknown>>[]
    readonly signing: string
  }
  readonly fields: Fields
  readonly problem?: string | undefined
}

/** Renders the settings to paste, the endpoints, the clients and the keys. */
export function renderSetup(frame: ConsoleFrame, setup: Setup): RenderedPage {
  const { settings, problem } = setup
  return renderConsolePage(frame, {
    title: 'Setup',
    current: 'setup',
    lead: html`What your app needs to know of this sandbox, and what this sandbox knows of your app.`,
    problem,
    scripts: ['copy.js'],
    body: html`<div class="columns">
<div class="stack">
${renderSettings(settings, frame)}
${renderKeys(setup, frame)}
</div>
${renderEndpoints(settings.provider, frame)}
</div>
${renderClients(setup, frame)}`,
  })
}

/** Renders E1 to E6 with their purpose for a relying party. */
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

/** What an app needs to know of the sandbox. */
export interface AppSettings {
  readonly provider: Pick<Provider, 'baseUrl' | 'brand'>
  readonly client: HttpHost['shownClient']
}

/**
 * The client whose credentials a page shows. Other machines see no secret of the config, only the
 * public secret of the built-in client.
 */
export function clientToShow(
  request: Incoming,
  { shownClient, guard, settings }: HttpHost,
): HttpHost['shownClient'] {
  if (settings.builtinClient || reasonBeyondMachine(request, guard) === undefined)
    return shownClient
  return { clientId: shownClient.clientId, clientSecret: 'the client_secret of your config file' }
}

/** Renders the settings of an app as a `.env` block, with links to see a flow without an app. */
export function renderSettings(
  { provider, client }: AppSettings,
  { demoPath, controlPath }: ConsolePlace,
): Html {
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

const STAGES: Readonly<Partial<Record<RotationStage, string>>> = {
  publish: 'Publish a new key',
  use: 'Sign with the new key',
  retire: 'Retire the old key',
}

/** Renders the key set, and a button for each stage of a rotation. */
function renderKeys({ keys, settings }: Setup, { consolePath }: ConsolePlace): Html {
  const rows = keys.published.map(({ kid, alg }) => ({
    cells: [
      html`<code>${String(kid)}</code>`,
      String(alg),
      kid === keys.signing
        ? html`<span class="mark yes">signs</span>`
        : html`<span class="muted">published</span>`,
    ],
  }))
  return html`<section class="card" id="keys" aria-labelledby="keys-title">
<div class="row spread"><h2 id="keys-title">Keys</h2> <a class="target" href="${endpointUrl('jwks', settings.provider)}">The key set</a></div>
${renderTable('Keys', ['kid', 'alg', 'Use'], rows)}
<form class="row" method="post" action="${consolePath}/setup">${Object.entries(STAGES).map(
    ([stage, label]) =>
      html`<button class="secondary" name="rotate" value="${stage}" data-testid="${stage}">${label}</button>`,
  )}</form>
<p class="hint">A rotation has three stages, in this order. An app that keeps the key set must fetch the key set again when a <code>kid</code> is unknown.</p>
</section>`
}

/** Maximum number of clients on one page. */
const MAX_SHOWN = 50

type ListedClient = Pick<
  SandboxClient,
  | 'clientId'
  | 'clientSecret'
  | 'name'
  | 'redirectUris'
  | 'allowsLoopback'
  | 'signingAlg'
  | 'persona'
>

/** Renders the clients: what is registered for each, and credentials to copy. */
function renderClients(setup: Setup, place: ConsolePlace): Html {
  const { clients, fields } = setup
  const { items, next } = pageOf(clients, {
    fields,
    limit: MAX_SHOWN,
    idOf: ({ clientId }) => clientId,
  })
  return html`<section class="stack" id="clients" aria-labelledby="clients-title">
<div class="row page-title"><h2 id="clients-title">Clients</h2> <p>The relying parties that this sandbox knows. Declare more in the config file under <code>clients</code>, or by <code>PUT _sandbox/tenants/NAME</code>: <a href="${place.controlPath}/docs/configuration#clients">how</a>.</p></div>
${renderPaging({ shown: items.length, total: clients.length, next })}
<div class="columns">
${items.map((client) => renderClient(client, setup, place))}</div>
</section>`
}

function renderClient(
  client: ListedClient,
  { showsSecrets, signingAlg }: Setup,
  { consolePath }: ConsolePlace,
): Html {
  const { clientId, name, persona } = client
  const rows = [
    ['client_id', html`<code>${breakable(clientId)}</code>`],
    ['redirect_uri', renderRedirectUris(client)],
    [
      'id_token signed by',
      html`${client.signingAlg ?? signingAlg}${client.signingAlg === undefined && html` <span class="muted">as the sandbox</span>`}`,
    ],
    [
      'Persona',
      persona === undefined
        ? html`<span class="muted">none: each request is decided as usual</span>`
        : html`<a class="target" href="${consolePath}/personas#${persona}">${persona}</a> <span class="muted">in every request, without the choice page</span>`,
    ],
  ] as const
  return html`<section class="card" aria-labelledby="client-${clientId}" data-testid="client-${clientId}">
<div class="row spread"><h3 id="client-${clientId}">${name}</h3> <a class="target" href="${consolePath}/flows?${new URLSearchParams({ client_id: clientId }).toString()}">Its flows</a></div>
<dl class="settings">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
${renderCredentials(client, showsSecrets)}
</section>
`
}

function renderRedirectUris({ redirectUris, allowsLoopback }: ListedClient): Html {
  const listed =
    redirectUris.length > 0 &&
    html`<ul>${redirectUris.map((uri) => html`<li><code>${breakable(uri)}</code></li>`)}</ul><p class="hint">Compared character by character.</p>`
  const loopback =
    allowsLoopback &&
    html`Any path and any port on this machine (<code>localhost</code>, <code>*.localhost</code>, <code>127.0.0.0/8</code>, <code>[::1]</code>), by http or https. An app on another host needs a client of its own, or its address in <code>--redirect-uri</code>.`
  return html`${listed}${loopback}`
}

/**
 * Renders the credentials of a client, folded. On other machines only the public secret of the
 * built-in client is shown.
 */
function renderCredentials({ clientId, clientSecret }: ListedClient, showsSecrets: boolean): Html {
  if (!showsSecrets && clientId !== BUILTIN_CLIENT.clientId) {
    return html`<p class="hint">The secret stands in your config: it is not shown beyond the machine of the sandbox.</p>`
  }
  return html`<details class="raw"><summary>Show id and secret to paste</summary>
${renderSnippet(`AGE_CLIENT_ID=${clientId}\nAGE_CLIENT_SECRET=${clientSecret}`)}
</details>`
}
