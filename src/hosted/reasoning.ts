import type { SignalTrace, ThresholdTrace } from '../age/trace.ts'

/** A request may hold long lists of patterns, and every line repeats those that matter to it. */
const LONGEST_REASON = 240

/** Lines for one persona: its page has many of them, and a request may ask for a hundred ages. */
const MOST_LINES = 12

/**
 * A trace in lines for people, one for each threshold and signal: `18: no. facial_age_estimation: needs 21 by
 * overrides.facial_age_estimation.min_age, has 19`. Thresholds with the same reason share a line: `18, 21: no. id_doc_scan:
 * needs 18, has 16`, where the age is the one that comes nearest to what the signal says.
 */
export function reasoningLines(trace: readonly ThresholdTrace[]): string[] {
  const groups = new Map<string, { readonly thresholds: number[]; readonly signal: SignalTrace }>()
  for (const { threshold, signals } of trace) {
    for (const signal of signals) {
      const key = `${signal.passed} ${signal.method} ${reasonOf(signal)}`
      const group = groups.get(key)
      if (group) group.thresholds.push(threshold)
      else groups.set(key, { thresholds: [threshold], signal })
    }
  }
  const lines = [...groups.values()].map(({ thresholds, signal }) => {
    const nearest = signal.passed ? Math.max(...thresholds) : Math.min(...thresholds)
    const reason = reasonOf(signal).replaceAll(NEEDED, `needs ${nearest}`)
    return `${listed(thresholds)}: ${signal.passed ? 'yes' : 'no'}. ${signal.method}: ${reason}`
  })
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), '…'] : lines
}

/** A long list by its beginning and its end: the answers beside it name each. */
const listed = (thresholds: readonly number[]): string =>
  (thresholds.length > 8 ? [...thresholds.slice(0, 6), '…', ...thresholds.slice(-1)] : thresholds).join(', ')

/** Stands in a reason for the age that the threshold itself asks for, and nothing else asks for. */
const NEEDED = '\u0000'
const BY_THE_THRESHOLD = /needs \d+ by age_thresholds\[\d+\]/

/** Everything that failed; when all passed, the age, which is the last check. */
function reasonOf({ checks }: SignalTrace): string {
  const failed = checks.filter((check) => !check.passed)
  const told = failed.length > 0 ? failed : checks.slice(-1)
  const text = told.map(({ reason }) => reason.replace(BY_THE_THRESHOLD, NEEDED)).join('; ')
  return text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}…` : text
}
