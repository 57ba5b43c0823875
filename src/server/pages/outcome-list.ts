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
 * The section "Force an ending". There are too many endings for the page: a script loads them into
 * the form when the section opens; without scripts a link leads to their own page.
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

/** Says why the outcomes of later calls are missing, and where to enter the control token. */
function renderDrivingBar(
  { by, consolePath }: NonNullable<WaitingPage['drivingBar']>,
  page: WaitingPage,
  t: Translate,
): Html {
  if (by === 'frame')
    return html`<p class="notice" data-testid="driving-bar">${t('driving.frame')}</p>`
  // A form, not a link: after a navigation from another site, a reload does not send the cookie of
  // the console.
  return html`<form class="notice" method="post" action="${page.path}/continue#endings-title" data-testid="driving-bar">${renderPendingFields(page)}
<p>${t('driving.token')} <a href="${consolePath}" target="_blank" rel="noopener">${t('driving.signIn')} <span class="unseen">(${t('choose.newTab')})</span></a></p>
<button class="secondary" data-testid="driving-again">${t('driving.again')}</button>
</form>`
}

/** The outcomes for which the page has a button with this test id. */
const OWN_BUTTONS = ['code_issued', 'request_uri.expired']

/**
 * The outcomes that can be forced on a request: those of its flow and, for a visitor who may drive
 * the sandbox, those of the later calls.
 */
const forcibleOutcomes = ({ transaction, drivingBar }: WaitingPage): readonly Outcome[] =>
  outcomesFor(transaction.flow).filter(
    ({ flow }) =>
      flow === transaction.flow ||
      (drivingBar === undefined && (flow === 'token' || flow === 'upgrade')),
  )

/** What this request lacks for an outcome: `scope svc.upgrade`. */
function whatIsMissing(
  outcome: Outcome,
  { transaction, earlier, brand }: WaitingPage,
): string | undefined {
  const need = unmetNeed(outcome, transaction, earlier)
  return need && needInWords(need, upgradeScope(brand))
}

/**
 * A button per outcome, and an optional persona by name. The list has its own form, because Enter
 * in a text field presses the first button of its form. The form posts `transaction`,
 * `with_persona` and `outcome`.
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

/** A list of the names of personas, for suggestions. */
const MAX_SUGGESTED = 100

const ENDINGS = 'Endings'

const PREFIX_TITLES: Readonly<Record<string, string>> = {
  id_token: 'ID token',
  callback: 'Callback',
}

/** The group of an outcome: its call or, for an ending of the flow, its name up to the last dot. */
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
 * A correct relying party accepts some outcomes, which their buttons say: control cases and the
 * usual endings.
 */
function renderOutcome(outcome: Outcome, page: WaitingPage, t: Translate): Html {
  const { name, summary, correctClient } = outcome
  const missing = whatIsMissing(outcome, page)
  const own = ownOn(t)
  return html`<li><button class="row boxed wide" name="outcome" value="${name}"${!OWN_BUTTONS.includes(name) && html` data-testid="outcome-${name}"`}${missing !== undefined && html` disabled`}><code>${name}</code> ${correctClient === 'accept' && html`<b class="tag yes"${own}>${t('ending.accept')}</b> `}${missing !== undefined && html`<b class="tag no"${own}>${t('choose.needs', { what: missing })}</b> `}<span>${summary}</span></button></li>`
}

/** A button for an outcome, with the name of the outcome or with what the request lacks. */
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
