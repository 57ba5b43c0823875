import type { AgeThresholds } from '../../age/evaluate.ts'
import { grouped } from '../../http/html/elements.ts'
import { renderListFilter } from '../../http/html/fields.ts'
import { type Html, html } from '../../http/html/html.ts'
import { englishOn, type MessageKey, type Translate } from '../../http/html/messages.ts'
import { groupOf, type Persona, type PersonaGroup } from '../../sandbox/personas/persona-schema.ts'

/** A persona that the user may choose, and the answers that this request would get. */
export interface PersonaChoice {
  readonly persona: Persona
  /** Absent when the persona has no age key. */
  readonly ageThresholds?: AgeThresholds
}

/** What the list says beside the personas. */
interface ListedFor {
  /** The requested thresholds, in the order of the request. */
  readonly thresholds: readonly number[]
  readonly canCreate: boolean
  /** Where the reasons are shown, but for the name of the persona: `/v1/oidc/use/why?transaction=...&persona=`. */
  readonly whyPath: string
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

/** Answers on one card, as many as the live service takes thresholds: more of them would make the page too heavy. */
const MAX_ANSWERS = 5

/**
 * One button per persona; pressing it submits the surrounding form with `persona=NAME`. Scripts add a filter and the number
 * keys, which can be switched off (WCAG 2.1.4). Reasons are worked out when they are opened: a script fetches them, a link without.
 */
export function renderPersonaList(choices: readonly PersonaChoice[], listed: ListedFor, t: Translate): Html {
  return html`<div class="tools">${renderListFilter({ list: 'persona-list', label: t('choose.personas.filter') })}
<p class="keys" data-shortcuts="persona-list" hidden><label><input type="checkbox" checked> ${t('choose.keys')}</label></p></div>
<div id="persona-list">
${grouped(choices, ({ persona }) => groupOf(persona)).map(
  ([group, members]) => html`<section><h3>${t(GROUP_TITLES[group])}</h3>
<ul class="personas">
${members.map((choice) => renderChoice(choice, listed, t))}</ul></section>
`,
)}</div>`
}

function renderChoice({ persona, ageThresholds }: PersonaChoice, listed: ListedFor, t: Translate): Html {
  const { name, title, purpose } = persona
  return html`<li><button name="persona" value="${name}" data-testid="persona-${name}">
<strong${englishOn(t)}>${title}</strong> <code>${name}</code>
<span class="purpose"${englishOn(t)}>${purpose}</span>
<span class="answers">${ageThresholds ? renderAnswers(ageThresholds, listed.thresholds, t) : renderNoAgeKey(listed.canCreate, t)}</span></button>
${
  ageThresholds &&
  html`<details data-why><summary>${t('persona.why')}</summary><a href="${listed.whyPath}${name}">${t('persona.why')}</a></details>`
}</li>`
}

/** One answer per requested threshold, in the order of the request. */
function renderAnswers(ageThresholds: AgeThresholds, requested: readonly number[], t: Translate): readonly Html[] {
  const thresholds = [...new Set(requested)]
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
