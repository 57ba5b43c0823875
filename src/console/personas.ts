import { contains } from '../http/form.ts'
import { type ConsoleFrame, renderConsolePage } from '../http/html/console-page.ts'
import { counted, grouped, renderInstant, renderTable } from '../http/html/elements.ts'
import { renderTextField } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { actingCookies } from '../http/requested-decision.ts'
import { requirePersona } from '../sandbox/decision/names.ts'
import { inPersonaOrder } from '../sandbox/personas/persona-order.ts'
import { groupOf, type Persona } from '../sandbox/personas/persona-schema.ts'
import type { ActResult, ConsoleCall, ConsoleRoute } from './console-route.ts'
import { pageOf, renderPaging } from './list-page.ts'

/** `console/personas`: every persona with what its age key holds, and a button to act as it. */
export const personasPage: ConsoleRoute = { name: 'personas', render: renderList, act: actAs }

/** Personas on one page. */
const MAX_SHOWN = 60

async function renderList({ tenant, frame, fields, problem }: ConsoleCall): Promise<RenderedPage> {
  const all = inPersonaOrder(await tenant.personas.list())
  const { q: search = '', acting: name } = fields
  const found = all.filter(({ name, title, purpose }) => contains(search, [name, title, purpose]))
  const { items, next } = pageOf(found, { fields, limit: MAX_SHOWN, idOf: (persona) => persona.name })
  const shown = items.map((persona) => tenant.personas.resolved(persona))
  const acting = all.find((persona) => persona.name === name)?.name
  return renderPersonas(frame, shown, { total: all.length, next, search, acting, problem })
}

async function actAs({ tenant, fields }: ConsoleCall): Promise<ActResult> {
  const { persona } = fields
  if (persona === undefined) return { cookies: actingCookies({}, tenant) }
  const { name } = await requirePersona(persona, { personas: tenant.personas })
  return { cookies: actingCookies({ persona: name }, tenant), query: { acting: name } }
}

interface PersonaList {
  /** How many there are in all. */
  readonly total: number
  /** The name after which the next page begins. */
  readonly next: string | undefined
  readonly search: string
  /** The persona that this browser has just begun to act as. */
  readonly acting?: string | undefined
  readonly problem?: string | undefined
}

/** Personas with plain dates, in groups. */
export function renderPersonas(
  frame: ConsoleFrame,
  personas: readonly Persona[],
  { total, next, search, acting, problem }: PersonaList,
): RenderedPage {
  const action = `${frame.consolePath}/personas`
  return renderConsolePage(frame, {
    title: 'Personas',
    current: 'personas',
    lead: html`The test users, and what each one’s age key says today by the clock of the sandbox.`,
    problem: problem,
    body: html`<section class="card" aria-labelledby="list-title">
<div class="section-head"><h2 id="list-title">${counted(total, 'persona')}</h2>
${isActing(frame) && html`<form method="post" action="${action}"><button class="secondary compact" name="persona" value="" data-testid="stop-acting">Stop acting</button></form>`}</div>
${
  acting !== undefined &&
  html`<p class="notice" role="status" data-testid="acting">This browser now is <code>${acting}</code> in every flow that nothing stronger decides.</p>`
}
<form class="form-row" method="get">
${renderTextField({ name: 'q', label: 'Find', value: search, hint: 'A part of a name, title or purpose' })}
<button class="secondary">Show</button>
</form>
${renderPaging({ shown: personas.length, total, next }, search === '' ? {} : { q: search })}
${grouped(personas, groupOf).map(
  ([group, members]) => html`<h3 class="group-title">${group}</h3>
<ul class="holders">
${members.map((persona) => renderHolder(persona, action))}</ul>
`,
)}</section>`,
  })
}

const isActing = ({ status }: ConsoleFrame) => status.modes.some(({ id }) => id === 'acting')

function renderHolder({ name, title, purpose, age_key: ageKey }: Persona, action: string): Html {
  return html`<li id="${name}" data-testid="persona-${name}">
<div class="holder-head">
<div><h4>${title}</h4> <p><code>${name}</code></p> <p class="muted small-text">${purpose}</p></div>
<form method="post" action="${action}"><button class="secondary compact" name="persona" value="${name}" aria-label="Act as ${title}">Act as</button></form>
</div>
${ageKey === undefined ? html`<p class="mark none">No age key</p>` : renderSignals(title, ageKey.signals)}
</li>
`
}

type Signal = NonNullable<Persona['age_key']>['signals'][number]

/** Signals of one persona on the page; the rest are counted. */
const MAX_SIGNALS_SHOWN = 6

function renderSignals(title: string, signals: readonly Signal[]): Html {
  const rows = signals.slice(0, MAX_SIGNALS_SHOWN).map(renderSignal)
  return html`${renderTable(`Age key of ${title}`, ['Method', 'Age', 'Verified', 'Provenance', 'Certification, attributes'], rows)}
${signals.length > MAX_SIGNALS_SHOWN && html`<p class="hint">And ${signals.length - MAX_SIGNALS_SHOWN} more.</p>`}`
}

const renderSignal = ({ method, age, verified_at, provenance, attributes = {}, iso_27566_1: level }: Signal) => ({
  cells: [
    html`<code>${method}</code>`,
    ageInWords(age),
    renderInstant(verified_at),
    html`<code>${provenance}</code>`,
    html`${level ?? 'not certified'}${Object.entries(attributes).map(([name, value]) => html`<span class="line">${`${name}: ${value}`}</span>`)}`,
  ],
})

function ageInWords(age: Signal['age']): string {
  if ('date_of_birth' in age) return `born ${age.date_of_birth}`
  return 'years' in age ? `${age.years} years` : `at least ${age.at_least_years} years`
}
