import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderPage, type Shell } from '../http/html/layout.ts'
import { type ConnectionView, renderFirstCalls, renderPasteBlock } from './home-snippets.ts'

/** One call of the service as the home page lists it. */
export interface EndpointView {
  /** `E1` to `E6`. */
  readonly id: string
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly purpose: string
}

/** What the home of the console shows. URLs are absolute, paths carry the prefix of a tenant. */
export interface HomeView extends ConnectionView {
  readonly shell: Shell
  readonly discoveryUrls: readonly { readonly title: string; readonly url: string }[]
  readonly endpoints: readonly EndpointView[]
  readonly personaCount: number
  readonly outcomeCount: number
  /** A relying party of this sandbox itself, to see the flows without an app. */
  readonly tryItUrl?: string
  readonly consolePages: readonly { readonly title: string; readonly path: string }[]
  /** What else there is to see, in a few words each. */
  readonly furtherPages: readonly { readonly title: string; readonly path: string }[]
}

/** The home page: what to paste into the app, where the endpoints are, and how to drive the sandbox. */
export function renderHome(view: HomeView): RenderedPage {
  return renderPage(view.shell, {
    title: 'Sandbox home',
    width: 'wide',
    styles: ['console.css'],
    scripts: ['copy.js'],
    main: html`<section class="card hero">
<h1>Your app’s age checks, on this machine</h1>
<p class="lead">A relying-party sandbox for an age assurance service: every endpoint, real signed tokens, and ${view.personaCount} test personas with ${view.outcomeCount} outcomes in place of passkeys.</p>
${view.tryItUrl !== undefined && html`<p><a class="button primary" href="${view.tryItUrl}" data-testid="try-it">Try the demo app</a></p>`}
${renderConsoleLinks(view)}
</section>
<div class="columns">
${renderPasteBlock(view)}
${renderCredentials(view)}
</div>
${renderEndpoints(view)}
${renderFirstCalls(view)}
${renderAgeKeys()}`,
  })
}

function renderConsoleLinks({ consolePages }: HomeView): Html | false {
  return (
    consolePages.length > 0 &&
    html`<nav class="tabs" aria-label="Console"><ul>${consolePages.map(({ title, path }) => html`<li><a href="${path}">${title}</a></li>`)}</ul></nav>`
  )
}

function renderCredentials({ baseUrl, issuer, jwksUri, client, discoveryUrls }: HomeView): Html {
  const rows = [
    ['Base URL', baseUrl],
    ['Client ID', client.clientId],
    ['Client secret', client.clientSecret],
    ['Issuer', issuer],
    ['Key set', jwksUri],
    ...discoveryUrls.map(({ title, url }) => [title, url]),
  ]
  return html`<section class="card" aria-labelledby="settings-title">
<h2 id="settings-title">One by one</h2>
<dl class="settings">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd><code>${value}</code></dd></div>`)}</dl>
</section>`
}

function renderEndpoints({ endpoints, furtherPages }: HomeView): Html {
  return html`<section class="card" aria-labelledby="endpoints-title">
<h2 id="endpoints-title">Endpoints</h2>
<ul class="endpoints">
${endpoints.map(
  ({
    id,
    method,
    url,
    purpose,
  }) => html`<li><span class="tag">${id}</span> <div><code><b>${method}</b> ${url}</code> <span class="muted">${purpose}</span></div></li>
`,
)}</ul>
${furtherPages.length > 0 && html`<p class="links">${furtherPages.map(({ title, path }) => html`<a href="${path}">${title}</a> `)}</p>`}
</section>`
}

function renderAgeKeys(): Html {
  return html`<section class="card" id="age-keys" aria-labelledby="age-keys-title">
<h2 id="age-keys-title">What is an age key?</h2>
<p>A passkey on the user’s own device that answers one kind of question: is this person at least so many years old?
An app asks about one or more ages and receives a signed yes or no for each. It never learns the age or the date of birth.</p>
<p class="muted">In this sandbox a test persona stands in for the passkey. No answer given here says anything about a real person.</p>
</section>`
}
