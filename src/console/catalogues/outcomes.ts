import { contains } from '../http/form.ts'
import { type ConsoleFrame, renderConsolePage } from '../http/html/console-page.ts'
import { counted, renderTable } from '../http/html/elements.ts'
import { renderSelect, renderTextField } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { OUTCOMES } from '../sandbox/outcomes/catalogue.ts'
import { OUTCOME_FLOWS, type Outcome, type OutcomeFlow } from '../sandbox/outcomes/outcome.ts'
import type { ConsoleRoute } from './console-route.ts'

/** `console/outcomes`: the catalogue. */
export const outcomesPage: ConsoleRoute = {
  name: 'outcomes',
  render({ frame, fields }) {
    const { flow = '', q = '', skip = '0' } = fields
    const outcomes = OUTCOMES.filter(
      (row) =>
        (flow === '' || row.flow === flow) &&
        contains(q, [row.name, row.summary, row.rule, row.level, row.harm, ...row.refs]),
    )
    return renderOutcomes(frame, outcomes, { flow, q, skip: Math.max(0, Math.trunc(Number(skip))) || 0 })
  },
}

/** Outcomes on one page. */
const PAGE_SIZE = 60

/**
 * A page of the catalogue: each outcome with what happens, what is gained when it gets through, what a correct client does
 * with it, where that is demanded and how binding it is.
 *
 * @param outcomes all that the filter lets through, in the order of the catalogue
 */
export function renderOutcomes(
  frame: ConsoleFrame,
  outcomes: readonly Outcome[],
  { flow, q, skip }: { flow: string; q: string; skip: number },
): RenderedPage {
  const end = skip + PAGE_SIZE
  const shown = outcomes.slice(skip, end)
  return renderConsolePage(frame, {
    title: 'Outcomes',
    current: 'outcomes',
    lead: html`Every ending that you can ask for: by <code>sandbox_outcome=NAME</code> on the request, by an expectation, or on the choice page. The level says how binding the check is: <b>must</b> by the specification, <b>should</b> by other documents, <b>may</b> as hardening; the number is its severity, 0 to 10.`,
    body: html`<section class="card" aria-labelledby="catalogue-title">
<h2 id="catalogue-title">${counted(outcomes.length, 'outcome')}</h2>
<form class="form-row" method="get">
${renderSelect({
  name: 'flow',
  label: 'Flow or call',
  value: flow,
  options: [{ value: '', label: 'All' }, ...OUTCOME_FLOWS.map((value) => ({ value, label: value }))],
})}
${renderTextField({ name: 'q', label: 'Find', value: q })}
<button class="secondary">Show</button>
</form>
${shown.length === 0 && html`<p class="empty">No outcome matches this filter.</p>`}
${OUTCOME_FLOWS.map((one) =>
  renderFlowTable(
    one,
    shown.filter((outcome) => outcome.flow === one),
    frame,
  ),
)}
${end < outcomes.length && html`<p class="links"><a href="?${new URLSearchParams({ flow, q, skip: String(end) }).toString()}">More outcomes</a></p>`}
</section>`,
  })
}

const VERDICTS = { accept: 'yes', refuse: 'no', depends: 'none' } as const

const HEADINGS: Readonly<Record<OutcomeFlow, string>> = {
  use: 'Use (E1)',
  par: 'Create request pushed (E2)',
  create: 'Create (E3)',
  token: 'Token (E4)',
  upgrade: 'Upgrade (E5)',
  discovery: 'Discovery (E6)',
  jwks: 'Key set (E6)',
}

function renderFlowTable(
  flow: OutcomeFlow,
  outcomes: readonly Outcome[],
  { consolePath }: ConsoleFrame,
): Html | undefined {
  if (outcomes.length === 0) return undefined
  const rows = outcomes.map(({ name, summary, harm, rule, refs, correctClient, level, severity }) => ({
    id: `${flow}-${name}`,
    cells: [
      html`<a href="${consolePath}/expectations?${new URLSearchParams({ flow, outcome: name }).toString()}" class="target" title="Queue it"><code>${name}</code></a>`,
      html`<p>${summary}</p><p class="muted">${correctClient === 'accept' ? 'When it is refused' : 'When it gets through'}: ${harm}</p>`,
      html`<p>${rule}</p><p class="muted">${refs.join('; ')}</p>`,
      html`<p><span class="mark ${VERDICTS[correctClient]}">${correctClient}</span></p><p class="muted">${level} ${severity}</p>`,
    ],
  }))
  return html`<h3 class="group-title">${HEADINGS[flow]}</h3>
${renderTable(`Outcomes of ${flow}`, ['Name', 'What happens', 'What a correct client does', 'Verdict, level'], rows)}
`
}
