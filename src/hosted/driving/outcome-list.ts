import { grouped } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import { englishOn, type Translate } from '../../http/html/messages.ts'
import { headingOf } from '../../oidc/endpoints.ts'
import { unmetNeed } from '../../sandbox/decision/possible-outcome.ts'
import { outcomesFor } from '../../sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import { FALLBACK_PERSONAS } from '../../sandbox/personas/persona-order.ts'
import { renderListFilter } from '../choices/list-filter.ts'
import type { WaitingPage } from '../waiting-page.ts'

/** The outcome that the page offers as a button of its own, so that it stands on the page once. */
export const CODE_BUTTON = 'code_issued'

/**
 * The outcomes that are possible for this request: those of its own flow, and those of the calls that follow its code for a
 * visitor that may drive the sandbox.
 */
export function possibleOutcomes({ transaction, drivingBar, earlier }: WaitingPage): readonly Outcome[] {
  const leadsToUpgrade = drivingBar === undefined && transaction.flow === 'use' && transaction.upgrade
  return outcomesFor(transaction.flow).filter((outcome) => {
    const isOffered =
      outcome.flow === transaction.flow || (leadsToUpgrade && (outcome.flow === 'token' || outcome.flow === 'upgrade'))
    return isOffered && outcome.name !== CODE_BUTTON && !unmetNeed(outcome, transaction, { earlier })
  })
}

/**
 * A button per outcome, and an optional persona by name. It stands in a form of its own, because Enter in a text field presses
 * the first button of its form; that posts `transaction`, `with_persona` and `outcome`.
 */
export function renderOutcomeList(page: WaitingPage, t: Translate): Html {
  return html`<div data-part>
<div class="field">
<label for="with-persona">${t('ending.persona')}</label>
<input id="with-persona" name="with_persona" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="with-persona-hint">
<p class="hint" id="with-persona-hint">${t('ending.persona.hint', { persona: FALLBACK_PERSONAS[page.transaction.flow] })}</p>
</div>
${renderListFilter({ list: 'outcome-list', label: t('ending.filter'), testId: 'find-outcome' }, t)}
<div id="outcome-list"${englishOn(t)} dir="ltr">
${grouped(possibleOutcomes(page), groupTitle).map(
  ([title, members]) => html`<section><h3>${title}</h3>
<ul class="outcomes">
${members.map((outcome) => renderOutcome(outcome, t))}</ul></section>
`,
)}</div>
</div>`
}

const PREFIX_TITLES: Readonly<Record<string, string>> = { id_token: 'ID token', callback: 'Callback' }

/** The call that an outcome concerns or, for the endings of a flow, what stands before the last dot of its name. */
function groupTitle({ flow, name }: Outcome): string {
  if (flow !== 'use' && flow !== 'create') return headingOf(flow)
  const dot = name.lastIndexOf('.')
  if (dot < 0) return 'Endings'
  const [prefix = '', ...rest] = name.slice(0, dot).split('.')
  return [PREFIX_TITLES[prefix] ?? prefix, ...rest].join(': ')
}

/** A correct relying party accepts some outcomes: control cases and the usual endings. Their buttons say so. */
function renderOutcome({ name, summary, correctClient }: Outcome, t: Translate): Html {
  return html`<li><button name="outcome" value="${name}" data-testid="outcome-${name}"><code>${name}</code> ${correctClient === 'accept' && html`<b${englishOn(t) && html` lang="${t.lang}"`}>${t('ending.accept')}</b> `}${summary}</button></li>`
}
