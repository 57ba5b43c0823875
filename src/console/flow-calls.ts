import { renderInstant, renderStatus } from '../http/html/badges.ts'
import { renderFindingList } from '../http/html/finding-list.ts'
import { type Html, html } from '../http/html/html.ts'
import { translate } from '../http/html/messages.ts'
import { shortened } from '../http/html/shortened.ts'
import type { Finding } from '../oidc/rules/finding.ts'
import { renderSnippet } from './home-snippets.ts'

/** A recorded call of a flow. */
export interface CallView {
  /** ISO 8601, by the clock of the sandbox. */
  readonly at: string
  /** `E1` to `E5`, or `choice`. */
  readonly endpoint: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly parameters: Readonly<Record<string, unknown>>
  readonly findings: readonly Finding[]
  readonly response: unknown
  /** Why it was refused, when no finding says it. */
  readonly refusal?: string | undefined
  /** Repeats the call in a shell. */
  readonly curl: string
}

/** What each call is, in words. */
const TITLES: Readonly<Record<string, string>> = {
  E1: 'Use authorization, by the browser',
  E2: 'Create request pushed, server to server',
  E3: 'Create authorization, by the browser',
  E4: 'Code exchanged for a token, server to server',
  E5: 'Age signals added, server to server',
  choice: 'The user’s choice, by the browser',
}

/** Calls and, for each, parameters on one page. */
const MOST_CALLS = 20
const MOST_PARAMETERS = 30
const LONGEST_COMMAND = 6_000

/** The calls of a flow in the order in which they came; `jsonPath` leads to the flow in the control API. */
export function renderCalls(calls: readonly CallView[], jsonPath: string): Html {
  const shown = calls.slice(-MOST_CALLS)
  return html`<section class="card" aria-labelledby="calls-title">
<div class="section-head"><h2 id="calls-title">Calls</h2> <a class="target" href="${jsonPath}">All of it as JSON</a></div>
${shown.length < calls.length && html`<p class="hint">The last ${shown.length} of ${calls.length}.</p>`}
<ol class="timeline calls-made">
${shown.map(renderCall)}</ol>
</section>`
}

function renderCall(call: CallView, index: number): Html {
  const { at, endpoint, method, path, status, parameters, findings, response, refusal, curl } = call
  const isWrong = status >= 400 || findings.some(({ level }) => level === 'error')
  return html`<li class="${isWrong ? 'error' : 'fine'}">
<p class="moment">${renderInstant(at)}</p>
<h3><span class="tag">${endpoint}</span> ${TITLES[endpoint] ?? endpoint}</h3>
<p><code><b>${method}</b> ${path}</code> ${renderStatus(status)}</p>
${refusal !== undefined && html`<p class="refusal">${refusal}</p>`}
${renderFindingList(findings, translate('en'))}
<div class="more">
<details class="raw" id="sent-${index}"><summary>What was sent <span class="count">${Object.keys(parameters).length}</span></summary>
<dl class="settings">${Object.entries(parameters)
    .slice(0, MOST_PARAMETERS)
    .map(
      ([name, value]) =>
        html`<div><dt><code>${shortened(name, 100)}</code></dt><dd><code>${textOf(value)}</code></dd></div>`,
    )}</dl></details>
<details class="raw" id="answered-${index}"><summary>What was answered</summary>
<div class="snippet"><pre><code>${textOf(response)}</code></pre></div></details>
<details class="raw" id="curl-${index}"><summary>Repeat it in a shell</summary>
${renderCurl(curl)}</details>
</div>
</li>
`
}

const textOf = (value: unknown) =>
  shortened(typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? ''))

/** A command that was cut would be another one. */
const renderCurl = (command: string): Html =>
  command.length > LONGEST_COMMAND
    ? html`<p class="muted">The call is too long to be repeated from here.</p>`
    : renderSnippet(command)
