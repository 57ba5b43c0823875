import { unmetNeed } from '../../sandbox/decision/possible-outcome.ts'
import { outcomesFor } from '../../sandbox/outcomes/catalogue.ts'
import { needInWords, type Outcome } from '../../sandbox/outcomes/outcome.ts'
import { FALLBACK_PERSONAS } from '../../sandbox/personas/persona-schema.ts'
import { headingOf } from '../../service/oidc/endpoints.ts'
import { upgradeScope } from '../../service/oidc/rules/profile.ts'
import { grouped } from '../http/html/elements.ts'
import { renderSuggestions } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import { directionOf, englishOn, type Translate } from '../http/html/messages.ts'
import { endingsPath } from './form.ts'
import { renderListFilter, renderPendingFields, type WaitingPage } from './waiting-page.ts'
/**
 * Renders the section "Force an ending". The many endings are not part of the page: a script loads
 * them when the section opens. Without scripts a link leads to a page of their own.
 */
export function renderEndings(page: WaitingPage, t: Translate): Html {
  const count = forcibleOutcomes(page).length
  const { id: transaction, path, chosenLanguage, continued = false, embedding, drivingBar } = page
  const framed = embedding.framed || drivingBar?.by === 'frame'
  const address = endingsPath(path, { transaction, chosenLanguage, continued, framed })
  return html`<details class="card endings" data-load data-passkey>
<summary data-testid="endings"><h2 id="endings-title">${t('ending.title')}</h2> <span class="count">${count}</span></summary>
<p class="muted">${t('ending.lead')}</p>
${drivingBar && renderDrivingBar(drivingBar, page, t)}
<form id="endings" method="post" action="${path}/choice">${renderPendingFields(page)}<a class="target" href="${address}">${t('ending.all', { count })}</a></form>
</details>`
}

/** Explains why the outcomes of later calls are missing, and where to enter the control token. */
function renderDrivingBar(
  { by, consolePath }: NonNullable<WaitingPage['drivingBar']>,
  page: WaitingPage,
  t: Translate,
): Html {
  if (by === 'frame')
    return html`<p class="notice" data-testid="driving-bar">${t('driving.frame')}</p>`
  // A form, not a link: a page that was opened from another site is reloaded without the
  // `SameSite=Strict` cookie of the console.
  return html`<form class="notice" method="post" action="${page.path}/continue#endings-title" data-testid="driving-bar">${renderPendingFields(page)}
<p>${t('driving.token')} <a href="${consolePath}" target="_blank" rel="noopener">${t('driving.signIn')} <span class="unseen">(${t('choose.newTab')})</span></a></p>
<button class="secondary" data-testid="driving-again">${t('driving.again')}</button>
</form>`
}

/** The outcomes whose test id another button of the page has. */
const OWN_BUTTONS = ['code_issued', 'request_uri.expired']

/**
 * The outcomes that can be forced on a request: outcomes of its flow and, for a visitor who may
 * drive the sandbox, outcomes of later calls.
 */
const forcibleOutcomes = ({ transaction, drivingBar }: WaitingPage): readonly Outcome[] =>
  outcomesFor(transaction.flow).filter(
    ({ flow }) =>
      flow === transaction.flow ||
      (drivingBar === undefined && (flow === 'token' || flow === 'upgrade')),
  )

/** What the request lacks for an outcome: `scope svc.upgrade`. */
function whatIsMissing(
  outcome: Outcome,
  { transaction, earlier, brand }: WaitingPage,
): string | undefined {
  const need = unmetNeed(outcome, transaction, earlier)
  return need && needInWords(need, upgradeScope(brand))
}

/**
 * Renders a button for each outcome, and a field for an optional persona. The list has a form of
 * its own, because Enter in a text field presses the first button of its form. The form posts
 * `transaction`, `with_persona` and `outcome`.
 * @param personas names to suggest
 */
export function renderOutcomeList(
  page: WaitingPage,
  personas: readonly string[],
  t: Translate,
): Html {
  const groups = grouped(forcibleOutcomes(page), groupTitle)
  const plain = groups.find(([title]) => title === ENDINGS)
  const wrong = groups.filter((group) => group !== plain)
  const renderMembers = (members: readonly Outcome[]) => html`<ul class="outcomes">
${members.map((outcome) => renderOutcome(outcome, page, t))}</ul>`
  return html`<div data-part>
<div class="field">
<label for="with-persona">${t('ending.persona')}</label>
<input id="with-persona" name="with_persona" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="${FALLBACK_PERSONAS[page.transaction.flow]}" list="persona-names">
${renderSuggestions('persona-names', personas.slice(0, MAX_SUGGESTED))}
</div>
${renderListFilter({ list: 'outcome-list', label: t('ending.filter'), testId: 'find-outcome' }, t)}
<div id="outcome-list"${englishOn(t)}>
${plain && html`<section>${renderMembers(plain[1])}</section>`}
<div class="wrong"><h3${ownOn(t)}>${t('ending.more')}</h3>
${wrong.map(
  ([
    title,
    members,
  ]) => html`<details><summary>${title} <span class="count">${members.length}</span></summary>
${renderMembers(members)}</details>
`,
)}</div></div>
</div>`
}

/** Maximum number of persona names to suggest. */
const MAX_SUGGESTED = 100

const ENDINGS = 'Endings'

const PREFIX_TITLES: Readonly<Record<string, string>> = {
  id_token: 'ID token',
  callback: 'Callback',
}

/**
 * The title of an outcome's group: its call or, for an ending of the flow, its name up to the last
 * dot.
 */
function groupTitle({ flow, name }: Outcome): string {
  if (flow !== 'use' && flow !== 'create') return headingOf(flow)
  const dot = name.lastIndexOf('.')
  if (dot < 0) return ENDINGS
  const [prefix = '', ...rest] = name.slice(0, dot).split('.')
  return [PREFIX_TITLES[prefix] ?? prefix, ...rest].join(': ')
}

/** The attributes of a translated text within English text. */
const ownOn = (t: Translate): Html | false =>
  englishOn(t) && html` lang="${t.lang}" dir="${directionOf(t.lang)}"`

/**
 * Renders the button of an outcome. A label marks the outcomes that a correct relying party
 * accepts: control cases and the usual endings.
 */
function renderOutcome(outcome: Outcome, page: WaitingPage, t: Translate): Html {
  const { name, summary, correctClient } = outcome
  const missing = whatIsMissing(outcome, page)
  const own = ownOn(t)
  return html`<li><button class="row boxed wide" name="outcome" value="${name}"${!OWN_BUTTONS.includes(name) && html` data-testid="outcome-${name}"`}${missing !== undefined && html` disabled`}><code>${name}</code> ${correctClient === 'accept' && html`<b class="tag yes"${own}>${t('ending.accept')}</b> `}${missing !== undefined && html`<b class="tag no"${own}>${t('choose.needs', { what: missing })}</b> `}<span>${summary}</span></button></li>`
}

/**
 * Renders a button with the name of its outcome and, if the outcome is not possible, what the
 * request lacks.
 */
export function renderOutcomeButton(
  name: string,
  page: WaitingPage,
  {
    label,
    testId,
    isPrimary = false,
  }: { readonly label: string; readonly testId?: string; readonly isPrimary?: boolean },
  t: Translate,
): Html {
  const outcome = outcomesFor(page.transaction.flow).find((one) => one.name === name)
  const missing = outcome && whatIsMissing(outcome, page)
  return html`<button class="${isPrimary ? 'primary' : 'secondary'}" name="outcome" value="${name}" data-testid="${testId ?? `outcome-${name}`}"${missing !== undefined && html` disabled`}><span>${label}</span> <small><code>${name}</code>${missing !== undefined && html` <span>${t('choose.needs', { what: missing })}</span>`}</small></button>`
}
