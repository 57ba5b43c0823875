import {
  type CallRecord,
  callbackOf,
  isRefused,
  type RecordedResponse,
  refusalOf,
} from '../../../sandbox/journal/call-record.ts'
import type { Flow } from '../../../sandbox/journal/journal.ts'
import { renderInstant, renderSnippet, shortened } from '../../../server/http/html/elements.ts'
import { renderFindingList } from '../../../server/http/html/finding-list.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import { decodeIdToken } from '../../../server/http/html/id-token-table.ts'
import { translate } from '../../../server/http/html/messages.ts'
import { isJsonObject } from '../../../service/age/json-object.ts'
import { ENDPOINTS } from '../../../service/oidc/endpoints.ts'
import { parseJson } from '../../../service/oidc/request/json.ts'
import { splitUrl } from '../../../service/text/split-url.ts'
import { curlCommand } from './curl.ts'

/** The titles of calls by the number of their endpoint. */
const CALL_TITLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.values(ENDPOINTS).map(({ number, title, caller }) => [
      number,
      `${title}, ${caller === 'browser' ? 'by the browser' : 'server to server'}`,
    ]),
  ),
  choice: 'The user’s choice, by the browser',
  trap: 'An address of an attacker, which the client must not follow',
}

/** Maximum number of calls on one page, and of characters of a command. */
const MAX_CALLS = 20
const MAX_COMMAND_LENGTH = 6_000

/**
 * Renders the calls of a flow, in order.
 * @param page.jsonPath the path of the flow in the control API
 * @param page.told the reason of the refusal that the page has already shown
 */
export function renderCalls(
  { calls, dropped_calls: dropped = 0, client_id: clientId }: Flow,
  { baseUrl, jsonPath, told }: { baseUrl: string; jsonPath: string; told: string },
): Html {
  const shown = calls.slice(-MAX_CALLS)
  const total = dropped + calls.length
  return html`<section class="card" aria-labelledby="calls-title" data-preview>
<div class="row spread"><h2 id="calls-title">Calls</h2> <a class="target" href="${jsonPath}">All of it as JSON</a></div>
${shown.length < total && html`<p class="hint">The last ${shown.length} of ${total}.${dropped > 0 && ` The first ${dropped} are kept no longer.`}</p>`}
<ol class="timeline">
${shown.map((call, index) => renderCall(call, index, { curl: curlCommand(call, { baseUrl, clientId }), told }))}</ol>
</section>`
}

function renderCall(
  call: CallRecord,
  index: number,
  { curl, told }: { curl: string; told: string },
): Html {
  const { at, endpoint, method, path, parameters, findings, response, traceparent } = call
  const refusal = refusalOf(call)?.description
  const isFaulty =
    findings.some(({ level }) => level === 'error') || (refusal !== undefined && !call.decision)
  return html`<li class="${toneOf(call) === 'no' ? 'error' : 'fine'}">
<p class="hint">${renderInstant(at)}</p>
<h3><span class="tag">${endpoint}</span> ${CALL_TITLES[endpoint] ?? endpoint}</h3>
<p><code><b>${method}</b> ${path}</code> ${renderStatus(call)}</p>
${refusal !== undefined && !told.includes(refusal) && html`<p class="finding error">${refusal}</p>`}
${traceparent !== undefined && html`<p class="hint" data-testid="traceparent">traceparent <code>${traceparent}</code></p>`}
${renderFindingList(
  findings.filter(({ level }) => level === 'advice'),
  translate('en'),
)}
<details class="raw" id="sent-${index}"${isFaulty && html` open`}><summary>What was sent <span class="count">${Object.keys(parameters).length}</span></summary>
${renderValues(Object.entries(parameters))}</details>
<details class="raw" id="answered-${index}"${response.kind === 'callback' && !isRefused(call) && html` open`}><summary>What was answered</summary>
${renderAnswer(response)}</details>
<details class="raw" id="curl-${index}"><summary>Repeat it in a shell</summary>
${renderCurl(curl)}</details>
</li>
`
}

/**
 * Renders the status, coloured by its meaning for the app: a redirect with an error is not a
 * success.
 */
function renderStatus(call: CallRecord): Html {
  const { status } = call
  const error = errorBack(call)
  const text =
    status === 0
      ? '0 (dropped)'
      : `${status}${error === undefined ? '' : `, error=${error.slice(0, 40)}`}`
  return html`<span class="mark ${toneOf(call)}">${text}</span>`
}

const errorBack = (call: CallRecord) => callbackOf({ calls: [call] })?.['error']

function toneOf(call: CallRecord): 'yes' | 'declined' | 'no' {
  if (!isRefused(call)) return 'yes'
  return errorBack(call) === 'access_denied' ? 'declined' : 'no'
}

/** Renders the command. A long command is left out, because a shortened one would not work. */
const renderCurl = (command: string): Html =>
  command.length > MAX_COMMAND_LENGTH
    ? html`<p class="muted">The call is too long to be repeated from here.</p>`
    : renderSnippet(command)

/**
 * Renders the answer to a call: a redirect with its target and parameters, a page with its fields,
 * or the body.
 */
export function renderAnswer(response: RecordedResponse): Html {
  switch (response.kind) {
    case 'callback': {
      const { mode, redirectUri, params } = response.callback
      return html`<p>Sent the browser to <code>${shortened(redirectUri, 300)}</code>, with these parameters in its ${mode === 'fragment' ? 'fragment' : 'query'}:</p>
${renderValues(params)}`
    }
    case 'redirect':
      return renderRedirect(response.location)
    case 'page': {
      const { title, params, error } = response
      if (params) {
        return html`<p>Showed the page “${title}”, whose form posts these fields to the app:</p>
${renderValues(Object.entries(params))}`
      }
      return html`<p>Showed the page “${title}”.</p>
${
  error &&
  renderValues([
    ['error', error.code],
    ['error_description', error.description],
  ])
}`
    }
    case 'json':
      return html`<div class="snippet"><pre><code>${shortened(JSON.stringify(response.value, undefined, 2) ?? '')}</code></pre></div>`
    case 'text':
      return response.text === ''
        ? html`<p class="muted">An empty body.</p>`
        : html`<div class="snippet"><pre><code>${shortened(response.text)}</code></pre></div>`
    case 'dropped':
      return html`<p>The connection was closed without a response.</p>`
  }
}

function renderRedirect(location: string): Html {
  const { address, parameters: sent } = splitUrl(location)
  return html`<p>Sent the browser to <code>${shortened(address, 300)}</code>${sent.length > 0 && ', with these parameters:'}</p>
${sent.length > 0 && renderValues(sent)}`
}

/** Maximum number of parameters shown for one call. */
const MAX_PARAMETERS = 30

/** Renders a row for each parameter. JSON is indented, and an id_token is decoded. */
function renderValues(values: readonly (readonly [name: string, value: unknown])[]): Html {
  const shown = values.slice(0, MAX_PARAMETERS)
  return html`<dl class="settings">${shown.map(
    ([name, value]) =>
      html`<div><dt><code>${shortened(name, 100)}</code></dt><dd>${renderValue(name, value)}</dd></div>`,
  )}</dl>
${shown.length < values.length && html`<p class="hint">The first ${shown.length} of ${values.length}.</p>`}`
}

function renderValue(name: string, value: unknown): Html {
  if (name === 'id_token' && typeof value === 'string') {
    const { payload } = decodeIdToken(value)
    return html`<details class="raw"><summary>Its payload, decoded</summary>
<pre><code>${indented(payload)}</code></pre></details>`
  }
  const json = typeof value === 'string' ? jsonIn(value) : value
  if (json !== undefined && typeof json === 'object')
    return html`<pre><code>${indented(json)}</code></pre>`
  return html`<code>${shortened(String(value))}</code>`
}

/** The object or array if the text is JSON of one; otherwise `undefined`. */
function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  const json = parseJson(text)
  return json.ok && (isJsonObject(json.value) || Array.isArray(json.value)) ? json.value : undefined
}

const indented = (value: unknown) => shortened(JSON.stringify(value, undefined, 2))
