import { renderStatus } from '../http/html/badges.ts'
import { type Html, html } from '../http/html/html.ts'
import { shortened } from '../http/html/shortened.ts'

/** A call from server to server, secrets masked. */
export interface ExchangeView {
  readonly title: string
  readonly method: string
  /** Absolute. */
  readonly url: string
  /** Headers and fields that matter, by name. */
  readonly sent: Readonly<Record<string, string>>
  readonly status: number
  readonly answer: unknown
}

/** Request and answer of a call beside each other. */
export function renderExchange({ title, method, url, sent, status, answer }: ExchangeView): Html {
  return html`<section class="card">
<h2>${title} ${renderStatus(status)}</h2>
<p><code><b>${method}</b> ${url}</code></p>
<div class="columns">
<div><h3>Sent</h3>${renderParameters(sent)}</div>
<div><h3>Answered</h3><div class="snippet"><pre><code>${typeof answer === 'string' ? answer : JSON.stringify(answer, undefined, 2)}</code></pre></div></div>
</div>
</section>
`
}

/** Parameters by name. */
export const renderParameters = (parameters: Readonly<Record<string, string>>): Html =>
  html`<dl class="settings">${Object.entries(parameters).map(([name, value]) => html`<div><dt><code>${name}</code></dt><dd><code>${shortened(value)}</code></dd></div>`)}</dl>`
