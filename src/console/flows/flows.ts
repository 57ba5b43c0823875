import type { Fields } from '../../http/form.ts'
import { type ConsoleFrame, renderConsolePage } from '../../http/html/console-page.ts'
import { counted, renderAnswers, renderInstant, shortened } from '../../http/html/elements.ts'
import { renderSelect, renderTextField } from '../../http/html/fields.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { RenderedPage } from '../../http/html/layout.ts'
import { readPage } from '../../http/list-page.ts'
import { refusalOf } from '../../sandbox/journal/call-meaning.ts'
import { type FlowFilter, isFlowId, type ListedFlow } from '../../sandbox/journal/journal.ts'
import type { ConsoleCall, ConsoleRoute } from '../console-route.ts'

/** `console/flows`: the journal, newest first. */
export const flowsPage: ConsoleRoute = { name: 'flows', render: renderFlows }

/** Flows on one page. */
const PAGE_SIZE = 50

async function renderFlows({ tenant, frame, fields }: ConsoleCall): Promise<RenderedPage> {
  const filter = readFilter(fields)
  const given = fields['before']
  const before = given !== undefined && isFlowId(given) ? given : undefined
  const { items, next } = await readPage(tenant.journal.list(tenant.name, { ...filter, before }), {
    limit: PAGE_SIZE,
    idOf: ({ id }) => id,
    show: (flow) => flow,
  })
  return renderFlowList(frame, items, { filter, before: next })
}

/** An absent member lets every flow through, and so does an unknown name of a flow. */
const readFilter = ({ flow, client_id, state, persona, outcome }: Fields): FlowFilter => ({
  flow: flow !== undefined && Object.hasOwn(FLOW_TITLES, flow) ? flow : undefined,
  client_id,
  state,
  persona,
  outcome,
})

/**
 * The timeline of the journal; a script keeps it current.
 *
 * @param flows newest first
 * @param list.before the flow before which the next page begins, when there are older ones
 */
export function renderFlowList(
  frame: ConsoleFrame,
  flows: readonly ListedFlow[],
  { filter, before }: { filter: FlowFilter; before: string | undefined },
): RenderedPage {
  const used = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return renderConsolePage(frame, {
    title: 'Flows',
    current: 'flows',
    lead: html`Every call that an app made, gathered by the flow it belongs to. Newest first.`,
    scripts: ['console-live.js'],
    body: html`<section class="card" aria-labelledby="timeline-title" data-events="${frame.controlPath}/events">
<div class="section-head"><h2 id="timeline-title">Timeline</h2> <p class="live" role="status" data-live-state hidden></p></div>
${renderFilter(filter, used.length > 0)}
<div id="timeline" data-live>
${flows.length === 0 ? renderNothing(used.length > 0, frame) : renderTimeline(flows, frame)}
${before !== undefined && html`<p class="links"><a href="?${new URLSearchParams([...used, ['before', before]]).toString()}">Older flows</a></p>`}
</div>
</section>`,
  })
}

/** The flows in headings and in the filter. */
export const FLOW_TITLES: Readonly<Record<ListedFlow['flow'], string>> = {
  use: 'Use',
  create: 'Create',
  upgrade: 'Upgrade',
}

const FLOW_OPTIONS = [
  { value: '', label: 'Every flow' },
  ...Object.entries(FLOW_TITLES).map(([value, label]) => ({ value, label })),
]

function renderFilter(filter: FlowFilter, isUsed: boolean): Html {
  return html`<details class="narrow-down" id="filter"${isUsed && html` open`}>
<summary>Filter</summary>
<form class="form-row" method="get">
${renderSelect({ name: 'flow', label: 'Flow', value: filter.flow, options: FLOW_OPTIONS })}
${renderTextField({ name: 'persona', label: 'Persona', value: filter.persona })}
${renderTextField({ name: 'outcome', label: 'Outcome', value: filter.outcome })}
${renderTextField({ name: 'state', label: 'state', value: filter.state })}
${renderTextField({ name: 'client_id', label: 'client_id', value: filter.client_id })}
<button class="secondary">Show</button>
</form>
${isUsed && html`<p class="links"><a href="?">Show every flow</a></p>`}
</details>`
}

function renderNothing(isFiltered: boolean, { demoPath }: ConsoleFrame): Html {
  return isFiltered
    ? html`<p class="empty" data-testid="no-flows">No flow matches this filter.</p>`
    : html`<p class="empty" data-testid="no-flows">Nothing yet. Start a flow in your app, or in the <a href="${demoPath}">demo app</a>: it appears here.</p>`
}

const renderTimeline = (flows: readonly ListedFlow[], frame: ConsoleFrame): Html => html`<ol class="timeline">
${flows.map((flow) => renderItem(flow, frame))}</ol>`

/** Answers, and calls, of one flow in the list; its own page has all. */
const MAX_ANSWERS = 8
const MAX_CALLS = 8

function renderItem(flow: ListedFlow, { consolePath }: ConsoleFrame): Html {
  const { id, client_id: clientId, state, age_thresholds: answers = {} } = flow
  const findings = flow.calls.flatMap((call) => call.findings)
  const errors = findings.filter(({ level }) => level === 'error').length
  const last = flow.calls.at(-1)
  const refusal = last && refusalOf(last)
  return html`<li class="${errors > 0 || refusal ? 'error' : 'fine'}" data-testid="flow-${id}">
<p class="moment">${renderInstant(flow.started_at)}</p>
<h3><a href="${consolePath}/flows/${id}">${FLOW_TITLES[flow.flow]} <span class="muted">${id}</span></a></h3>
<p class="facts">${renderDecision(flow)}${errors > 0 && html`<span class="tag bad">${counted(errors, 'error')}</span> `}${errors < findings.length && html`<span class="tag warn">${findings.length - errors} advice</span> `}${refusal && html`<span class="tag bad">${refusal.status === 0 ? 'dropped' : `refused ${refusal.status}`}</span> ${shortened(refusal.description ?? '', 300)}`}</p>
${renderAnswers(answers, MAX_ANSWERS)}
<p class="muted small-text">${chain(flow)}${state !== undefined && html` · state <code>${shortened(state, 60)}</code>`}${clientId !== undefined && html` · <code>${shortened(clientId, 60)}</code>`}</p>
</li>
`
}

const renderDecision = ({ persona, outcome, ended_at: endedAt }: ListedFlow): Html =>
  html`${persona !== undefined && html`<code>${persona}</code> `}${outcome !== undefined && html`<span aria-hidden="true">→</span> <code>${outcome}</code> `}${endedAt === undefined && html`<span class="tag">waiting for the user</span> `}`

/** The endpoints in the order of the calls. */
function chain({ calls }: ListedFlow): string {
  const shown = calls.slice(0, MAX_CALLS).map(({ endpoint }) => endpoint)
  return [...shown, ...(calls.length > MAX_CALLS ? ['…'] : [])].join(' → ')
}
