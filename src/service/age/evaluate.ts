import { completedYears, yearsBetween } from './calendar.ts'
import type { Claims } from './claims.ts'
import { filterChecks, type Override, type Verdict } from './filters.ts'
import type { Method } from './methods.ts'
import { instantsOf } from './signal-instants.ts'
import type { Age, AgeSignal } from './signal-schema.ts'
import type { Check, ThresholdTrace } from './trace.ts'

/**
 * Maps each requested threshold (such as `"18"`) to whether the user reaches it; a claim of the
 * id_token.
 */
export type AgeThresholds = Readonly<Record<string, boolean>>

/** A signal with the values that do not depend on the threshold. */
interface Candidate {
  readonly method: Method
  readonly filters: readonly Verdict[]
  readonly passesFilters: boolean
  readonly age: number
  /** Whether the signal states its age as `at_least_years`. */
  readonly isLeastAge: boolean
  readonly override: Override | undefined
}

/**
 * Evaluates whether `signals` satisfy the claims of a relying party (specification, "Claims
 * object"), and explains the result. A threshold is satisfied when at least one signal passes every
 * filter and reaches the required age.
 * @param now milliseconds since the UNIX epoch; the age of a date of birth is calculated at this
 * time
 */
export function evaluate(signals: readonly AgeSignal[], claims: Claims, now: number) {
  const trace = explainEvaluation(signals, claims, now)
  return { ageThresholds: answersOf(trace), trace }
}

/** The thresholds of `evaluate` without the trace, which is much larger. */
export function evaluateAnswers(
  signals: readonly AgeSignal[],
  claims: Claims,
  now: number,
): AgeThresholds {
  const passing = signals
    .map((signal) => toCandidate(signal, claims, now))
    .filter((one) => one.passesFilters)
  const candidates = oldestByMethod(passing)
  return answersOf(
    claims.age_thresholds.map((threshold, index) => ({
      threshold,
      satisfied: candidates.some(
        (candidate) => candidate.age >= requiredAge(threshold, index, candidate).years,
      ),
    })),
  )
}

/**
 * Keeps the oldest signal of each method. The required age depends only on the method and the
 * threshold, so the oldest signal decides.
 */
function oldestByMethod(candidates: readonly Candidate[]): readonly Candidate[] {
  if (candidates.length < 2) return candidates
  const oldest = new Map<Method, Candidate>()
  for (const candidate of candidates) {
    const known = oldest.get(candidate.method)
    if (!known || candidate.age > known.age) oldest.set(candidate.method, candidate)
  }
  return [...oldest.values()]
}

/** The thresholds with one short reason, for a list of many personas. */
export interface BriefEvaluation {
  readonly ageThresholds: AgeThresholds
  /**
   * Explains the lowest threshold that fails, or the highest threshold if none fails; absent
   * without age signals.
   */
  readonly reason: BriefReason | undefined
}

/**
 * Why the best signal does or does not reach a threshold: its age in years, and the filters that it
 * fails.
 */
export interface BriefReason extends Pick<Candidate, 'method' | 'age' | 'isLeastAge'> {
  readonly failed: readonly string[]
  /** The required age; absent when the signal reaches the threshold. */
  readonly needed?: { readonly years: number; readonly byOverrides: boolean }
}

/** `evaluate` with one short reason instead of the trace. Each signal is examined once. */
export function evaluateBriefly(
  signals: readonly AgeSignal[],
  claims: Claims,
  now: number,
): BriefEvaluation {
  const candidates = signals.map((signal) => toCandidate(signal, claims, now))
  const entries = claims.age_thresholds.map((threshold, index) => {
    const passing = candidates.find(
      (one) => one.passesFilters && one.age >= requiredAge(threshold, index, one).years,
    )
    return { threshold, index, satisfied: passing !== undefined, passing }
  })
  const ascending = entries.toSorted((one, other) => one.threshold - other.threshold)
  const lowest = ascending.find(({ satisfied }) => !satisfied)
  const passing = ascending.at(-1)?.passing
  const reason = lowest
    ? reasonAgainst(lowest, candidates)
    : passing && { ...briefly(passing), failed: [] }
  return { ageThresholds: answersOf(entries), reason }
}

const briefly = ({ method, age, isLeastAge }: Candidate) => ({ method, age, isLeastAge })

/**
 * Why a threshold fails: explains the oldest signal that passes the filters, or the oldest of all
 * signals if none passes.
 */
function reasonAgainst(
  { threshold, index }: { readonly threshold: number; readonly index: number },
  candidates: readonly Candidate[],
): BriefReason | undefined {
  const filtered = candidates.filter(({ passesFilters }) => passesFilters)
  const [nearest] = (filtered.length > 0 ? filtered : candidates).toSorted(
    (one, other) => other.age - one.age,
  )
  if (!nearest) return undefined
  const failed = nearest.filters.filter(({ passed }) => !passed).map(({ filter }) => filter)
  const { years } = requiredAge(threshold, index, nearest)
  return { ...briefly(nearest), failed, needed: { years, byOverrides: years !== threshold } }
}

/** The trace of `evaluate` without the thresholds. */
export function explainEvaluation(
  signals: readonly AgeSignal[],
  claims: Claims,
  now: number,
): ThresholdTrace[] {
  const candidates = signals.map((signal) => {
    const candidate = toCandidate(signal, claims, now)
    const checks = candidate.filters.map(
      ({ filter, passed, reason }): Check => ({ filter, passed, reason: reason() }),
    )
    return { candidate, checks }
  })
  return claims.age_thresholds.map((threshold, index) => {
    const traces = candidates.map(({ candidate, checks }) => {
      const age = ageCheck(candidate, threshold, index)
      const passed = candidate.passesFilters && age.passed
      return { method: candidate.method, passed, checks: [...checks, age] }
    })
    return { threshold, satisfied: traces.some(({ passed }) => passed), signals: traces }
  })
}

/**
 * Decision: a threshold that is requested twice with different overrides is true when both entries
 * are true.
 */
function answersOf(
  entries: readonly Pick<ThresholdTrace, 'threshold' | 'satisfied'>[],
): AgeThresholds {
  const answers: Record<string, boolean> = {}
  for (const { threshold, satisfied } of entries)
    answers[threshold] = satisfied && answers[threshold] !== false
  return answers
}

function toCandidate(signal: AgeSignal, claims: Claims, now: number): Candidate {
  const { method, age } = signal
  const filters = filterChecks(signal, claims)
  const { birth } = instantsOf(signal)
  return {
    method,
    filters,
    passesFilters: filters.every(({ passed }) => passed),
    age: birth === undefined ? ageOf(age, now) : yearsBetween(new Date(birth), new Date(now)),
    isLeastAge: 'at_least_years' in age,
    override: claims.overrides?.[method],
  }
}

function ageCheck({ method, age, override }: Candidate, threshold: number, index: number): Check {
  const { years, by } = requiredAge(threshold, index, { method, override })
  return { filter: 'age', passed: age >= years, reason: `needs ${years} by ${by()}, has ${age}` }
}

/** The age in whole years that a signal states at `now` (milliseconds since the UNIX epoch). */
export function ageOf(age: Age, now: number): number {
  if ('date_of_birth' in age) return completedYears(age.date_of_birth, now)
  return 'years' in age ? age.years : age.at_least_years
}

/**
 * The age that a signal of this method must have for the threshold at `index` of the claims, and
 * the member of the claims that requires it.
 */
export function requiredAge(
  threshold: number,
  index: number,
  { method, override }: Pick<Candidate, 'method' | 'override'>,
) {
  const replaced = override?.age_thresholds?.[index]
  const mapped =
    replaced === undefined
      ? { years: threshold, by: () => `age_thresholds[${index}]` }
      : { years: replaced, by: () => `overrides.${method}.age_thresholds[${index}]` }
  const least = override?.min_age ?? 0
  return least > mapped.years ? { years: least, by: () => `overrides.${method}.min_age` } : mapped
}
