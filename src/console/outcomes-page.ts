import { counted } from '../http/html/badges.ts'
import { type ConsoleFrame, renderConsolePage } from '../http/html/console-page.ts'
import { renderSelect, renderTextField } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderTable } from '../http/html/table.ts'

/** A row of the catalogue. */
export interface OutcomeRow {
  readonly name: string
  readonly flow: string
  readonly seam: string
  readonly summary: string
  readonly rule: string
  readonly correctClient: 'accept' | 'refuse' | 'depends'
}

export interface OutcomesView extends ConsoleFrame {
  /** One page of the catalogue, in its order, after the filter. */
  readonly outcomes: readonly OutcomeRow[]
  /** How many the filter lets through. */
  readonly total: number
  /** Leads to the outcomes after these, when there are any. */
  readonly nextPath?: string | undefined
  readonly flows: readonly string[]
  readonly filter: { readonly flow: string; readonly q: string }
}

/** The catalogue: every ending that can be asked for, what it tests and what a correct client does with it. */
export function renderOutcomes(view: OutcomesView): RenderedPage {
  const { outcomes, total, flows, filter, nextPath } = view
  const shown = flows.filter((flow) => outcomes.some((outcome) => outcome.flow === flow))
  return renderConsolePage(view, {
    title: 'Outcomes',
    current: 'outcomes',
    lead: html`Every ending that you can ask for: by <code>sandbox_outcome=NAME</code> on the request, by an expectation, or on the choice page.`,
    body: html`<section class="card" aria-labelledby="catalogue-title">
<h2 id="catalogue-title">${counted(total, 'outcome')}</h2>
<form class="form-row" method="get">
${renderSelect({
  name: 'flow',
  label: 'Flow or call',
  value: filter.flow,
  options: [{ value: '', label: 'All' }, ...flows.map((flow) => ({ value: flow, label: flow }))],
})}
${renderTextField({ name: 'q', label: 'Find', value: filter.q })}
<button class="secondary">Show</button>
</form>
${outcomes.length === 0 && html`<p class="empty">No outcome matches this filter.</p>`}
${shown.map((flow) => renderFlowTable(flow, view))}
${nextPath !== undefined && html`<p class="links"><a href="${nextPath}">More outcomes</a></p>`}
</section>`,
  })
}

const VERDICTS = { accept: 'yes', refuse: 'no', depends: 'none' } as const

/** The headings, by the wire name of the flow or call. */
const FLOW_NAMES: Readonly<Record<string, string>> = {
  use: 'Use (E1)',
  par: 'Create request pushed (E2)',
  create: 'Create (E3)',
  token: 'Token (E4)',
  upgrade: 'Upgrade (E5)',
  discovery: 'Discovery (E6)',
  jwks: 'Key set (E6)',
}

function renderFlowTable(flow: string, { outcomes, consolePath }: OutcomesView): Html {
  const rows = outcomes
    .filter((outcome) => outcome.flow === flow)
    .map(({ name, summary, rule, correctClient }) => ({
      id: `${flow}-${name}`,
      cells: [
        html`<a href="${consolePath}/expectations?${new URLSearchParams({ flow, outcome: name }).toString()}" class="target" title="Queue it"><code>${name}</code></a>`,
        summary,
        rule,
        html`<span class="mark ${VERDICTS[correctClient]}">${correctClient}</span>`,
      ],
    }))
  return html`<h3 class="group-title">${FLOW_NAMES[flow] ?? flow}</h3>
${renderTable(`Outcomes of ${flow}`, ['Name', 'What happens', 'What a correct client does', 'Verdict'], rows)}
`
}
