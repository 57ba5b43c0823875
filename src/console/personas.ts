import { contains } from '../http/form.ts'
import { consolePathOf } from '../http/html/console-page.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { personaCookie } from '../http/persona-cookie.ts'
import { requirePersona } from '../sandbox/decision/names.ts'
import { inPersonaOrder } from '../sandbox/personas/persona-order.ts'
import { groupOf, type Persona } from '../sandbox/personas/persona-schema.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { ActResult, ConsoleCall, ConsoleRoute } from './console-route.ts'
import { type HeldSignalView, renderPersonas } from './personas-page.ts'

/** Personas on one page. */
const MOST_SHOWN = 60

/** `console/personas`: who there is, what each holds, and a button to act as one. */
export const personasPage: ConsoleRoute = { name: 'personas', render: renderList, act: actAs }

async function renderList({ tenant, frame, fields, problem }: ConsoleCall): Promise<RenderedPage> {
  const all = inPersonaOrder(await tenant.personas.list())
  const { q: search = '', acting } = fields
  const found = all.filter(({ name, title, purpose }) => contains(search, [name, title, purpose]))
  return renderPersonas({
    ...frame,
    personas: found.slice(0, MOST_SHOWN).map((persona) => holderView(persona, tenant)),
    total: all.length,
    search,
    action: `${consolePathOf(tenant)}/personas`,
    acting: all.find(({ name }) => name === acting)?.name,
    problem,
  })
}

async function actAs({ tenant, fields }: ConsoleCall): Promise<ActResult> {
  const { persona } = fields
  if (persona === undefined) return { headers: { 'Set-Cookie': personaCookie(undefined, tenant) } }
  const { name } = await requirePersona(persona, { personas: tenant.personas })
  return { headers: { 'Set-Cookie': personaCookie(name, tenant) }, query: { acting: name } }
}

function holderView(declared: Persona, { personas }: Tenant) {
  const { name, title, purpose, age_key: ageKey } = personas.resolved(declared)
  const signals = ageKey?.signals.map(heldSignal)
  return { name, title, purpose, group: groupOf(declared), ...(signals ? { signals } : {}) }
}

type Signal = NonNullable<Persona['age_key']>['signals'][number]

function heldSignal({ method, age, verified_at, provenance, attributes = {}, iso_27566_1 }: Signal): HeldSignalView {
  return {
    method,
    age: ageInWords(age),
    verifiedAt: verified_at,
    provenance,
    level: iso_27566_1,
    attributes: Object.entries(attributes).map(([name, value]) => `${name}: ${value}`),
  }
}

function ageInWords(age: Signal['age']): string {
  if ('date_of_birth' in age) return `born ${age.date_of_birth}`
  return 'years' in age ? `${age.years} years` : `at least ${age.at_least_years} years`
}
