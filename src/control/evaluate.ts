import * as z from 'zod'
import { parseInstant } from '../age/calendar.ts'
import { claimsSchema, parseClaims } from '../age/claims.ts'
import { evaluate } from '../age/evaluate.ts'
import { type AgeSignal, evaluationSignalSchema, parseEvaluationSignals } from '../age/signal.ts'
import { json } from '../http/reply.ts'
import { Refusal } from '../oidc/refusal.ts'
import { type Certifications, certifiedLevel } from '../oidc/request/certifications.ts'
import { Findings } from '../oidc/rules/findings.ts'
import { requirePersona } from '../sandbox/decision/names.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { controlRoute } from './control-route.ts'
import { evaluationShape } from './shapes.ts'

const isInstant = { error: 'must be an ISO 8601 date or date-time, for example 2026-01-31T12:00:00Z' }

/** Claims and signals are only described here: they are checked as a request is, so that findings carry their rules. */
const described = (schema: z.ZodType) =>
  z.lazy(() => z.unknown().meta(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })))

const evaluateBody = z.strictObject({
  claims: described(claimsSchema),
  persona: z.string().optional().describe('Whose age key to evaluate'),
  signals: described(z.array(evaluationSignalSchema))
    .optional()
    .describe('Age signals to evaluate in place of a persona'),
  now: z
    .string(isInstant)
    .refine((text) => parseInstant(text) !== undefined, isInstant)
    .optional()
    .describe('The instant to evaluate at; the clock of the sandbox when absent'),
})

export const evaluateRoute = controlRoute({
  method: 'post',
  path: '/evaluate',
  operationId: 'evaluate',
  summary: 'What a persona or age signals would answer to claims, and why; without a flow',
  body: evaluateBody,
  responses: { 200: evaluationShape },
  async handle({ tenant, body }) {
    const { provider } = tenant
    const findings = new Findings(provider.profile)
    const { claims, issues } = parseClaims(body.claims, provider.vocabulary)
    findings.addIssues('claims', issues)
    const now = (body.now === undefined ? undefined : parseInstant(body.now)) ?? tenant.clock.now()
    const signals = await readSignals(body, { tenant, findings })
    const { refusal } = findings
    if (refusal || !claims) {
      throw Refusal.invalidRequest(refusal?.description ?? 'claims: cannot be read', { findings: findings.all })
    }
    const { ageThresholds, trace } = evaluate(signals, claims, now)
    return json(200, { age_thresholds: ageThresholds, trace })
  },
})

async function readSignals(
  { persona, signals }: z.output<typeof evaluateBody>,
  { tenant, findings }: { tenant: Tenant; findings: Findings },
): Promise<readonly AgeSignal[]> {
  if ((persona === undefined) === (signals === undefined))
    throw Refusal.invalidRequest('body: give exactly one of persona and signals')
  if (persona !== undefined) {
    const declared = await requirePersona(persona, { personas: tenant.personas })
    return tenant.personas.resolved(declared).age_key?.signals ?? []
  }
  // Whether a date lies in the future is judged by the clock of the sandbox, whatever instant is evaluated.
  const context = { ...tenant.provider.vocabulary, now: tenant.clock.now() }
  const parsed = parseEvaluationSignals(signals, context)
  findings.addIssues('signals', parsed.issues)
  return parsed.signals?.map((signal) => withLevel(signal, tenant.provider.certifications)) ?? []
}

/** A signal as it is submitted carries no level: as in a flow, the certifications of the config say it. */
function withLevel(signal: AgeSignal, certifications: Certifications): AgeSignal {
  if (signal.iso_27566_1 !== undefined || !('verification_id' in signal)) return signal
  const level = certifiedLevel(certifications, signal)
  return level === undefined ? signal : { ...signal, iso_27566_1: level }
}
