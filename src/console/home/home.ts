import { type ConsoleFrame, consoleFrame, renderFramedPage } from '../../http/console-page.ts'
import { reasonBeyondMachine } from '../../http/guard/guard.ts'
import type { Handler, HttpHost } from '../../http/handler.ts'
import { breakable } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { RenderedPage } from '../../http/html/layout.ts'
import type { Incoming } from '../../http/incoming.ts'
import { readPage } from '../../http/list-page.ts'
import { page } from '../../http/reply.ts'
import { ENDPOINT_IDS, ENDPOINTS, type Endpoint, endpointUrl } from '../../oidc/endpoints.ts'
import { type Provider, useIssuer } from '../../oidc/provider.ts'
import type { ListedFlow } from '../../sandbox/journal/journal.ts'
import { OUTCOMES } from '../../sandbox/outcomes/catalogue.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { renderFirstCalls, renderPasteBlock } from './home-snippets.ts'
import { renderNextSteps } from './next-steps.ts'

/** The home page: what to do next: settings to paste into the app, the demo, the last flows. */
export const createHomeRoute =
  (host: HttpHost): Handler =>
  async (request, tenant) => {
    const personaCount = (await tenant.personas.list()).length
    const flows = reasonBeyondMachine(request, host.guard) === undefined ? await lastFlows(tenant) : undefined
    const view = { provider: tenant.provider, client: clientToShow(request, host), personaCount, flows }
    return { reply: page(200, renderHome(await consoleFrame(request, tenant, host), view)) }
  }

const MAX_FLOWS = 5

async function lastFlows({ journal, name }: Tenant): Promise<readonly ListedFlow[]> {
  const page = { limit: MAX_FLOWS, idOf: ({ id }: ListedFlow) => id, show: (flow: ListedFlow) => flow }
  return (await readPage(journal.list(name), page)).items
}

/** Beyond this machine a secret from the config is not shown; that of the built-in client is public. */
function clientToShow(request: Incoming, { shownClient, guard, settings }: HttpHost): HttpHost['shownClient'] {
  if (settings.builtinClient || reasonBeyondMachine(request, guard) === undefined) return shownClient
  return { clientId: shownClient.clientId, clientSecret: 'the client_secret of your config file' }
}

interface Home {
  readonly provider: Pick<Provider, 'baseUrl' | 'brand'>
  readonly client: HttpHost['shownClient']
  readonly personaCount: number
  /** The newest ones first; absent for a caller from beyond this machine. */
  readonly flows?: readonly ListedFlow[] | undefined
}

export function renderHome(frame: ConsoleFrame, { provider, client, personaCount, flows }: Home): RenderedPage {
  return renderFramedPage(frame, {
    title: 'Sandbox home',
    current: undefined,
    scripts: ['copy.js'],
    main: html`<div class="page-title"><h1>Your app’s age checks, on this machine</h1> <p>A relying-party sandbox for an age assurance service: every endpoint, real signed tokens, and ${personaCount} test personas with ${OUTCOMES.length} outcomes instead of passkeys.</p></div>
<div class="columns">
${renderPasteBlock(provider, client)}
${renderNextSteps(frame, flows)}
</div>
<div class="columns">
${renderCredentials(provider, client)}
${renderEndpoints(provider, frame)}
</div>
${renderFirstCalls(provider, client)}
${renderAgeKeys()}`,
  })
}

function renderCredentials(provider: Home['provider'], client: HttpHost['shownClient']): Html {
  const rows = [
    ['Base URL', provider.baseUrl],
    ['Client ID', client.clientId],
    ['Client secret', client.clientSecret],
    ['Issuer', useIssuer(provider)],
    ['Key set', endpointUrl('jwks', provider)],
    ['Use discovery', endpointUrl('useDiscovery', provider)],
    ['Create discovery', endpointUrl('createDiscovery', provider)],
  ] as const
  return html`<section class="card" aria-labelledby="settings-title">
<h2 id="settings-title">One by one</h2>
<dl class="settings">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd><code>${breakable(value)}</code></dd></div>`)}</dl>
</section>`
}

function renderEndpoints(provider: Home['provider'], { controlPath }: ConsoleFrame): Html {
  return html`<section class="card" aria-labelledby="endpoints-title">
<h2 id="endpoints-title">Endpoints</h2>
<ul class="endpoints">
${endpointsOf(provider).map(
  ({
    id,
    method,
    url,
    purpose,
  }) => html`<li><span class="tag">${id}</span> <div><code><b>${method}</b> ${breakable(url)}</code> <span class="muted">${purpose}</span></div></li>
`,
)}</ul>
<p class="links"><a href="${controlPath}/embedding">The flow in an iframe, right and wrong</a> <a href="${controlPath}/openapi.json">The control API (OpenAPI)</a> </p>
</section>`
}

/** E1 to E6, each with what a relying party uses it for. */
function endpointsOf({ baseUrl, brand }: Home['provider']) {
  return ENDPOINT_IDS.flatMap((id) => {
    const { number, method, purpose }: Endpoint = ENDPOINTS[id]
    return purpose
      ? { id: number, method: method.toUpperCase(), url: endpointUrl(id, { baseUrl, brand }), purpose }
      : []
  })
}

function renderAgeKeys(): Html {
  return html`<section class="card" id="age-keys" aria-labelledby="age-keys-title">
<h2 id="age-keys-title">What is an age key?</h2>
<p>A passkey on the user’s own device that answers one kind of question: is this person at least so many years old?
An app asks about one or more ages and receives a signed yes or no for each. It never learns the age or the date of birth.</p>
<p class="muted">In this sandbox a test persona replaces the passkey. No answer given here says anything about a real person.</p>
</section>`
}
