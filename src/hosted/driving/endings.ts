import { grouped } from '../../http/html/elements.ts'
import { renderListFilter } from '../../http/html/fields.ts'
import { type Html, html } from '../../http/html/html.ts'
import { englishOn, type Translate } from '../../http/html/messages.ts'
import { FALLBACK_PERSONAS } from '../../sandbox/decision/decide.ts'
import { unmetNeed } from '../../sandbox/decision/possible-outcome.ts'
import { outcomesFor } from '../../sandbox/outcomes/catalogue.ts'
import type { Outcome, OutcomeFlow } from '../../sandbox/outcomes/outcome.ts'
import { renderPendingFields, type WaitingPage } from '../waiting-page.ts'
import type { DrivingBar } from './driving-bar.ts'

/** The step of the clock: one second more than the lifetime of a `request_uri` (specification, "Limits"). */
const STEP_SECONDS = 91

/**
 * The section "Force an ending": the clock, a button per outcome, and an optional persona by name. It is open after the clock
 * was moved, else closed.
 *
 * The outcomes have a form of their own, because Enter in a text field presses the first button of its form. It posts
 * `transaction`, `with_persona` and `outcome`.
 */
export function renderEndingForm(page: WaitingPage, t: Translate): Html {
  const outcomes = outcomesOf(page)
  return html`<details class="card endings" data-passkey${page.clockMoved && html` open`}>
<summary><h2 id="endings-title">${t('ending.title')}</h2> <span class="count">${outcomes.length}</span></summary>
<p class="muted">${t('ending.lead')}</p>
${page.drivingBar === undefined ? renderClockForm(page, t) : renderDrivingBar(page.drivingBar, page, t)}
<form id="endings" method="post" action="${page.path}/choice">${renderPendingFields(page)}
<div class="field">
<label for="with-persona">${t('ending.persona')}</label>
<input id="with-persona" name="with_persona" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="with-persona-hint">
<p class="hint" id="with-persona-hint">${t('ending.persona.hint', { persona: FALLBACK_PERSONAS[page.transaction.flow] })}</p>
</div>
${renderListFilter({ list: 'outcome-list', label: t('ending.filter') })}
<div id="outcome-list"${englishOn(t)} dir="ltr">
${grouped(outcomes, groupTitle).map(
  ([title, members]) => html`<section><h3>${title}</h3>
<ul class="outcomes">
${members.map((outcome) => renderOutcome(outcome, t))}</ul></section>
`,
)}</div>
</form>
</details>`
}

/** A button that moves the clock while the request waits: it posts `advance`. */
function renderClockForm(page: WaitingPage, t: Translate): Html {
  const time = new Date(page.now).toISOString().replace(/\.\d+Z$/, 'Z')
  return html`<form class="clock" method="post" action="${page.path}/clock#endings-title">${renderPendingFields(page)}
<p><strong>${t('clock.title')}</strong> <code data-testid="sandbox-time">${time}</code></p>
<button class="secondary" name="advance" value="${STEP_SECONDS}" data-testid="advance" aria-describedby="clock-hint">${t('clock.advance', { seconds: STEP_SECONDS })}</button>
<p class="hint" id="clock-hint">${t('clock.hint')}</p>
</form>`
}

/** Says why the clock and the outcomes of later calls are missing, and where the control token is asked for. */
function renderDrivingBar({ by, consolePath }: DrivingBar, page: WaitingPage, t: Translate): Html {
  if (by === 'frame') return html`<p class="notice" data-testid="driving-bar">${t('driving.frame')}</p>`
  // A form, because a browser that came from another site sends the cookie of the console with none of its reloads.
  return html`<form class="clock" method="post" action="${page.path}/continue#endings-title" data-testid="driving-bar">${renderPendingFields(page)}
<p>${t('driving.token')} <a href="${consolePath}/clock" target="_blank" rel="noopener">${t('driving.signIn')} <span class="unseen">(${t('choose.newTab')})</span></a></p>
<button class="secondary" data-testid="driving-again">${t('driving.again')}</button>
</form>`
}

/** The outcome that the page offers as a button of its own, so that it stands on the page once. */
export const CODE_BUTTON = 'code_issued'

/**
 * The outcomes that are possible for this request: those of its own flow, and those of the calls that follow its code for a
 * visitor that may drive the sandbox.
 */
function outcomesOf({ transaction, drivingBar, earlier }: WaitingPage): readonly Outcome[] {
  const leadsToUpgrade = drivingBar === undefined && transaction.flow === 'use' && transaction.upgrade
  return outcomesFor(transaction.flow).filter((outcome) => {
    const isOffered =
      outcome.flow === transaction.flow || (leadsToUpgrade && (outcome.flow === 'token' || outcome.flow === 'upgrade'))
    return isOffered && outcome.name !== CODE_BUTTON && !unmetNeed(outcome, transaction, { earlier })
  })
}

const CALL_TITLES: Readonly<Record<OutcomeFlow, string>> = {
  use: 'Endings',
  create: 'Endings',
  par: 'PAR (E2)',
  token: 'Token (E4)',
  upgrade: 'Upgrade (E5)',
  discovery: 'Discovery (E6)',
  jwks: 'Key set (E6)',
}
const PREFIX_TITLES: Readonly<Record<string, string>> = { id_token: 'ID token', callback: 'Callback' }

/** The call that an outcome concerns or, for the endings of a flow, what stands before the last dot of its name. */
function groupTitle({ flow, name }: Outcome): string {
  const dot = name.lastIndexOf('.')
  if (dot < 0 || CALL_TITLES[flow] !== 'Endings') return CALL_TITLES[flow]
  const [prefix = '', ...rest] = name.slice(0, dot).split('.')
  return [PREFIX_TITLES[prefix] ?? prefix, ...rest].join(': ')
}

/** A correct relying party accepts some outcomes: control cases and the usual endings. Their buttons say so. */
function renderOutcome({ name, summary, correctClient }: Outcome, t: Translate): Html {
  return html`<li><button name="outcome" value="${name}" data-testid="outcome-${name}"><code>${name}</code> ${correctClient === 'accept' && html`<b${englishOn(t) && html` lang="${t.lang}"`}>${t('ending.accept')}</b> `}${summary}</button></li>`
}
