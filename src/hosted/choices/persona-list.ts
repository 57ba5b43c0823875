import { grouped } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { MessageKey, Translate } from '../../http/html/messages.ts'
import { groupOf, type PersonaGroup } from '../../sandbox/personas/persona-schema.ts'
import { renderListFilter } from './list-filter.ts'
import { type PersonaChoice, type RowContext, renderPersonaRow } from './persona-row.ts'
import { divideChoices } from './usual-personas.ts'

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
 * One button per persona; pressing it submits the surrounding form with `persona=NAME`. The usual personas and the last used one are
 * visible, all others folded by group. Scripts add a search and keys, which can be switched off (WCAG 2.1.4).
 */
export function renderPersonaList(choices: readonly PersonaChoice[], row: RowContext, t: Translate): Html {
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
