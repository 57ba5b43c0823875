import { mapInTurns } from '../../../sandbox/take-turn.ts'
import type { Claims } from '../../../service/age/claims.ts'
import {
  type AgeThresholds,
  evaluateAnswers,
  explainEvaluation,
} from '../../../service/age/evaluate.ts'
import type { AgeSignal } from '../../../service/age/signal.ts'
import type { Check, ThresholdTrace } from '../../../service/age/trace.ts'
import { copyOf } from '../../../service/oidc/request/parameters.ts'
import type { Change } from './claims.ts'

/** A persona's answers to the claims, with reasons. */
export interface PersonaAnswer {
  readonly name: string
  readonly title: string
  /** The answers; absent when the persona has no age key. */
  readonly answers?: AgeThresholds
  /**
   * One line for each group of thresholds with the same reason, the lowest no first. Computed when
   * first read, because explaining takes much longer than answering and a page shows only some
   * personas.
   */
  readonly reasons: readonly string[]
  /** The answers to the earlier claims, for thresholds in both. */
  readonly before?: AgeThresholds
}

interface Asked {
  readonly claims: Claims
  /** The earlier claims. */
  readonly before: Claims | undefined
  readonly changes: readonly Change[]
  readonly now: number
}

/**
 * Maximum number of signals, over all personas, that are evaluated for each change. A tenant may
 * hold 50,000.
 */
const MAX_COMPARED_SIGNALS = 3_000

/**
 * Evaluates every persona: its answers, and whether each change flips one of them. Other requests
 * run in between.
 * @param holders personas with resolved dates; `signals` is absent without an age key
 * @returns `compared`: the number of personas on which the changes were tried, if not all
 */
export async function answersOf(
  holders: readonly {
    readonly name: string
    readonly title: string
    readonly signals?: readonly AgeSignal[]
  }[],
  { claims, before, changes, now }: Asked,
) {
  const effects = changes.map((change): Change & { readonly flips: string[] } => ({
    ...change,
    flips: [],
  }))
  let compared = 0
  let left = MAX_COMPARED_SIGNALS
  const answers = await mapInTurns(holders, ({ name, title, signals }): PersonaAnswer => {
    if (!signals)
      return {
        name,
        title,
        reasons: ['no age key: nothing is answered; the user creates one or declines'],
      }
    const ageThresholds = evaluateAnswers(signals, claims, now)
    left -= signals.length
    if (left >= 0) compared += 1
    for (const { claims: changed, flips } of left < 0 ? [] : effects) {
      if (flippedOf(evaluateAnswers(signals, changed, now), ageThresholds).length > 0)
        flips.push(name)
    }
    const earlier = before && evaluateAnswers(signals, before, now)
    let reasons: readonly string[] | undefined
    return {
      name,
      title,
      answers: ageThresholds,
      get reasons() {
        reasons ??= reasonsOf(explainEvaluation(signals, claims, now))
        return reasons
      },
      ...(earlier && { before: earlier }),
    }
  })
  return { answers, effects, compared: left < 0 ? compared : undefined }
}

/**
 * The thresholds whose answer differs from the earlier one.
 * @example
 * flippedOf({ 18: true, 21: false }, { 18: false, 21: false }) // ['18']
 */
export const flippedOf = (answers: AgeThresholds, before: AgeThresholds): string[] =>
  Object.keys(answers).filter(
    (threshold) => before[threshold] !== undefined && before[threshold] !== answers[threshold],
  )

/**
 * Maximum number of lines for a persona, and of characters in a line: a request may name a hundred
 * ages and long lists.
 */
const MAX_LINES = 8
const MAX_LINE = 300

function reasonsOf(trace: readonly ThresholdTrace[]): string[] {
  const groups = new Map<string, { satisfied: boolean; thresholds: number[]; nearest: string }>()
  const inShort = createShortener()
  for (const entry of trace) {
    const reason = reasonOf(entry, inShort)
    const key = `${entry.satisfied} ${reason.replace(/needs \d+,/g, 'needs,')}`
    const group = groups.get(key)
    if (group) group.thresholds.push(entry.threshold)
    else
      groups.set(key, {
        satisfied: entry.satisfied,
        thresholds: [entry.threshold],
        nearest: reason,
      })
    // For reached ages the greatest says most; for others the smallest, which comes first.
    if (group?.satisfied) group.nearest = reason
  }
  const lines = [...groups.values()]
    .sort((one, other) => Number(one.satisfied) - Number(other.satisfied))
    .map(({ satisfied, thresholds, nearest }) =>
      // A reason for all ages needs no list of ages.
      groups.size === 1 ? nearest : `${listed(thresholds)} ${satisfied ? 'yes' : 'no'}: ${nearest}`,
    )
    // A copy, because a slice would keep the whole line in memory (V8), which may be a hundred
    // times as long.
    .map((line) => (line.length > MAX_LINE ? copyOf(`${line.slice(0, MAX_LINE)}…`) : line))
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), '…'] : lines
}

const listed = (thresholds: readonly number[]) =>
  (thresholds.length > 6
    ? [...thresholds.slice(0, 5), '…', ...thresholds.slice(-1)]
    : thresholds
  ).join(', ')

/** Says which signal passes, or why each signal fails. */
function reasonOf({ signals }: ThresholdTrace, inShort: Shorten): string {
  const passing = signals.filter(({ passed }) => passed)
  const decisive = passing.length > 0 ? passing.slice(0, 1) : signals
  if (decisive.length === 0) return 'the age key holds no signal'
  return decisive
    .map(({ method, checks, passed }) => {
      const shown = passed ? checks.slice(-1) : checks.filter((check) => !check.passed)
      const reasons = shown.map((check) => inShort(check, method)).join('; ')
      return reasons.startsWith(method) ? reasons : `${method}: ${reasons}`
    })
    .join('. ')
}

type Shorten = (check: Check, method: string) => string

/**
 * Creates a function that shortens reasons: the page shows the claims above, so rows need not
 * repeat their lists. All thresholds share the checks of a filter, so shortened reasons are cached.
 */
function createShortener(): Shorten {
  const known = new Map<Check, string>()
  return (check, method) => {
    const { filter, reason } = check
    if (filter === 'age') return reason.replace(/ by age_thresholds\[\d+\]/, '')
    const short =
      known.get(check) ??
      (filter === 'allowed_methods' ? `${method} is not in allowed_methods` : reason)
    known.set(check, short)
    return short
  }
}
