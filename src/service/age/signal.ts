import * as z from 'zod'
import { didYouMean, foundInstead, foundInsteadOfJson } from '../text/message-parts.ts'
import {
  completedYears,
  EARLIEST_ZONE,
  earliestInstant,
  parseCalendarDate,
  parseInstant,
  resolveRelativeDate,
  zoneAdvice,
} from './calendar.ts'
import { bounded, type Issue, issue, issuesOf } from './explain.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { AGE_FORMATS, isMethod, METHODS } from './methods.ts'
import {
  type AgeSignal,
  certifiedSchemas,
  personaSchemas,
  type SignalSchemas,
  type SubmittedAgeSignal,
  submittedSchemas,
} from './signal-schema.ts'
import { PROVENANCE_PATH, type Vocabulary } from './vocabulary.ts'

export type { Age, AgeSignal, SubmittedAgeSignal } from './signal-schema.ts'
export { evaluationSignalSchema, personaSignalSchema } from './signal-schema.ts'

/** The configuration for checking a signal; `now` is in milliseconds since the UNIX epoch. */
export interface SignalContext extends Vocabulary {
  readonly now: number
  /** Maximum number of signals in a request (default 10). */
  readonly maxSignals?: number
}

// Decision: a request submits 1 to 10 signals; an age key has at most 50, so an evaluation has too.
export const MAX_SUBMITTED = 10
export const MAX_SIGNALS = 50

/**
 * Checks `authorization_details` (E2, E5; parsed JSON) and reports the mistakes of all items at
 * once: SIG-01 to SIG-21, SIG-23 to SIG-25. `signals` is present unless an issue refuses the
 * request; the recommendations SIG-10, SIG-13 and SIG-23 to SIG-25 do not.
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
  const named = issues.map(({ rule, path, message }) => {
    const isMissing = rule === 'SIG-19' && message.includes(' is missing: ')
    const examples = isMissing
      ? `; for example ${allowlist[0]}. The allowlist holds ${allowlist.join(' ')}`
      : ''
    return { rule, path, message: message + examples }
  })
  if (!signals || signals.length === 1) return { ...(signals && { signals }), issues: named }
  const sentence = `should carry one age signal, carries ${signals.length}: no maximum is specified, and the examples carry one`
  return { signals, issues: [...issues, issue('SIG-23', root, [], sentence)] }
}

/**
 * Checks the signals of an evaluation without a flow. Each signal has the form of a persona file
 * (no `type`, no `verification_id`, relative dates allowed) or of a submission; both may carry
 * `iso_27566_1`. Any well-formed provenance is accepted, recommendations are not reported, and an
 * empty list is valid. Without a context, dates may be in the future and any platform is accepted.
 */
export function parseEvaluationSignals(
  value: unknown,
  context?: SignalContext,
): { signals?: AgeSignal[]; issues: Issue[] } {
  return parseSignals<AgeSignal>(value, {
    root: 'signals',
    least: 0,
    most: MAX_SIGNALS,
    schemasFor: ({ type, verification_id: id }) =>
      type === undefined && id === undefined ? personaSchemas : certifiedSchemas,
    otherIssues: (signal) =>
      context
        ? [...dateIssues(signal, context.now), ...platformIssues(signal, context.platforms)]
        : [],
  })
}

/**
 * Parses a stored signal. The signal was checked before it was stored, so only the members' types
 * are checked. This takes 0.1 microseconds; the full schemas take 5 to 23, and a choice page parses
 * the signals of up to a thousand personas.
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
  schemasFor(item: JsonObject): SignalSchemas<Signal>
  /**
   * Checks the rules beyond the schemas. Each check uses the members that are present, so that one
   * mistake does not hide another.
   */
  otherIssues(item: JsonObject): Issue[]
  /** Checks recommendations: a signal that breaks them is still accepted. */
  advice?(item: JsonObject): Issue[]
}

function parseSignals<Signal>(
  value: unknown,
  reading: Reading<Signal>,
): { signals?: Signal[]; issues: Issue[] } {
  const { root, least, most } = reading
  if (!Array.isArray(value)) {
    const found = foundInsteadOfJson(value) + (isJsonObject(value) ? ': put it into an array' : '')
    return { issues: [issue('SIG-01', root, [], `must be an array of age signals${found}`)] }
  }
  const issues: Issue[] = []
  let isRefused = value.length < least || value.length > most
  if (isRefused) {
    const range = least === most ? 'one age signal' : `${least} to ${most} age signals`
    issues.push(issue('SIG-02', root, [], `must hold ${range}, holds ${value.length}`))
  }
  const signals: Signal[] = []
  // Items beyond the limit are not examined, to bound the cost.
  for (const [index, item] of value.slice(0, most).entries()) {
    const members = isJsonObject(item) ? item : {}
    const method = isMethod(members['method']) ? members['method'] : undefined
    const parsed = reading.schemasFor(members)(method).safeParse(item)
    if (parsed.success) signals.push(parsed.data)
    const broken = parsed.success ? [] : typeFirst(issuesOf(parsed.error, root, [index]))
    isRefused ||= !parsed.success
    const [first] = broken
    if (first?.rule === OTHER_TYPE && typeof members['type'] === 'string') {
      // The item is not an age signal: the rules of its own type apply to its other members.
      issues.push(first)
      continue
    }
    const others = reading.otherIssues(members)
    const advice = reading.advice?.(members) ?? []
    isRefused ||= others.length > 0
    issues.push(
      ...broken,
      ...[...others, ...advice].map(({ rule, path, message }) =>
        issue(rule, root, [index, ...path], message),
      ),
    )
  }
  return { ...(!isRefused && { signals }), issues: bounded(issues) }
}

const OTHER_TYPE = 'SIG-04'

/** Puts the issue of `type` first, because it explains the other issues of an item. */
function typeFirst(issues: readonly Issue[]): Issue[] {
  const rank = ({ rule }: Issue) => (rule === OTHER_TYPE ? 0 : 1)
  return issues.toSorted((one, other) => rank(one) - rank(other))
}

/** Maximum clock skew of a relying party. */
const TOLERANCE_MILLISECONDS = 60_000

const MAX_YEARS = 150

// Paths are relative to the signal, and messages do not name it: `parseSignals` adds the index of
// the signal.

/**
 * SIG-06, SIG-15: dates must not be after `now` (milliseconds since the UNIX epoch), and a date of
 * birth must be less than 150 years before. Decision: a `verified_at` without a zone is in the
 * future only if it is in the future in every zone. Dates of birth and ages use the UTC calendar.
 */
function dateIssues({ age, verified_at }: JsonObject, now: number): Issue[] {
  const dateOfBirth = isJsonObject(age) ? age['date_of_birth'] : undefined
  return [...birthIssues(dateOfBirth, now), ...verificationIssues(verified_at, now)]
}

function birthIssues(dateOfBirth: unknown, now: number): Issue[] {
  const birth = typeof dateOfBirth === 'string' ? parseCalendarDate(dateOfBirth) : undefined
  if (typeof dateOfBirth !== 'string' || birth === undefined) return []
  if (birth <= now && completedYears(dateOfBirth, now) < MAX_YEARS) return []
  const path = ['age', 'date_of_birth']
  const today = resolveRelativeDate({ anchor: 'today', months: 0, milliseconds: 0 }, now)
  const earliest = resolveRelativeDate(
    { anchor: 'today', months: -12 * MAX_YEARS, milliseconds: 0 },
    now,
  )
  if (dateOfBirth > today) {
    const message = `must not be in the future, is ${dateOfBirth}; today is ${today} (UTC)`
    return [{ rule: 'SIG-06', path, message }]
  }
  if (dateOfBirth >= earliest) return []
  return [
    {
      rule: 'SIG-06',
      path,
      message: `must be at most ${MAX_YEARS} years ago (${earliest}), is ${dateOfBirth}`,
    },
  ]
}

function verificationIssues(verifiedAt: unknown, now: number): Issue[] {
  const verified = typeof verifiedAt === 'string' ? earliestInstant(verifiedAt) : undefined
  if (verified === undefined || verified <= now + TOLERANCE_MILLISECONDS) return []
  const time = (instant: number) =>
    resolveRelativeDate({ anchor: 'now', months: 0, milliseconds: 0 }, instant)
  const hasZone = verified === parseInstant(String(verifiedAt))
  const elsewhere = hasZone
    ? ''
    : `, which is ${time(now + EARLIEST_ZONE).slice(0, 16)} where it is latest, at UTC+14`
  const message = `must not be in the future, is ${verifiedAt}; it is ${time(now)}${elsewhere}`
  return [{ rule: 'SIG-15', path: ['verified_at'], message }]
}

/** SIG-18: the platform must be configured. */
function platformIssues({ method, attributes }: JsonObject, platforms: readonly string[]): Issue[] {
  if (!isMethod(method) || !isJsonObject(attributes)) return []
  return Object.entries(METHODS[method].attributes).flatMap(([name, { kind }]) => {
    const platform = attributes[name]
    if (kind !== 'platform' || typeof platform !== 'string' || platforms.includes(platform))
      return []
    const message = `must be one of ${platforms.join(', ')}${foundInstead(platform, platforms)}`
    return [{ rule: 'SIG-18', path: ['attributes', name], message }]
  })
}

/** SIG-20: the provenance must be on the allowlist of the relying party. */
function allowlistIssues({ provenance }: JsonObject, allowlist: readonly string[]): Issue[] {
  if (
    typeof provenance !== 'string' ||
    !PROVENANCE_PATH.test(provenance) ||
    allowlist.includes(provenance)
  )
    return []
  const message = `must be on the provenance allowlist${foundInstead(provenance, allowlist)}${didYouMean(provenance, allowlist) ? ' It' : '; it'} holds ${allowlist.join(' ')}`
  return [{ rule: 'SIG-20', path: ['provenance'], message }]
}

/** SIG-10, SIG-13, SIG-24, SIG-25: recommendations. */
function recommendations({
  method,
  age,
  verification_id: verificationId,
  verified_at,
}: JsonObject): Issue[] {
  const issues: Issue[] = []
  if (isMethod(method) && isJsonObject(age)) {
    const { ageFormats, preferredFormat } = METHODS[method]
    const given = AGE_FORMATS.find(
      (format) =>
        format !== preferredFormat && ageFormats.includes(format) && age[format] !== undefined,
    )
    if (given) {
      const message = `should be ${preferredFormat} with ${method}, which stays right as time passes, is ${given} ${String(age[given]).slice(0, 20)}`
      issues.push({ rule: 'SIG-10', path: ['age', given], message })
    }
  }
  if (typeof verificationId === 'string' && !UUID_VERSION_7.test(verificationId)) {
    const message = `should be a UUID of version 7${foundInstead(verificationId)}`
    issues.push({ rule: 'SIG-13', path: ['verification_id'], message })
  }
  const zone = typeof verified_at === 'string' ? zoneAdvice(verified_at) : undefined
  if (zone !== undefined) issues.push({ rule: 'SIG-25', path: ['verified_at'], message: zone })
  return [...issues, ...birthAfterVerification(age, verified_at)]
}

/**
 * SIG-24: compares both dates as they are written, because a zone does not move a date of birth.
 */
function birthAfterVerification(age: unknown, verifiedAt: unknown): Issue[] {
  const dateOfBirth = isJsonObject(age) ? age['date_of_birth'] : undefined
  if (typeof dateOfBirth !== 'string' || parseCalendarDate(dateOfBirth) === undefined) return []
  if (typeof verifiedAt !== 'string' || parseInstant(verifiedAt) === undefined) return []
  if (verifiedAt.slice(0, dateOfBirth.length) >= dateOfBirth) return []
  const message = `should not be before date_of_birth ${dateOfBirth}, is ${verifiedAt}`
  return [{ rule: 'SIG-24', path: ['verified_at'], message }]
}

const UUID_VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
