import { FLOW_STATUSES, type FlowStatus } from '../../../sandbox/journal/explain-flow.ts'
import { type FlowFilter, isFlowId, type ListedFlow } from '../../../sandbox/journal/journal.ts'
import { type FlowSearch, searchFlows } from '../../../sandbox/journal/search-flows.ts'
import { type ConsoleFrame, renderConsolePage } from '../../../server/http/console-page.ts'
import type { Fields } from '../../../server/http/form.ts'
import { counted } from '../../../server/http/html/elements.ts'
import { renderSelect, renderTextField } from '../../../server/http/html/fields.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import type { RenderedPage } from '../../../server/http/html/layout.ts'
import { readPage } from '../../../server/http/list-page.ts'
import type { ConsoleCall, ConsoleRoute } from '../console-route.ts'
import { clientToShow, renderSettings } from '../setup/setup.ts'
import { FLOW_TITLES, type PageClock, pageClock, renderFlowTable } from './flow-table.ts'

/** `console/flows`: the journal, newest first. */
export const flowsPage: ConsoleRoute = { name: 'flows', render: renderFlows }

/** The number of flows on one page. */
const PAGE_SIZE = 30

async function renderFlows({
  request,
  tenant,
  host,
  frame,
  fields,
}: ConsoleCall): Promise<RenderedPage> {
  const query = readFlowQuery(fields)
  const { status, q, ...filter } = query
  const clock = pageClock(tenant)
  const given = fields['before']
  const before = given !== undefined && isFlowId(given) ? given : undefined
  const listed = tenant.journal.list(tenant.name, { ...filter, before })
  const { items, next } = await readPage(searchFlows(listed, { status, q }), {
    limit: PAGE_SIZE,
    idOf: ({ id }) => id,
    show: (flow) => flow,
  })
  const hidden = query.audit === undefined ? await tenant.journal.countAudited(tenant.name) : 0
  const isNew = items.length === 0 && hidden === 0 && searchOf(query).size === 0
  const settings =
    isNew &&
    renderSettings({ provider: tenant.provider, client: clientToShow(request, host) }, frame)
  return renderFlowList(frame, items, { query, before: next, hidden, clock, settings })
}

/** The query of a list of flows. Empty members are left out. */
const searchOf = (query: FlowQuery): URLSearchParams =>
  new URLSearchParams(
    Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1])),
  )

/**
 * Renders the table of the journal. Scripts keep it current, add keyboard navigation and show a
 * preview.
 * @param flows newest first
 * @param list.before the id of the last flow, if older flows follow
 * @param list.hidden the number of hidden flows of audits
 * @param list.settings settings to paste into an app, shown until the first flow
 */
export function renderFlowList(
  frame: ConsoleFrame,
  flows: readonly ListedFlow[],
  {
    query,
    before,
    hidden = 0,
    clock,
    settings = false,
  }: {
    query: FlowQuery
    before: string | undefined
    hidden?: number
    clock: PageClock
    settings?: Html | false
  },
): RenderedPage {
  const used = searchOf(query)
  return renderConsolePage(frame, {
    title: 'Flows',
    current: 'flows',
    lead: html`Every call that an app made, gathered by the flow it belongs to. Newest first. <span class="key-legend" data-keys hidden><kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> open, <kbd>Esc</kbd> close, <kbd>/</kbd> search</span>`,
    styles: ['flows.css'],
    scripts: ['flows-live.js', 'flows-times.js', 'flows-keys.js', 'copy.js', 'console-live.js'],
    body: html`${settings}
<section class="card flow-list" aria-label="Flows" data-events="${frame.controlPath}/events">
${renderFlowSearch(query)}
<div class="stack flow-split">
<div class="flow-rows">
<button type="button" class="new-flows" data-new-flows hidden></button>
<div id="timeline" data-live>
${flows.length === 0 ? renderNothing(used.size > 0, frame) : renderFlowTable(flows, { frame, clock })}
${before !== undefined && html`<p class="row links"><a href="?${String(new URLSearchParams([...used, ['before', before]]))}">Older flows</a></p>`}
${hidden > 0 && html`<p class="hint" data-testid="hidden-flows">${counted(hidden, 'flow')} of an audit ${hidden === 1 ? 'is' : 'are'} hidden. <a href="?${String(new URLSearchParams([...used, ['audit', 'also']]))}">Show</a></p>`}
</div>
</div>
<aside class="stack flow-preview" aria-label="Preview of the flow" data-flow-preview hidden></aside>
</div>
</section>
<details class="raw"><summary>What is an age key?</summary>
<p class="muted" id="age-keys">A passkey on the user’s own device that answers one kind of question: is this person at least so many years old? An app asks about one or more ages and receives a signed yes or no for each. It never learns the age or the date of birth. In this sandbox a test persona replaces the passkey. No answer given here says anything about a real person.</p>
</details>`,
  })
}

function renderNothing(isFiltered: boolean, { demoPath }: ConsoleFrame): Html {
  return isFiltered
    ? html`<p class="notice muted" data-testid="no-flows">No flow matches this search.</p>`
    : html`<p class="notice muted" data-testid="no-flows">Nothing yet. Start a flow in your app, or in the <a href="${demoPath}">demo app</a>: it appears here.</p>`
}

/** The filter of the list: facts, status and free text. */
type FlowQuery = FlowFilter & FlowSearch

/** Reads the filter from the query. An unknown flow or status filters nothing. */
function readFlowQuery({
  flow,
  client_id,
  state,
  persona,
  outcome,
  status,
  q,
  ...shown
}: Fields): FlowQuery {
  return {
    flow: flow !== undefined && Object.hasOwn(FLOW_TITLES, flow) ? flow : undefined,
    client_id,
    state,
    persona,
    outcome,
    status: FLOW_STATUSES.find((known): known is FlowStatus => known === status),
    q,
    audit: shown['audit'] === 'also' ? 'also' : undefined,
  }
}

const FLOW_OPTIONS = [
  { value: '', label: 'Every flow' },
  ...Object.entries(FLOW_TITLES).map(([value, label]) => ({ value, label })),
]

/**
 * Renders the form above the table: free text, kind of flow, errors only, and more filters behind a
 * button.
 */
function renderFlowSearch(query: FlowQuery): Html {
  const { q = '', flow, status, persona, outcome, state, client_id: clientId } = query
  const facts = [persona, outcome, state, clientId].filter((value) => value !== undefined)
  const isUsed = facts.length > 0 || flow !== undefined || status !== undefined || q !== ''
  return html`<form class="row flow-search" method="get" role="search" data-flow-search>
${query.audit && html`<input type="hidden" name="audit" value="also">`}
<input class="q" id="q" name="q" type="search" value="${q}" placeholder="Search everything: client, state, rule, traceparent, value" aria-label="Search in everything that the flows hold" autocomplete="off" autocapitalize="none" spellcheck="false">
${renderSelect({ name: 'flow', label: 'Flow', value: flow, options: FLOW_OPTIONS })}
<label class="target"><input type="checkbox" name="status" value="error"${status === 'error' && html` checked`}>Errors only</label>
<button class="secondary">Show</button>
${isUsed && html`<a class="target" href="?">Show every flow</a>`}
<p class="hint live" role="status" data-live-state hidden></p>
<details id="filter"${facts.length > 0 && html` open`}>
<summary>More filters</summary>
<div class="row">
${renderTextField({ name: 'persona', label: 'Persona', value: persona })}
${renderTextField({ name: 'outcome', label: 'Outcome', value: outcome })}
${renderTextField({ name: 'state', label: 'state', value: state })}
${renderTextField({ name: 'client_id', label: 'client_id', value: clientId })}
</div>
</details>
</form>`
}
