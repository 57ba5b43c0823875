import { type ConsoleFrame, renderConsolePage } from '../../http/console-page.ts'
import { contains } from '../../http/form.ts'
import { counted, renderFoldedTable, renderName, renderTable } from '../../http/html/elements.ts'
import { filterOptions, renderSelect, renderTextField } from '../../http/html/fields.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { RenderedPage } from '../../http/html/layout.ts'
import { headingOf } from '../../oidc/endpoints.ts'
import { OUTCOMES } from '../../sandbox/outcomes/catalogue.ts'
import { OUTCOME_FLOWS, type Outcome, type OutcomeFlow, REQUIREMENT_LEVELS } from '../../sandbox/outcomes/outcome.ts'
import type { ConsoleRoute } from '../console-route.ts'

/** `console/outcomes`: the whole catalogue on one page, by flow or call. */
export const outcomesPage: ConsoleRoute = {
  name: 'outcomes',
  render({ frame, fields }) {
    const { flow = '', level = '', q = '' } = fields
    const outcomes = OUTCOMES.filter(
      (row) =>
        (flow === '' || row.flow === flow) &&
        (level === '' || row.level === level) &&
        contains(q, [row.name, row.summary, row.rule, row.level, row.harm, ...row.refs]),
    )
    return renderOutcomes(frame, outcomes, { flow, level, q })
  },
}

/**
 * The catalogue: for each outcome what happens, what a correct client does, how binding that is, and a link to queue it. The page of an
 * outcome says more.
 * @param outcomes the outcomes that match the filter, in the order of the catalogue
 */
export function renderOutcomes(
  frame: ConsoleFrame,
  outcomes: readonly Outcome[],
  { flow, level, q }: { flow: string; level: string; q: string },
): RenderedPage {
  return renderConsolePage(frame, {
    title: 'Outcomes',
    current: 'outcomes',
    lead: html`Every ending that you can ask for: by <code>sandbox_outcome=NAME</code> on the request, by an expectation, or on the choice page. The level says how binding the check is: <b>must</b> by the specification, <b>should</b> by other documents, <b>may</b> as hardening; the number is its severity, 0 to 10.`,
    body: html`<section class="card" aria-labelledby="catalogue-title">
<div class="row spread"><h2 id="catalogue-title">${counted(outcomes.length, 'outcome')}</h2>
<form class="row" method="get">
${renderTextField({ name: 'q', label: 'Find', value: q })}
${renderSelect({ name: 'flow', label: 'Flow or call', value: flow, options: filterOptions(OUTCOME_FLOWS) })}
${renderSelect({ name: 'level', label: 'Level', value: level, options: filterOptions(REQUIREMENT_LEVELS) })}
<button class="secondary">Show</button>
</form></div>
${outcomes.length === 0 && html`<p class="notice muted">No outcome matches this filter. <a href="?">Show all</a></p>`}
${OUTCOME_FLOWS.map((one) =>
  renderFlowTable(
    one,
    outcomes.filter((outcome) => outcome.flow === one),
    { ...frame, isOpen: [flow, level, q].some((filter) => filter !== '') },
  ),
)}
</section>`,
  })
}

function renderFlowTable(
  flow: OutcomeFlow,
  outcomes: readonly Outcome[],
  { consolePath, isOpen }: ConsoleFrame & { readonly isOpen: boolean },
): Html | undefined {
  if (outcomes.length === 0) return undefined
  const rows = outcomes.map((outcome) => ({
    id: `${flow}-${outcome.name}`,
    cells: [
      html`<a href="${consolePath}/outcomes/${flow}/${outcome.name}" class="target">${renderName(outcome.name)}</a>`,
      outcome.summary,
      renderVerdict(outcome),
      html`<a href="${queueHref(outcome, consolePath)}" class="target">Queue</a>`,
    ],
  }))
  const table = renderTable(`Outcomes of ${flow}`, ['Name', 'What happens', 'A correct client', 'Use it'], rows)
  return renderFoldedTable({ title: headingOf(flow), count: rows.length, isOpen, table })
}

const VERDICTS = {
  accept: { mark: 'yes', text: 'accepts' },
  refuse: { mark: 'no', text: 'refuses' },
  depends: { mark: 'none', text: 'depends' },
} as const

/** What a correct client does with the outcome, and how binding that is. */
export const renderVerdict = ({ correctClient, level, severity }: Outcome): Html =>
  html`<span class="mark ${VERDICTS[correctClient].mark}">${VERDICTS[correctClient].text}</span> <span class="muted">${level} ${severity}</span>`

/** The form that queues the outcome, filled in. */
export const queueHref = ({ flow, name }: Pick<Outcome, 'flow' | 'name'>, consolePath: string): string =>
  `${consolePath}/force?${new URLSearchParams({ flow, outcome: name }).toString()}#queue`
