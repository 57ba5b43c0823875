import { parseInstant } from '../age/calendar.ts'
import { parseClaims } from '../age/claims.ts'
import { evaluate } from '../age/evaluate.ts'
import { type AgeSignal, parseEvaluationSignals } from '../age/signal.ts'
import type { Certifications } from '../oidc/provider.ts'
import { Refusal } from '../oidc/refusal.ts'
import { certifiedLevel } from '../oidc/request/age-signals.ts'
import { Findings } from '../oidc/rules/findings.ts'
import { asDecided } from '../oidc/use.ts'
import { requirePersona } from '../sandbox/outcomes/names.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { ControlCall, Handlers } from './handler.ts'

export const evaluateHandlers: Pick<Handlers, 'evaluate'> = {
  async evaluate({ tenant, body: asked }) {
    const { provider } = tenant
    const findings = new Findings(provider.profile)
    const { claims, issues } = parseClaims(asked.claims, provider.vocabulary)
    findings.addIssues('claims', issues)
    const now = (asked.now === undefined ? undefined : parseInstant(asked.now)) ?? tenant.clock.now()
    const signals = await readSignals(asked, { tenant, findings })
    const { refusal } = findings
    if (refusal || !claims) {
      throw Refusal.invalidRequest(refusal?.description ?? 'claims: cannot be read', { findings: findings.all })
    }
    checkSize(claims.age_thresholds.length * signals.length)
    const { ageThresholds, trace } = evaluate(signals, asDecided(claims, provider.decisions), now)
    const body = { age_thresholds: ageThresholds, trace }
    checkBytes(JSON.stringify(trace).length)
    return { status: 200, body }
  },
}

/** Signals that are explained, each for every threshold. */
const MAX_EXPLAINED = 1_500
const MAX_ANSWER_BYTES = 1024 * 1024

function checkSize(explained: number): void {
  if (explained <= MAX_EXPLAINED) return
  throw Refusal.invalidRequest(
    `claims: thresholds times signals are ${explained}, and at most ${MAX_EXPLAINED} are explained at once; send fewer of them`,
  )
}

function checkBytes(bytes: number): void {
  if (bytes <= MAX_ANSWER_BYTES) return
  throw Refusal.invalidRequest(
    `claims: the explanation has ${bytes} bytes, and at most ${MAX_ANSWER_BYTES} are sent; send fewer thresholds, signals or filters`,
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
  // A date is in the future by the clock of the sandbox, also when another instant is evaluated.
  const context = { ...tenant.provider.vocabulary, now: tenant.clock.now() }
  const parsed = parseEvaluationSignals(signals, context)
  findings.addIssues('signals', parsed.issues)
  return parsed.signals?.map((signal) => withLevel(signal, tenant.provider.certifications)) ?? []
}

/** A submitted signal carries no level: the certifications of the config add it, as in a flow. */
function withLevel(signal: AgeSignal, certifications: Certifications): AgeSignal {
  if (signal.iso_27566_1 !== undefined || !('verification_id' in signal)) return signal
  const level = certifiedLevel(certifications, signal)
  return level === undefined ? signal : { ...signal, iso_27566_1: level }
}
