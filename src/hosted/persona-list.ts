import { grouped } from '../http/html/grouped.ts'
import { type Html, html } from '../http/html/html.ts'
import { renderListFilter } from '../http/html/list-filter.ts'
import { englishOn, type MessageKey, type Translate } from '../http/html/messages.ts'

/** A test user on the choice page, with the answers that this request would get. */
export interface PersonaView {
  readonly name: string
  readonly title: string
  /** What the persona is for, in a sentence. */
  readonly purpose: string
  readonly group?: string
  readonly hasAgeKey: boolean
  /** One per requested threshold, in the order of the request; empty without an age key. */
  readonly answers: readonly { readonly threshold: number; readonly satisfied: boolean }[]
  /** The trace of the evaluation, a line each. */
  readonly reasoning?: readonly string[]
}

const GROUP_TITLES: Readonly<Record<string, MessageKey>> = {
  Adults: 'group.adults',
  Minors: 'group.minors',
  Birthdays: 'group.birthdays',
  Methods: 'group.methods',
  Assurance: 'group.assurance',
  'Edge cases': 'group.edge',
  Own: 'group.own',
}

/**
 * One button per persona; pressing it submits the surrounding form with `persona=NAME`. Scripts add a filter and the number
 * keys, which can be switched off (WCAG 2.1.4).
 */
export function renderPersonaList(personas: readonly PersonaView[], canCreate: boolean, t: Translate): Html {
  return html`<div class="tools">${renderListFilter({ list: 'persona-list', label: t('choose.personas.filter') })}
<p class="keys" data-shortcuts="persona-list" hidden><label><input type="checkbox" checked> ${t('choose.keys')}</label></p></div>
<div id="persona-list">
${grouped(personas).map(
  ([group, members]) => html`<section>${group !== undefined && html`<h3>${titleOf(group, t)}</h3>`}
<ul class="personas">
${members.map((persona) => renderPersona(persona, canCreate, t))}</ul></section>
`,
)}</div>`
}

function titleOf(group: string, t: Translate): string {
  const key = Object.hasOwn(GROUP_TITLES, group) ? GROUP_TITLES[group] : undefined
  return key === undefined ? group : t(key)
}

function renderPersona(persona: PersonaView, canCreate: boolean, t: Translate): Html {
  const { name, title, purpose, reasoning = [] } = persona
  return html`<li>
<button class="persona" name="persona" value="${name}" data-testid="persona-${name}">
<strong${englishOn(t)}>${title}</strong> <code>${name}</code>
<span class="purpose"${englishOn(t)}>${purpose}</span>
<span class="answers">${persona.hasAgeKey ? renderAnswers(persona, t) : renderNoAgeKey(canCreate, t)}</span>
</button>
${
  reasoning.length > 0 &&
  html`<details>
<summary>${t('persona.why')}</summary>
<ul${englishOn(t)}>${reasoning.map((line) => html`<li>${line}</li>`)}</ul>
</details>`
}
</li>
`
}

/** Answers on one card: beyond them it would be longer than the screen, and the page heavier than it may be. */
const MOST_ANSWERS = 8

function renderAnswers({ answers }: PersonaView, t: Translate): readonly Html[] {
  const shown = answers
    .slice(0, MOST_ANSWERS)
    .map(({ threshold, satisfied }) =>
      satisfied
        ? html`<b>${t('persona.yes', { threshold })}</b> `
        : html`<b class="no">${t('persona.no', { threshold })}</b> `,
    )
  return answers.length > MOST_ANSWERS ? [...shown, html`<b class="none">…</b>`] : shown
}

function renderNoAgeKey(canCreate: boolean, t: Translate): Html {
  return html`<b class="none">${t(canCreate ? 'persona.none.create' : 'persona.none.decline')}</b>`
}
