import type { Evaluation } from '../age/evaluate.ts'
import type { ThresholdTrace } from '../age/trace.ts'
import { grouped } from '../http/html/grouped.ts'
import { type Html, html } from '../http/html/html.ts'
import { renderListFilter } from '../http/html/list-filter.ts'
import { englishOn, type MessageKey, type Translate } from '../http/html/messages.ts'
import { groupOf, type Persona, type PersonaGroup } from '../sandbox/personas/persona-schema.ts'
import { reasoningLines } from './reasoning.ts'

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
const MAX_ANSWERS = 8

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
<span class="answers">${evaluation ? renderAnswers(evaluation.trace, t) : renderNoAgeKey(canCreate, t)}</span>
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
function renderAnswers(trace: readonly ThresholdTrace[], t: Translate): readonly Html[] {
  const shown = trace
    .slice(0, MAX_ANSWERS)
    .map(({ threshold, satisfied }) =>
      satisfied
        ? html`<b>${t('persona.yes', { threshold })}</b> `
        : html`<b class="no">${t('persona.no', { threshold })}</b> `,
    )
  return trace.length > MAX_ANSWERS ? [...shown, html`<b class="none">…</b>`] : shown
}

function renderNoAgeKey(canCreate: boolean, t: Translate): Html {
  return html`<b class="none">${t(canCreate ? 'persona.none.create' : 'persona.none.decline')}</b>`
}
