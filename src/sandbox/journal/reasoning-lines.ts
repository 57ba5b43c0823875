import type { SignalTrace, ThresholdTrace } from '../../service/age/trace.ts'

/**
 * Maximum length of one reason in characters. A reason repeats patterns of the request, which may
 * be long lists.
 */
const MAX_REASON_LENGTH = 240

/**
 * Maximum number of lines for one persona. A page has many personas, and a request may have a
 * hundred thresholds.
 */
const MAX_LINES = 12

/**
 * Writes a trace as lines, one for each threshold and signal: `18: no. facial_age_estimation: needs
 * 21 by overrides.facial_age_estimation.min_age, has 19`. Thresholds with the same reason share a
 * line, which names the closest required age: `18, 21: no. id_doc_scan: needs 18, has 16`.
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
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), '…'] : lines
}

/**
 * Lists thresholds. A long list is shortened in the middle, because the answers beside it name each
 * threshold.
 */
const listed = (thresholds: readonly number[]): string =>
  (thresholds.length > 8
    ? [...thresholds.slice(0, 6), '…', ...thresholds.slice(-1)]
    : thresholds
  ).join(', ')

/** Placeholder for the required age in a reason, if only the threshold requires it. */
const NEEDED = '\u0000'
const BY_THE_THRESHOLD = /needs \d+ by age_thresholds\[\d+\]/

/** The reasons of all failed checks or, if none failed, of the last check, which is the age. */
function reasonOf({ checks }: SignalTrace): string {
  const failed = checks.filter((check) => !check.passed)
  const decisive = failed.length > 0 ? failed : checks.slice(-1)
  const text = decisive.map(({ reason }) => reason.replace(BY_THE_THRESHOLD, NEEDED)).join('; ')
  return text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH)}…` : text
}
