import { onDemand } from '../../sandbox/files/on-demand.ts'
import { requirePersona } from '../../sandbox/outcomes/names.ts'
import {
  groupOf,
  inPersonaOrder,
  PERSONA_GROUPS,
  type Persona,
} from '../../sandbox/personas/persona-schema.ts'
import { type ConsoleFrame, renderConsolePage } from '../../server/http/console-page.ts'
import { contains } from '../../server/http/form.ts'
import {
  counted,
  grouped,
  renderFoldedTable,
  renderInstant,
  renderSnippet,
  type TableRow,
} from '../../server/http/html/elements.ts'
import { filterOptions, renderSelect, renderTextField } from '../../server/http/html/fields.ts'
import { type Html, html } from '../../server/http/html/html.ts'
import type { RenderedPage } from '../../server/http/html/layout.ts'
import { actingCookies } from '../../server/http/requested-decision.ts'
import type { ActResult, ConsoleCall, ConsoleRoute } from './console-route.ts'
import { pageOf, renderPaging } from './list-page.ts'

/** `console/personas`: every persona with its age key, and a button to act as the persona. */
export const personasPage: ConsoleRoute = { name: 'personas', render: renderList, act: actAs }

/**
 * Maximum number of personas on one page, and of characters of YAML in a row: a persona may hold
 * fifty signals.
 */
const MAX_SHOWN = 60
const MAX_YAML = 3_000

const loadYaml = onDemand(() => import('../../sandbox/personas/persona-files.ts'))

async function renderList({ tenant, frame, fields, problem }: ConsoleCall): Promise<RenderedPage> {
  const { personaYaml } = await loadYaml()
  const all = inPersonaOrder(await tenant.personas.list())
  const changed = await tenant.personas.changed()
  const { q: search = '', group = '', acting: name } = fields
  const found = all.filter(
    (persona) =>
      (group === '' || groupOf(persona) === group) &&
      contains(search, [persona.name, persona.title, persona.purpose]),
  )
  const { items, next } = pageOf(found, {
    fields,
    limit: MAX_SHOWN,
    idOf: (persona) => persona.name,
  })
  const rows = items.map((persona) => {
    const yaml = personaYaml(persona)
    const isChanged = changed.includes(persona.name)
    return {
      persona: tenant.personas.resolved(persona),
      isChanged,
      ...(yaml.length <= MAX_YAML && { yaml }),
    }
  })
  const acting = all.find((persona) => persona.name === name)?.name
  return renderPersonas(frame, rows, { total: found.length, next, search, group, acting, problem })
}

async function actAs({ tenant, fields }: ConsoleCall): Promise<ActResult> {
  const { persona } = fields
  if (persona === undefined) return { cookies: actingCookies({}, tenant) }
  const { name } = await requirePersona(persona, { personas: tenant.personas })
  return { cookies: actingCookies({ persona: name }, tenant), query: { acting: name } }
}

interface PersonaRow {
  /** The persona with its relative dates resolved. */
  readonly persona: Persona
  /** Whether the persona differs from its declaration. */
  readonly isChanged?: boolean
  /** The YAML of the persona; absent when it is long. */
  readonly yaml?: string
}

interface PersonaList {
  /** The number of personas that match the filter. */
  readonly total: number
  /** The last name on this page, if more follow. */
  readonly next: string | undefined
  readonly search: string
  readonly group: string
  /** The persona that this browser acts as since the last form. */
  readonly acting?: string | undefined
  readonly problem?: string | undefined
}

/**
 * Renders a row for each persona, in groups. A group is open when the list is filtered, or when it
 * contains a changed persona.
 */
export function renderPersonas(
  frame: ConsoleFrame,
  rows: readonly PersonaRow[],
  { total, next, search, group, acting, problem }: PersonaList,
): RenderedPage {
  const isActing = frame.status.modes.some(({ id }) => id === 'acting')
  return renderConsolePage(frame, {
    title: 'Personas',
    current: 'personas',
    lead: html`The test users, and what each one’s age key says today by the clock of the sandbox.`,
    problem,
    scripts: ['copy.js'],
    body: html`<section class="card" aria-labelledby="list-title">
<div class="row spread"><h2 id="list-title">${counted(total, 'persona')}</h2>
<form class="row" method="get">
${renderSelect({ name: 'group', label: 'Group', value: group, options: filterOptions(PERSONA_GROUPS) })}
${renderTextField({ name: 'q', label: 'Find', value: search })}
<button class="secondary">Show</button>
</form>
${isActing && html`<form method="post" action="${frame.consolePath}/personas"><button class="secondary" name="persona" value="" data-testid="stop-acting">Stop acting</button></form>`}</div>
${
  acting !== undefined &&
  html`<p class="notice" role="status" data-testid="acting">This browser now is <code>${acting}</code> in every flow that nothing stronger decides.</p>`
}
${renderPaging({ shown: rows.length, total, next }, { q: search, group })}
${rows.length === 0 && html`<p class="notice muted">No persona matches this filter.</p>`}
${grouped(rows, ({ persona }) => groupOf(persona)).map(([title, members]) => {
  const isOpen = search !== '' || group !== '' || members.some(({ isChanged }) => isChanged)
  return renderFoldedTable({
    title,
    columns: COLUMNS,
    rows: members.map((row) => rowOf(row, frame)),
    isOpen,
  })
})}
</section>`,
  })
}

const COLUMNS = ['Persona', 'Its age key; open for YAML', 'What it is for', 'Use it']

function rowOf(
  { persona, isChanged, yaml }: PersonaRow,
  { consolePath, controlPath }: ConsoleFrame,
): TableRow {
  const { name, title, purpose, age_key: ageKey } = persona
  const playground = `${consolePath}/playground?${new URLSearchParams({ persona: name, q: name })}`
  return {
    id: name,
    testId: `persona-${name}`,
    cells: [
      html`<code>${name}</code>${isChanged && html` <span class="tag warn">changed</span>`} <span class="line muted">${title}</span>`,
      html`<details class="reason"><summary><span>${ageKey === undefined ? 'No age key' : renderSignals(ageKey.signals)}</span></summary>${
        yaml === undefined
          ? html`<p>It is long: <a href="${controlPath}/personas/${name}">read it as JSON</a>.</p>`
          : renderSnippet(yaml.trimEnd())
      }</details>`,
      purpose,
      html`<div class="row"><form method="post" action="${consolePath}/personas"><button class="quiet" name="persona" value="${name}" aria-label="Act as ${title}">Act as</button></form> <a class="target" href="${playground}" aria-label="Try claims on ${title}">Try</a></div>`,
    ],
  }
}

type Signal = NonNullable<Persona['age_key']>['signals'][number]

/** Maximum number of signals in a row; the others are counted. */
const MAX_SIGNALS_SHOWN = 2

function renderSignals(signals: readonly Signal[]): Html {
  const shown = signals
    .slice(0, MAX_SIGNALS_SHOWN)
    .map((signal) => html`<span class="line">${renderSignal(signal)}</span>`)
  return html`${shown}${signals.length > MAX_SIGNALS_SHOWN && html`<span class="line">and ${signals.length - MAX_SIGNALS_SHOWN} more</span>`}`
}

/** `born 2008-05-17 by id_doc_scan, effective, verified 2026-10-23 by /veratad/roc`. */
const renderSignal = ({ method, age, verified_at, provenance, iso_27566_1: level }: Signal): Html =>
  html`<strong>${ageInWords(age)}</strong> by <code>${method}</code>, ${level ?? 'not certified'}, verified ${renderInstant(verified_at)} by <code>${provenance}</code>`

function ageInWords(age: Signal['age']): string {
  if ('date_of_birth' in age) return `born ${age.date_of_birth}`
  return 'years' in age ? `${age.years} years` : `at least ${age.at_least_years}`
}
