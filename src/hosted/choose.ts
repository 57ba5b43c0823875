import type { Claims } from '../age/claims.ts'
import { evaluate } from '../age/evaluate.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import type { UseTransaction } from '../oidc/use.ts'
import { inPersonaOrder } from '../sandbox/personas/persona-order.ts'
import { groupOf, type Persona } from '../sandbox/personas/persona-schema.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { renderChoose } from './choose-page.ts'
import type { PersonaView } from './persona-list.ts'
import { reasoningLines } from './reasoning.ts'
import { type HostedContext, hostedView } from './view.ts'

/** The choice page of E1, filled for one request: each persona with the answer that it would give. */
export async function choosePage(transaction: UseTransaction, context: HostedContext): Promise<RenderedPage> {
  const { tenant } = context.visit
  const { claims, canCreate, upgrade, presentation } = transaction
  return renderChoose({
    ...(await hostedView(transaction, context)),
    asked: { thresholds: claims.age_thresholds, filters: filterLines(claims) },
    canCreate,
    upgrade,
    learnMore: presentation.learnMore,
    personas: inPersonaOrder(await tenant.personas.list()).map((persona) => personaView(persona, claims, tenant)),
  })
}

function personaView(declared: Persona, claims: Claims, tenant: Tenant): PersonaView {
  const { name, title, purpose, age_key: ageKey } = tenant.personas.resolved(declared)
  const evaluation = ageKey && evaluate(ageKey.signals, claims, tenant.clock.now())
  return {
    name,
    title,
    purpose,
    group: groupOf(declared),
    hasAgeKey: ageKey !== undefined,
    answers: evaluation?.trace.map(({ threshold, satisfied }) => ({ threshold, satisfied })) ?? [],
    ...(evaluation ? { reasoning: reasoningLines(evaluation) } : {}),
  }
}

/** Every filter of the claims but the thresholds, a line each: `overrides.id_doc_scan.min_age: 21`. */
function filterLines({ age_thresholds: _thresholds, ...filters }: Claims): string[] {
  return Object.entries(filters).flatMap(([name, value]) => linesOf(name, value))
}

function linesOf(path: string, value: unknown): string[] {
  if (Array.isArray(value)) return [`${path}: ${value.length === 0 ? '[]' : value.join(', ')}`]
  if (typeof value !== 'object' || value === null) return [`${path}: ${value}`]
  return Object.entries(value).flatMap(([name, member]) => linesOf(`${path}.${name}`, member))
}
