import { grouped } from '../http/html/grouped.ts'
import { type Html, html } from '../http/html/html.ts'
import { renderListFilter } from '../http/html/list-filter.ts'
import { englishOn, type Translate } from '../http/html/messages.ts'
import { type ClockFormView, renderClockForm } from './clock-form.ts'
import { renderPendingFields } from './pending-fields.ts'

/** An ending that this request can have. */
export interface OutcomeOption {
  readonly name: string
  /** One sentence on what the relying party will see. */
  readonly summary: string
  readonly group?: string
  /** A correct relying party takes it: a control case, or a usual ending. */
  readonly mustBeAccepted?: boolean
}

/** What the section "Force an ending" of a hosted page needs. */
export interface EndingFormView extends ClockFormView {
  /** The path that takes the choice. */
  readonly action: string
  readonly outcomes: readonly OutcomeOption[]
  /** The persona that counts when none is written. */
  readonly defaultPersona: string
  /** The section is open: its clock was moved a moment ago. */
  readonly endingsOpen?: boolean
}

/**
 * A closed section with a button per outcome and an optional persona by name; nothing when there are no outcomes.
 * It is a form of its own, because Enter in a text field presses the first button of the form that the field is in.
 * It posts `transaction`, `with_persona` and `outcome`.
 */
export function renderEndingForm(view: EndingFormView, t: Translate): Html | false {
  if (view.outcomes.length === 0) return false
  return html`<details class="card endings"${view.endingsOpen && html` open`}>
<summary><h2 id="endings-title">${t('ending.title')}</h2> <span class="count">${view.outcomes.length}</span></summary>
<p class="muted">${t('ending.lead')}</p>
${renderClockForm(view, t)}
<form id="endings" method="post" action="${view.action}">${renderPendingFields(view)}
<div class="field">
<label for="with-persona">${t('ending.persona')}</label>
<input id="with-persona" name="with_persona" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="with-persona-hint">
<p class="hint" id="with-persona-hint">${t('ending.persona.hint', { persona: view.defaultPersona })}</p>
</div>
${renderListFilter({ list: 'outcome-list', label: t('ending.filter') })}
<div id="outcome-list"${englishOn(t)} dir="ltr">
${grouped(view.outcomes).map(
  ([group, outcomes]) => html`<section>${group !== undefined && html`<h3>${group}</h3>`}
<ul class="outcomes">
${outcomes.map((outcome) => renderOutcome(outcome, t))}</ul></section>
`,
)}</div>
</form>
</details>`
}

function renderOutcome({ name, summary, mustBeAccepted = false }: OutcomeOption, t: Translate): Html {
  return html`<li><button name="outcome" value="${name}" data-testid="outcome-${name}"><code>${name}</code> ${mustBeAccepted && html`<b${englishOn(t) && html` lang="${t.lang}"`}>${t('ending.accept')}</b> `}${summary}</button></li>`
}
