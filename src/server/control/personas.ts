import { requirePersona } from '../../sandbox/outcomes/names.ts'
import { resolveSignal } from '../../sandbox/personas/age-keys.ts'
import { type Persona, personaNameSchema } from '../../sandbox/personas/persona-schema.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { parseInstant } from '../../service/age/calendar.ts'
import { parseClaims } from '../../service/age/claims.ts'
import { evaluate } from '../../service/age/evaluate.ts'
import { type AgeSignal, parseEvaluationSignals } from '../../service/age/signal.ts'
import type { Certifications } from '../../service/oidc/provider.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { Findings } from '../../service/oidc/rules/findings.ts'
import { underPolicy } from '../../service/oidc/use.ts'
import { readPageAfter } from '../http/list-page.ts'
import type { personaOperations } from './contract/personas.ts'
import type { ControlCall, Handlers } from './handler.ts'

/**
 * Maximum number of thresholds times signals in one evaluation, because each signal is explained
 * for each threshold.
 */
const MAX_EXPLAINED = 1_500
const MAX_ANSWER_BYTES = 1024 * 1024

export const personaHandlers: Pick<Handlers, keyof typeof personaOperations> = {
  async listPersonas({ tenant: { personas }, query }) {
    const { items, next } = await readPageAfter(await personas.list(), query, {
      idOf: ({ name }) => name,
      show: personas.resolved,
    })
    return { status: 200, body: { personas: items, next } }
  },
  async getPersona({ tenant, params }) {
    return { status: 200, body: tenant.personas.resolved(await existing(params.name, tenant)) }
  },
  async putPersona({ tenant, params, body: { name: named, ...rest } }) {
    const name = checkName(params.name)
    if (named !== undefined && named !== name) {
      throw Refusal.invalidRequest(
        `name: "${named}" is not the name in the path, "${name}"; make them the same or leave it out`,
      )
    }
    const isNew = (await tenant.personas.find(name)) === undefined
    const persona: Persona = { name, ...rest }
    await tenant.personas.put(persona)
    return { status: isNew ? 201 : 200, body: tenant.personas.resolved(persona) }
  },
  async putPersonas({ tenant: { personas }, body }) {
    await personas.putAll(body.personas)
    return { status: 200, body: { personas: body.personas.map(personas.resolved) } }
  },
  async deletePersona({ tenant, params }) {
    const { name } = await existing(params.name, tenant)
    await tenant.personas.remove(name)
    return { status: 204 }
  },
  async evaluate({ tenant, body: asked }) {
    const { provider } = tenant
    const findings = new Findings(provider.profile)
    const { claims, issues } = parseClaims(asked.claims, provider.vocabulary)
    findings.addIssues('claims', issues)
    const now =
      (asked.now === undefined ? undefined : parseInstant(asked.now)) ?? tenant.clock.now()
    const signals = await readSignals(asked, { tenant, findings })
    const { refusal } = findings
    if (refusal || !claims) {
      throw Refusal.invalidRequest(refusal?.description ?? 'claims: cannot be read', {
        findings: findings.all,
      })
    }
    const explained = claims.age_thresholds.length * signals.length
    if (explained > MAX_EXPLAINED) {
      const most = `at most ${MAX_EXPLAINED} are explained at once; send fewer of them`
      throw Refusal.invalidRequest(`claims: thresholds times signals are ${explained}, and ${most}`)
    }
    const { ageThresholds, trace } = evaluate(signals, underPolicy(claims, provider.policy), now)
    const bytes = JSON.stringify(trace).length
    if (bytes > MAX_ANSWER_BYTES) {
      const most = `at most ${MAX_ANSWER_BYTES} are sent; send fewer thresholds, signals or filters`
      throw Refusal.invalidRequest(`claims: the explanation has ${bytes} bytes, and ${most}`)
    }
    return { status: 200, body: { age_thresholds: ageThresholds, trace } }
  },
}

const existing = (name: string, { personas }: Tenant) =>
  requirePersona(name, { personas, status: 404 })

function checkName(name: string): string {
  if (personaNameSchema.safeParse(name).success) return name
  throw Refusal.invalidRequest(
    `name: ${JSON.stringify(name.slice(0, 80))} must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen`,
  )
}

async function readSignals(
  { persona, signals }: ControlCall<'evaluate'>['body'],
  { tenant, findings }: { tenant: Tenant; findings: Findings },
): Promise<readonly AgeSignal[]> {
  if ((persona === undefined) === (signals === undefined))
    throw Refusal.invalidRequest('body: give exactly one of persona and signals')
  if (persona !== undefined) {
    const declared = await requirePersona(persona, { personas: tenant.personas })
    return tenant.personas.resolved(declared).age_key?.signals ?? []
  }
  // The sandbox clock decides whether a date lies in the future, even when the evaluation is for
  // another instant.
  const context = { ...tenant.provider.vocabulary, now: tenant.clock.now() }
  const parsed = parseEvaluationSignals(signals, context)
  findings.addIssues('signals', parsed.issues)
  const resolved = (parsed.signals ?? []).map((signal) =>
    resolveSignal(signal, tenant.clock.base()),
  )
  return resolved.map((signal) => withLevel(signal, tenant.provider.certifications))
}

/**
 * Adds the assurance level (ISO 27566-1) of the configured certifications to a submitted signal, as
 * in a flow.
 */
function withLevel(signal: AgeSignal, certifications: Certifications): AgeSignal {
  if (signal.iso_27566_1 !== undefined || !('verification_id' in signal)) return signal
  const level = certifications[signal.provenance]?.[signal.method]
  return level === undefined ? signal : { ...signal, iso_27566_1: level }
}
