import { groupOf, type Persona, type PersonaGroup } from '../../sandbox/personas/persona-schema.ts'
import type { AgeThresholds, BriefEvaluation, BriefReason } from '../../service/age/evaluate.ts'
import { grouped } from '../http/html/elements.ts'
import { type Html, html } from '../http/html/html.ts'
import { englishOn, type MessageKey, type Translate } from '../http/html/messages.ts'
import { renderListFilter } from './waiting-page.ts'

const GROUPS = {
  Adults: 'adults',
  Minors: 'minors',
  Birthdays: 'birthdays',
  Methods: 'methods',
  Assurance: 'assurance',
  'Edge cases': 'edge',
  Own: 'own',
} as const satisfies Readonly<Record<PersonaGroup, string>>

/**
 * Renders a button for each persona, which submits the surrounding form with `persona=NAME`. The
 * usual personas and the last used one are visible; all others are folded by group. Scripts add a
 * search and single-key shortcuts, which the user can switch off (WCAG 2.1.4).
 */
export function renderPersonaList(
  choices: readonly PersonaChoice[],
  row: RowContext,
  t: Translate,
): Html {
  const { open, folded } = divideChoices(choices, row.last)
  const elsewhere = html`${t('find.ending')} <a href="#endings-title">${t('ending.title')}</a>`
  return html`<div class="row"><h2 id="personas-title">${t('choose.personas')}</h2>
${renderListFilter({ list: 'persona-list', label: t('choose.personas.filter'), testId: 'find-persona', elsewhere }, t)}</div>
<div id="persona-list">
<ul class="rows usual">
${open.map((choice) => renderPersonaRow(choice, row, t))}</ul>
<div class="groups">
${grouped(folded, ({ persona }) => groupOf(persona)).map(([group, members]) => {
  const key = GROUPS[group]
  const title: MessageKey = `group.${key}`
  return html`<details><summary data-testid="group-${key}">${t(title)} <span class="count">${members.length}</span></summary>
<ul class="rows">
${members.map((choice) => renderPersonaRow(choice, row, t))}</ul></details>
`
})}</div></div>
<p class="row spread hint keys" data-shortcuts="persona-list" hidden><span>${t('choose.keys', { count: open.length })}</span> <button type="button" data-other="${t('choose.keys.on')}">${t('choose.keys.off')}</button></p>`
}

/** A persona on the choice page, with the answers that this request would get. */
export interface PersonaChoice {
  readonly persona: Persona
  /** The answers; absent when the persona has no age key. */
  readonly evaluation?: BriefEvaluation
  /** Whether the persona differs from its declaration. */
  readonly isChanged?: boolean
}

/** The data that all rows share. */
export interface RowContext {
  /** The requested thresholds, in the order of the request. */
  readonly thresholds: readonly number[]
  readonly canCreate: boolean
  /**
   * The URL of the reasons; the name of the persona is appended:
   * `/v1/oidc/use/why?transaction=...&persona=`.
   */
  readonly whyPath: string
  /** The persona that this browser used last. */
  readonly last: string | undefined
}

/**
 * Renders a row: a button with title, name, answers and a short reason, and a link to all reasons,
 * which a script shows in place.
 */
function renderPersonaRow(
  { persona, evaluation, isChanged }: PersonaChoice,
  row: RowContext,
  t: Translate,
): Html {
  const { name, title, purpose } = persona
  const english = englishOn(t)
  const answers = evaluation
    ? renderAnswers(evaluation.ageThresholds, row.thresholds, t)
    : html`<b class="tag none">${t(row.canCreate ? 'persona.none.create' : 'persona.none.decline')}</b>`
  return html`<li><button name="persona" value="${name}" data-testid="persona-${name}"><b${english} title="${purpose}">${title}</b> <span class="row answers">${answers}</span> <span class="meta"><span><code>${name}</code>${name === row.last && html` <em class="tag">${t('persona.last')}</em>`}${isChanged && html` <em class="tag warn">${t('persona.changed')}</em>`}</span> <small>${reasonText(evaluation?.reason, t)}</small></span></button>${
    evaluation &&
    html`<a href="${row.whyPath}${name}" aria-label="${t('persona.why')}: ${name}">?</a>`
  }</li>
`
}

/** The short reason: `id_doc_scan: is 16, needs 18`. */
function reasonText(reason: BriefReason | undefined, t: Translate): string {
  if (!reason) return t('reason.none')
  const { method, age, isLeastAge, failed, needed } = reason
  if (failed.length > 0) return `${method}: ${t('reason.fails', { filters: failed.join(', ') })}`
  const reached = t(isLeastAge ? 'reason.least' : 'reason.is', { age })
  if (!needed) return `${method}: ${reached}`
  return `${method}: ${reached}, ${t(needed.byOverrides ? 'reason.overrides' : 'reason.needs', { age: needed.years })}`
}

/**
 * Renders the requested thresholds in two groups, reached and not reached: `13, 16 yes`, `18, 21
 * no`.
 */
function renderAnswers(
  answers: AgeThresholds,
  requested: readonly number[],
  t: Translate,
): readonly Html[] {
  const thresholds = [...new Set(requested)]
  const yes = thresholds.filter((threshold) => answers[threshold])
  const no = thresholds.filter((threshold) => !answers[threshold])
  return [
    ...(yes.length > 0
      ? [html`<b class="tag yes">${t('persona.yes', { threshold: shortList(yes) })}</b> `]
      : []),
    ...(no.length > 0
      ? [html`<b class="tag no">${t('persona.no', { threshold: shortList(no) })}</b>`]
      : []),
  ]
}

/**
 * Maximum number of thresholds in a group. A longer list is shortened to the first two and the
 * last; the page with the reasons lists all.
 */
const MAX_NAMED = 5

const shortList = (thresholds: readonly number[]): string =>
  (thresholds.length > MAX_NAMED
    ? [...thresholds.slice(0, 2), '…', ...thresholds.slice(-1)]
    : thresholds
  ).join(', ')

/**
 * Decision: the personas that the choice page shows unfolded. Together they answer yes, no and both
 * to the usual thresholds, include both sides of an 18th birthday, and include one persona without
 * an age key.
 */
export const USUAL_PERSONAS: readonly string[] = [
  'adult-passport',
  'teen-16',
  'child-12',
  'turned-18-today',
  'turns-18-tomorrow',
  'no-age-key',
]

/**
 * Divides the personas into visible and folded ones. The usual personas keep their places; the
 * persona that this browser used last follows. A sandbox without any usual persona shows its first
 * six.
 */
export function divideChoices(
  choices: readonly PersonaChoice[],
  last: string | undefined,
): { readonly open: readonly PersonaChoice[]; readonly folded: readonly PersonaChoice[] } {
  const find = (name: string) => choices.find(({ persona }) => persona.name === name)
  const known = USUAL_PERSONAS.flatMap((name) => find(name) ?? [])
  const usual = known.length > 0 ? known : choices.slice(0, USUAL_PERSONAS.length)
  const lastUsed = last === undefined ? undefined : find(last)
  const open = [...new Set([...usual, ...(lastUsed ? [lastUsed] : [])])]
  return { open, folded: choices.filter((choice) => !open.includes(choice)) }
}
