import type { Finding } from '../../oidc/findings.ts'
import { renderFindingList } from '../finding-list.ts'
import { renderSnippet } from '../home-snippets.ts'
import { type Html, html } from '../html.ts'
import { translate } from '../messages.ts'
import { renderInstant, renderStatus } from './badges.ts'

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

/** The calls of a flow in the order in which they came. */
export function renderCalls(calls: readonly CallView[]): Html {
  return html`<section class="card" aria-labelledby="calls-title">
<h2 id="calls-title">Calls</h2>
<ol class="timeline calls-made">
${calls.map(renderCall)}</ol>
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
<dl class="settings">${Object.entries(parameters).map(([name, value]) => html`<div><dt><code>${name}</code></dt><dd><code>${textOf(value)}</code></dd></div>`)}</dl></details>
<details class="raw" id="answered-${index}"><summary>What was answered</summary>
<div class="snippet"><pre><code>${textOf(response)}</code></pre></div></details>
<details class="raw" id="curl-${index}"><summary>Repeat it in a shell</summary>
${renderSnippet(curl)}</details>
</div>
</li>
`
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? ''))
