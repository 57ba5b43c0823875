import { counted, renderAnswers, renderInstant } from '../http/html/badges.ts'
import { type ConsoleFrame, renderConsolePage } from '../http/html/console-page.ts'
import { renderSelect, renderTextField } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { shortened } from '../http/html/shortened.ts'

/** One flow of the journal in a line or two. */
export interface FlowRow {
  readonly id: string
  readonly flow: string
  readonly clientId?: string | undefined
  readonly state?: string | undefined
  readonly persona?: string | undefined
  readonly outcome?: string | undefined
  /** ISO 8601, by the clock of the sandbox. */
  readonly startedAt: string
  readonly isOver: boolean
  readonly answers: Readonly<Record<string, boolean>>
  /** The endpoints that were called, in order. */
  readonly endpoints: readonly string[]
  readonly errors: number
  readonly advice: number
  /** Why the last call was refused, when no finding says it. */
  readonly refusal?: RefusalView | undefined
}

/** An answer of 400 and above. */
export interface RefusalView {
  readonly status: number
  readonly description?: string | undefined
}

/** The filter that a visitor wrote; absent members let everything through. */
export interface FlowListFilter {
  readonly flow?: 'use' | 'create' | 'upgrade' | undefined
  readonly client_id?: string | undefined
  readonly state?: string | undefined
  readonly persona?: string | undefined
  readonly outcome?: string | undefined
}

export interface FlowListView extends ConsoleFrame {
  /** Newest first. */
  readonly flows: readonly FlowRow[]
  readonly filter: FlowListFilter
  /** Leads to the flows before these, when there are any. */
  readonly olderPath?: string | undefined
}

/** The timeline of the journal, newest first; a script keeps it current. */
export function renderFlowList(view: FlowListView): RenderedPage {
  return renderConsolePage(view, {
    title: 'Flows',
    current: 'flows',
    lead: html`Every call that an app made, gathered by the flow it belongs to. Newest first.`,
    scripts: ['console-live.js'],
    body: html`<section class="card" aria-labelledby="timeline-title" data-events="${view.controlPath}/events">
<div class="section-head"><h2 id="timeline-title">Timeline</h2> <p class="live" role="status" data-live-state hidden></p></div>
${renderFilter(view.filter)}
<div id="timeline" data-live>
${view.flows.length === 0 ? renderNothing(view) : renderTimeline(view)}
${view.olderPath !== undefined && html`<p class="links"><a href="${view.olderPath}">Older flows</a></p>`}
</div>
</section>`,
  })
}

const FLOWS = [
  { value: '', label: 'Every flow' },
  { value: 'use', label: 'Use' },
  { value: 'create', label: 'Create' },
  { value: 'upgrade', label: 'Upgrade' },
]

function renderFilter(filter: FlowListFilter): Html {
  const isUsed = Object.values(filter).some((value) => value !== undefined)
  return html`<details class="narrow-down" id="filter"${isUsed && html` open`}>
<summary>Filter</summary>
<form class="form-row" method="get">
${renderSelect({ name: 'flow', label: 'Flow', value: filter.flow, options: FLOWS })}
${renderTextField({ name: 'persona', label: 'Persona', value: filter.persona })}
${renderTextField({ name: 'outcome', label: 'Outcome', value: filter.outcome })}
${renderTextField({ name: 'state', label: 'state', value: filter.state })}
${renderTextField({ name: 'client_id', label: 'client_id', value: filter.client_id })}
<button class="secondary">Show</button>
</form>
${isUsed && html`<p class="links"><a href="?">Show every flow</a></p>`}
</details>`
}

function renderNothing({ demoPath, filter }: FlowListView): Html {
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return isFiltered
    ? html`<p class="empty" data-testid="no-flows">No flow matches this filter.</p>`
    : html`<p class="empty" data-testid="no-flows">Nothing yet. Start a flow in your app, or in the <a href="${demoPath}">demo app</a>: it appears here.</p>`
}

function renderTimeline({ flows, consolePath }: FlowListView): Html {
  return html`<ol class="timeline">
${flows.map(
  (flow) => html`<li class="${flow.errors > 0 || flow.refusal ? 'error' : 'fine'}" data-testid="flow-${flow.id}">
<p class="moment">${renderInstant(flow.startedAt)}</p>
<h3><a href="${consolePath}/flows/${flow.id}">${FLOW_TITLES[flow.flow] ?? flow.flow} <span class="muted">${flow.id}</span></a></h3>
<p class="facts">${renderFacts(flow)}</p>
${renderAnswers(flow.answers, MOST_ANSWERS)}
<p class="muted small-text">${chain(flow.endpoints)}${flow.state !== undefined && html` · state <code>${shortened(flow.state, 60)}</code>`}${flow.clientId !== undefined && html` · <code>${shortened(flow.clientId, 60)}</code>`}</p>
</li>
`,
)}</ol>`
}

/** Answers and calls of one flow in the list; its own page has all. */
const MOST_ANSWERS = 8
const MOST_CALLS = 8

const chain = (endpoints: readonly string[]): string =>
  [...endpoints.slice(0, MOST_CALLS), ...(endpoints.length > MOST_CALLS ? ['…'] : [])].join(' → ')

/** What the flows are called in headings. */
export const FLOW_TITLES: Readonly<Record<string, string>> = { use: 'Use', create: 'Create', upgrade: 'Upgrade' }

function renderFacts({ persona, outcome, isOver, errors, advice, refusal }: FlowRow): Html {
  return html`${persona !== undefined && html`<code>${persona}</code> `}${outcome !== undefined && html`<span aria-hidden="true">→</span> <code>${outcome}</code> `}${
    !isOver && html`<span class="tag">waiting for the user</span> `
  }${errors > 0 && html`<span class="tag bad">${counted(errors, 'error')}</span> `}${advice > 0 && html`<span class="tag warn">${advice} advice</span> `}${refusal && html`<span class="tag bad">refused ${refusal.status}</span> ${shortened(refusal.description ?? '', 300)}`}`
}
