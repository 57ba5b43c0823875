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

/** What a signal is checked against besides the specification; `now` in milliseconds since the UNIX epoch. */
export interface SignalContext extends Vocabulary {
  readonly now: number
  /** Signals that a request may submit: 10 when absent. */
  readonly maxSignals?: number
}

// Decision: a request submits 1 to 10 signals; an age key, and so an evaluation, has at most 50 of them.
export const MAX_SUBMITTED = 10
export const MAX_SIGNALS = 50

/**
 * Checks the value of `authorization_details` (E2, E5; already parsed from JSON) and reports everything that is wrong with any
 * of its items at once: SIG-01 to SIG-21, SIG-23, SIG-24. `signals` is there when nothing was found but recommendations (SIG-10,
 * SIG-13, SIG-23, SIG-24).
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
 * Checks the signals of an evaluation without a flow: each as a persona has it (no `type`, no `verification_id`, also with relative
 * dates) or as it was submitted, in both cases with `iso_27566_1` when it is certified. Any provenance of the right shape will do,
 * and nothing is recommended. An empty list is valid: no age is known then. Without a context nothing is in the future, and any
 * platform will do.
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
 * One signal that was checked before it was stored. Only its members are looked at: that takes 0.1 microseconds, the schemas of
 * all methods take 5 to 23, and a choice page reads the signals of up to a thousand personas.
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
  /** What the schemas cannot know. They are asked about whatever is there, so that no mistake hides another. */
  otherIssues(item: JsonObject): Issue[]
  /** A signal that breaks these is accepted. */
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
  // What is beyond the limit is not looked at: a list of thousands shall not cost more than a list.
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
