import type { ConsolePlace } from '../../http/console-page.ts'
import type { Fields } from '../../http/form.ts'
import { breakable, renderSnippet } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import { BUILTIN_CLIENT, type SandboxClient } from '../../sandbox/clients/clients.ts'
import { pageOf, renderPaging } from '../list-page.ts'

/** Clients on one page. */
const MAX_SHOWN = 50

/** A client on the page. */
export type ListedClient = Pick<
  SandboxClient,
  'clientId' | 'clientSecret' | 'name' | 'redirectUris' | 'signingAlg' | 'persona'
>

export interface ClientView {
  readonly showsSecrets: boolean
  /** The algorithm of a client that has none of its own. */
  readonly signingAlg: string
}

/** Clients: what is registered for each, and credentials to copy. */
export function renderClients(
  place: ConsolePlace,
  all: readonly ListedClient[],
  { fields, ...view }: ClientView & { readonly fields: Fields },
): Html {
  const { items, next } = pageOf(all, { fields, limit: MAX_SHOWN, idOf: ({ clientId }) => clientId })
  return html`<section class="stack" id="clients" aria-labelledby="clients-title">
<div class="row page-title"><h2 id="clients-title">Clients</h2> <p>The relying parties that this sandbox knows. Declare more in the config file under <code>clients</code>, or by <code>PUT _sandbox/tenants/NAME</code>: <a href="${place.controlPath}/docs/configuration#clients">how</a>.</p></div>
${renderPaging({ shown: items.length, total: all.length, next })}
<div class="columns">
${items.map((client) => renderClient(client, view, place))}</div>
</section>`
}

function renderClient(
  client: ListedClient,
  { showsSecrets, signingAlg }: ClientView,
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

function renderRedirectUris({ redirectUris }: ListedClient): Html {
  if (redirectUris.length > 0) {
    return html`<ul>${redirectUris.map((uri) => html`<li><code>${breakable(uri)}</code></li>`)}</ul><p class="hint">Compared character by character.</p>`
  }
  return html`Any path and any port on <code>localhost</code>, <code>127.0.0.1</code> and <code>[::1]</code>, by http or https. An app on another host needs a client of its own.`
}

/** A secret is shown only when asked for, except the public one of the built-in client. */
function renderCredentials({ clientId, clientSecret }: ListedClient, showsSecrets: boolean): Html {
  if (!showsSecrets && clientId !== BUILTIN_CLIENT.clientId) {
    return html`<p class="hint">The secret stands in your config: it is not shown beyond the machine of the sandbox.</p>`
  }
  return html`<details class="raw"><summary>Show id and secret to paste</summary>
${renderSnippet(`AGE_CLIENT_ID=${clientId}\nAGE_CLIENT_SECRET=${clientSecret}`)}
</details>`
}
