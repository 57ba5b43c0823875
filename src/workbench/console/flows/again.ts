import type { CallRecord } from '../../../sandbox/journal/call-record.ts'
import type { Flow } from '../../../sandbox/journal/journal.ts'
import { findOverdue } from '../../../sandbox/journal/next-steps.ts'
import { renderSnippet } from '../../../server/http/html/elements.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import { isJsonObject } from '../../../service/age/json-object.ts'
import { ENDPOINTS } from '../../../service/oidc/endpoints.ts'
import { curlCommand } from './curl.ts'
import type { PageClock } from './flow-table.ts'

/** The tenant in which a flow can continue or run again. */
export interface FlowPlace {
  readonly baseUrl: string
  /** The path of the tenant, without a trailing slash: `/t/qa`. */
  readonly basePath: string
  /** The transaction that still waits for the user; `undefined` if none does. */
  readonly waiting: string | undefined
  readonly clock: PageClock
}

/** The transaction of the last page that the flow showed. */
export const transactionOf = ({ calls }: Pick<Flow, 'calls'>): string | undefined =>
  calls
    .map(({ response }) => (response.kind === 'page' ? response.transaction : undefined))
    .findLast((transaction) => transaction !== undefined)

/**
 * Renders the ways to continue a waiting flow in this browser, or to run an ended flow again;
 * otherwise it says why neither is possible.
 */
export function renderAgain(flow: Flow, place: FlowPlace): Html {
  const isWaiting = flow.ended_at === undefined
  return html`<section class="card" aria-labelledby="again-title"${isWaiting && html` data-preview`}>
<h2 id="again-title">${isWaiting ? 'Go on' : 'Run it again'}</h2>
${isWaiting ? renderWaiting(flow, place) : renderRun(flow, place)}
</section>`
}

function renderWaiting(flow: Flow, place: FlowPlace): Html {
  const { basePath, waiting, clock } = place
  if (waiting !== undefined) {
    return html`<form method="post" action="${basePath}/v1/oidc/${flow.flow}/continue" target="_blank">
<input type="hidden" name="transaction" value="${waiting}">
<button class="primary" data-testid="answer-here">Answer it here</button>
</form>
<p class="hint">Opens the page that waits in a new tab. The answer then goes to the app through this browser: an app that keeps its session in a cookie finds none here.</p>`
  }
  const pushed = requestUriOf(flow)
  if (transactionOf(flow) === undefined && pushed !== undefined && !findOverdue(flow, clock)) {
    return html`<p><a class="target" href="${basePath}${pushed}" target="_blank" rel="noreferrer" data-testid="open-here">Open the pushed request here</a></p>
<p class="hint">It takes the place of the user’s browser, once, and only until the request_uri expires.</p>`
  }
  return html`<p>It waits no longer: the request is over, by its time or by a reset. Start the flow again in the app.</p>`
}

/** The path of E3 for the pushed request. */
function requestUriOf({ calls }: Flow): string | undefined {
  const push = calls.findLast(({ endpoint }) => endpoint === ENDPOINTS.par.number)
  if (push?.response.kind !== 'json' || !isJsonObject(push.response.value)) return undefined
  const { request_uri: requestUri } = push.response.value
  return typeof requestUri === 'string' ? createPath(push, requestUri) : undefined
}

const createPath = ({ parameters }: CallRecord, requestUri: string) =>
  `${ENDPOINTS.create.path}?${queryOf({
    scope: 'openid',
    response_type: 'none',
    client_id: parameters['client_id'],
    redirect_uri: parameters['redirect_uri'],
    request_uri: requestUri,
  })}`

const queryOf = (parameters: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  ).toString()

/**
 * Maximum number of characters of a URL or command: every browser and server accepts this length.
 */
const MAX_ADDRESS = 6_000

function renderRun(flow: Flow, { basePath, baseUrl }: FlowPlace): Html {
  const use = flow.calls.find(({ endpoint }) => endpoint === ENDPOINTS.use.number)
  if (use) return renderUse(flow, use, basePath)
  const push = flow.calls.find(({ endpoint }) => endpoint === ENDPOINTS.par.number)
  if (push) return renderPush(flow, push, baseUrl)
  return html`<p>A call of a server cannot be run again by a browser, and a code serves once: run the Use flow of the app again. Each call below can be repeated in a shell.</p>`
}

function renderUse(flow: Flow, { path, parameters }: CallRecord, basePath: string): Html {
  const isNamed = Object.keys(parameters).some((name) => name.startsWith('sandbox_'))
  const { persona, outcome } = flow
  const address = `${basePath}${path}?${queryOf(parameters)}`
  const decided = `${address}&${queryOf({ sandbox_persona: persona, sandbox_outcome: outcome })}`
  if (decided.length > MAX_ADDRESS)
    return html`<p>The request is too long for a link. It can be repeated in a shell, below.</p>`
  return html`<ul class="row links">
<li><a class="target" href="${address}" target="_blank" rel="noreferrer" data-testid="run-again">The same request</a> <span class="hint">${isNamed ? 'with the decision that it names itself' : 'decided by what is set now, or on the choice page'}</span></li>
${!isNamed && (persona !== undefined || outcome !== undefined) && html`<li><a class="target" href="${decided}" target="_blank" rel="noreferrer" data-testid="run-decided">With the same decision</a> <span class="hint">${[persona, outcome].filter(Boolean).join(', ')}</span></li>`}
</ul>
<p class="hint">It begins a new flow, with the state and nonce of this one: an app that takes each of them once refuses the answer.</p>`
}

function renderPush(flow: Flow, push: CallRecord, baseUrl: string): Html {
  const command = curlCommand(push, { baseUrl, clientId: flow.client_id })
  if (command.length > MAX_ADDRESS)
    return html`<p>The pushed request is too long to be repeated from here.</p>`
  return html`<p>A request_uri serves once. Push the request again, then open E3 with the new one:</p>
${renderSnippet(command)}
${renderSnippet(`${baseUrl}${createPath(push, 'REQUEST_URI')}`)}`
}
