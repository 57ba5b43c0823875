import * as z from 'zod'
import { foundInsteadOfJson } from '../text/message-parts.ts'
import { bounded, type Issue, issue, issuesOf } from './explain.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { isMethod } from './methods.ts'
import { allowlistIssues, dateIssues, platformIssues, recommendations } from './signal-rules.ts'
import {
  type AgeSignal,
  certifiedSchemas,
  personaSchemas,
  type SignalSchemas,
  type SubmittedAgeSignal,
  submittedSchemas,
} from './signal-schema.ts'
import type { Vocabulary } from './vocabulary.ts'

export type { Age, AgeSignal, SubmittedAgeSignal } from './signal-schema.ts'
export { evaluationSignalSchema, personaSignalSchema } from './signal-schema.ts'

/** The configuration against which a signal is checked; `now` in milliseconds since the UNIX epoch. */
export interface SignalContext extends Vocabulary {
  readonly now: number
  /** Signals that a request may submit: 10 when absent. */
  readonly maxSignals?: number
}

// Decision: a request submits 1 to 10 signals; an age key, and so an evaluation, has at most 50.
export const MAX_SUBMITTED = 10
export const MAX_SIGNALS = 50

/**
 * Checks the value of `authorization_details` (E2, E5; already parsed from JSON) and reports the mistakes of all items at once: SIG-01 to
 * SIG-21, SIG-23, SIG-24. `signals` is present when only recommendations were found (SIG-10, SIG-13, SIG-23, SIG-24).
 */
export function parseAgeSignals(
  value: unknown,
  context: SignalContext,
): { signals?: SubmittedAgeSignal[]; issues: Issue[] } {
  const root = 'authorization_details'
  const { signals, issues } = parseSignals(value, {
    root,
    least: 1,
    most: context.maxSignals ?? MAX_SUBMITTED,
    schemasFor: () => submittedSchemas,
    otherIssues: (signal) => [
      ...dateIssues(signal, context.now),
      ...platformIssues(signal, context.platforms),
      ...allowlistIssues(signal, context.provenanceAllowlist),
    ],
    advice: recommendations,
  })
  const { provenanceAllowlist: allowlist } = context
  const named = issues.map((one) => {
    if (one.rule !== 'SIG-19' || !one.message.includes(' is missing: ')) return one
    return {
      ...one,
      message: `${one.message}; for example ${allowlist[0]}. The allowlist holds ${allowlist.join(' ')}`,
    }
  })
  if (!signals || signals.length === 1) return { ...(signals && { signals }), issues: named }
  const sentence = `should carry one age signal, carries ${signals.length}: no maximum is specified, and the examples carry one`
  return { signals, issues: [...issues, issue('SIG-23', root, [], sentence)] }
}

/**
 * Checks the signals of an evaluation without a flow. A signal may have the form of a persona (no `type`, no `verification_id`, relative
 * dates allowed) or of a submission, with `iso_27566_1` in either form. Any well-formed provenance is accepted, and nothing is
 * recommended. An empty list is valid: then no age is known. Without a context no date is in the future, and any platform is accepted.
 */
export function parseEvaluationSignals(
  value: unknown,
  context?: SignalContext,
): { signals?: AgeSignal[]; issues: Issue[] } {
  return parseSignals<AgeSignal>(value, {
    root: 'signals',
    least: 0,
    most: MAX_SIGNALS,
    schemasFor: (item) => (wasSubmitted(item) ? certifiedSchemas : personaSchemas),
    otherIssues: (signal) =>
      context ? [...dateIssues(signal, context.now), ...platformIssues(signal, context.platforms)] : [],
  })
}

/**
 * Parses a stored signal, which was checked before: only its members. This takes 0.1 microseconds instead of 5 to 23 for the schemas of
 * all methods, and a choice page reads the signals of up to a thousand personas.
 */
export const checkedSignalSchema = z.custom<AgeSignal>(
  (value) =>
    isJsonObject(value) &&
    isMethod(value['method']) &&
    isJsonObject(value['age']) &&
    typeof value['verified_at'] === 'string' &&
    typeof value['provenance'] === 'string',
  { error: 'not an age signal' },
)

interface Reading<Signal> {
  readonly root: string
  readonly least: number
  readonly most: number
  schemasFor(item: unknown): SignalSchemas<Signal>
  /** The rules beyond the schemas. Each looks at what is present, so that no mistake hides another. */
  otherIssues(item: JsonObject): Issue[]
  /** Rules that are recommendations: a signal that breaks them is accepted. */
  advice?(item: JsonObject): Issue[]
}

function parseSignals<Signal>(value: unknown, reading: Reading<Signal>): { signals?: Signal[]; issues: Issue[] } {
  const { root, least, most } = reading
  if (!Array.isArray(value)) {
    const remedy = isJsonObject(value) ? ': put it into an array' : ''
    return {
      issues: [issue('SIG-01', root, [], `must be an array of age signals${foundInsteadOfJson(value)}${remedy}`)],
    }
  }
  const issues: Issue[] = []
  let isRefused = value.length < least || value.length > most
  if (isRefused) {
    const range = least === most ? 'one age signal' : `${least} to ${most} age signals`
    issues.push(issue('SIG-02', root, [], `must hold ${range}, holds ${value.length}`))
  }
  const signals: Signal[] = []
  // Items beyond the limit are not examined, which bounds the cost of a list.
  for (const [index, item] of value.slice(0, most).entries()) {
    const parsed = schemaFor(item, reading).safeParse(item)
    if (parsed.success) signals.push(parsed.data)
    else issues.push(...issuesOf(parsed.error, root, [index]))
    const others = isJsonObject(item) ? reading.otherIssues(item) : []
    const advice = (isJsonObject(item) && reading.advice?.(item)) || []
    isRefused ||= !parsed.success || others.length > 0
    issues.push(
      ...[...others, ...advice].map(({ rule, path, message }) => issue(rule, root, [index, ...path], message)),
    )
  }
  return { ...(!isRefused && { signals }), issues: bounded(issues) }
}

function schemaFor<Signal>(item: unknown, { schemasFor }: Reading<Signal>): z.ZodType<Signal> {
  return schemasFor(item)(isJsonObject(item) && isMethod(item['method']) ? item['method'] : undefined)
}

function wasSubmitted(item: unknown): boolean {
  return isJsonObject(item) && (item['type'] !== undefined || item['verification_id'] !== undefined)
}
