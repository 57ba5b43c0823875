import type { Evaluation } from '../age/evaluate.ts'
import type { SignalTrace, ThresholdTrace } from '../age/trace.ts'
import { grouped } from '../http/html/elements.ts'
import { renderListFilter } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import { englishOn, type MessageKey, type Translate } from '../http/html/messages.ts'
import { groupOf, type Persona, type PersonaGroup } from '../sandbox/personas/persona-schema.ts'

/** A persona that the user may choose, and the answers that this request would get. */
export interface PersonaChoice {
  readonly persona: Persona
  /** Absent when the persona has no age key. */
  readonly evaluation?: Evaluation
}

const GROUP_TITLES: Readonly<Record<PersonaGroup, MessageKey>> = {
  Adults: 'group.adults',
  Minors: 'group.minors',
  Birthdays: 'group.birthdays',
  Methods: 'group.methods',
  Assurance: 'group.assurance',
  'Edge cases': 'group.edge',
  Own: 'group.own',
}

/** Answers on one card: with more of them the card is longer than the screen and the page is too heavy. */
const MAX_ANSWERS = 6

/**
 * One button per persona; pressing it submits the surrounding form with `persona=NAME`. Scripts add a filter and the number
 * keys, which can be switched off (WCAG 2.1.4).
 */
export function renderPersonaList(choices: readonly PersonaChoice[], canCreate: boolean, t: Translate): Html {
  return html`<div class="tools">${renderListFilter({ list: 'persona-list', label: t('choose.personas.filter') })}
<p class="keys" data-shortcuts="persona-list" hidden><label><input type="checkbox" checked> ${t('choose.keys')}</label></p></div>
<div id="persona-list">
${grouped(choices, ({ persona }) => groupOf(persona)).map(
  ([group, members]) => html`<section><h3>${t(GROUP_TITLES[group])}</h3>
<ul class="personas">
${members.map((choice) => renderChoice(choice, canCreate, t))}</ul></section>
`,
)}</div>`
}

function renderChoice({ persona, evaluation }: PersonaChoice, canCreate: boolean, t: Translate): Html {
  const { name, title, purpose } = persona
  return html`<li>
<button class="persona" name="persona" value="${name}" data-testid="persona-${name}">
<strong${englishOn(t)}>${title}</strong> <code>${name}</code>
<span class="purpose"${englishOn(t)}>${purpose}</span>
<span class="answers">${evaluation ? renderAnswers(evaluation, t) : renderNoAgeKey(canCreate, t)}</span>
</button>
${
  evaluation &&
  html`<details>
<summary>${t('persona.why')}</summary>
<ul${englishOn(t)}>${reasoningLines(evaluation.trace).map((line) => html`<li>${line}</li>`)}</ul>
</details>`
}
</li>
`
}

/** One answer per requested threshold, in the order of the request. */
function renderAnswers({ ageThresholds, trace }: Evaluation, t: Translate): readonly Html[] {
  const thresholds = [...new Set(trace.map(({ threshold }) => threshold))]
  const shown = thresholds
    .slice(0, MAX_ANSWERS)
    .map((threshold) =>
      ageThresholds[threshold]
        ? html`<b>${t('persona.yes', { threshold })}</b> `
        : html`<b class="no">${t('persona.no', { threshold })}</b> `,
    )
  return thresholds.length > MAX_ANSWERS ? [...shown, html`<b class="none">…</b>`] : shown
}

function renderNoAgeKey(canCreate: boolean, t: Translate): Html {
  return html`<b class="none">${t(canCreate ? 'persona.none.create' : 'persona.none.decline')}</b>`
}

/** Characters of one reason: it repeats the patterns of the request, which may be long lists. */
const MAX_REASON_LENGTH = 240

/** Lines for one persona: a page has many personas, and a request may name a hundred ages. */
const MAX_LINES = 12

/**
 * A trace as lines of text, one for each threshold and signal: `18: no. facial_age_estimation: needs 21 by
 * overrides.facial_age_estimation.min_age, has 19`. Thresholds with the same reason share a line that names the nearest
 * required age: `18, 21: no. id_doc_scan: needs 18, has 16`.
 */
export function reasoningLines(trace: readonly ThresholdTrace[]): string[] {
  const groups = new Map<string, { readonly thresholds: number[]; readonly signal: SignalTrace }>()
  for (const { threshold, signals } of trace) {
    for (const signal of signals) {
      const key = `${signal.passed} ${signal.method} ${reasonOf(signal)}`
      const group = groups.get(key)
      if (group) group.thresholds.push(threshold)
      else groups.set(key, { thresholds: [threshold], signal })
    }
  }
  const lines = [...groups.values()].map(({ thresholds, signal }) => {
    const nearest = signal.passed ? Math.max(...thresholds) : Math.min(...thresholds)
    const reason = reasonOf(signal).replaceAll(NEEDED, `needs ${nearest}`)
    return `${listed(thresholds)}: ${signal.passed ? 'yes' : 'no'}. ${signal.method}: ${reason}`
  })
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), '…'] : lines
}

/** A list of thresholds; a long one is shortened in the middle, because the answers beside it name each threshold. */
const listed = (thresholds: readonly number[]): string =>
  (thresholds.length > 8 ? [...thresholds.slice(0, 6), '…', ...thresholds.slice(-1)] : thresholds).join(', ')

/** Marks the place of the required age in a reason, when the threshold alone requires it. */
const NEEDED = '\u0000'
const BY_THE_THRESHOLD = /needs \d+ by age_thresholds\[\d+\]/

/** The reasons of all failed checks; when none failed, the reason of the age, which is the last check. */
function reasonOf({ checks }: SignalTrace): string {
  const failed = checks.filter((check) => !check.passed)
  const decisive = failed.length > 0 ? failed : checks.slice(-1)
  const text = decisive.map(({ reason }) => reason.replace(BY_THE_THRESHOLD, NEEDED)).join('; ')
  return text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH)}…` : text
}
