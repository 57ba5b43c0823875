import { counted } from '../http/html/badges.ts'
import { type ConsoleFrame, renderConsolePage } from '../http/html/console-page.ts'
import { renderSelect, renderSuggestions, renderTextField } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderTable } from '../http/html/table.ts'

/** A decision that waits for a request. */
export interface ExpectationRow {
  readonly id: string
  readonly flow: string
  readonly persona?: string | undefined
  readonly outcome?: string | undefined
  /** A line each: `state: abc`. */
  readonly match: readonly string[]
  readonly times: number
  readonly remaining: number
}

/** The fields of the form that adds one, as written. */
export const EXPECTATION_FIELDS = ['flow', 'persona', 'outcome', 'times', 'client_id', 'state', 'nonce'] as const
export type ExpectationFields = Readonly<Partial<Record<(typeof EXPECTATION_FIELDS)[number], string>>>

export interface ExpectationsView extends ConsoleFrame {
  /** First in, first out. */
  readonly expectations: readonly ExpectationRow[]
  readonly total: number
  readonly flows: readonly string[]
  readonly personas: readonly string[]
  readonly outcomes: readonly string[]
  readonly fields: ExpectationFields
  /** The path that takes the form. */
  readonly action: string
  readonly problem?: string | undefined
}

/** The queue of decisions for coming requests, and a form that adds one. */
export function renderExpectations(view: ExpectationsView): RenderedPage {
  return renderConsolePage(view, {
    title: 'Expectations',
    current: 'expectations',
    lead: html`Decisions that wait for a coming request, in place of the choice page. First in, first out.`,
    problem: view.problem,
    body: html`${renderQueue(view)}
${renderForm(view)}`,
  })
}

function renderQueue({ expectations, total, action }: ExpectationsView): Html {
  const rows = expectations.map(({ id, flow, persona, outcome, match, times, remaining }) => ({
    id,
    cells: [
      flow,
      persona === undefined ? html`<span class="muted">any</span>` : html`<code>${persona}</code>`,
      outcome === undefined ? html`<span class="muted">the usual</span>` : html`<code>${outcome}</code>`,
      match.length === 0
        ? html`<span class="muted">any request</span>`
        : match.map((line) => html`<span class="line"><code>${line}</code></span>`),
      `${remaining} of ${times}`,
    ],
  }))
  return html`<section class="card" aria-labelledby="queue-title">
<h2 id="queue-title">${counted(total, 'decision')} waiting</h2>
${
  rows.length === 0
    ? html`<p class="empty">Nothing waits. The choice page asks, or whoever is named in the request decides.</p>`
    : html`${renderTable('Decisions that wait', ['For', 'Persona', 'Outcome', 'When', 'Left'], rows)}
${rows.length < total && html`<p class="hint">The first ${rows.length} are shown.</p>`}
<form method="post" action="${action}"><button class="secondary compact" name="clear" value="true" data-testid="clear">Forget them all</button></form>`
}
</section>`
}

function renderForm({ action, flows, personas, outcomes, fields }: ExpectationsView): Html {
  return html`<section class="card" aria-labelledby="add-title">
<h2 id="add-title">Add one</h2>
<form class="stack" method="post" action="${action}">
<div class="form-row">
${renderSelect({ name: 'flow', label: 'For the next', value: fields.flow, options: flows.map((flow) => ({ value: flow, label: flow })) })}
${renderTextField({ name: 'persona', label: 'Persona', value: fields.persona, list: 'persona-names', hint: 'For use and create. Left empty, adult-passport when one is needed.' })}
${renderTextField({ name: 'outcome', label: 'Outcome', value: fields.outcome, list: 'outcome-names', hint: 'Left empty, the usual one.' })}
${renderTextField({ name: 'times', label: 'How many requests', value: fields.times ?? '1' })}
</div>
<fieldset class="form-row"><legend>Only for a request with</legend>
${renderTextField({ name: 'client_id', label: 'client_id', value: fields.client_id })}
${renderTextField({ name: 'state', label: 'state', value: fields.state })}
${renderTextField({ name: 'nonce', label: 'nonce', value: fields.nonce })}
</fieldset>
<div class="button-row"><button class="primary" data-testid="add">Add</button></div>
${renderSuggestions('persona-names', personas)}
${renderSuggestions('outcome-names', outcomes)}
</form>
</section>`
}
