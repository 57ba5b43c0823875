import type { Evaluation, SignalTrace } from '../age/evaluate.ts'

/** A request may hold long lists of patterns, and every line repeats those that matter to it. */
const LONGEST_REASON = 240

/**
 * A trace in lines for people, one for each threshold and signal: `18: no. facial_age_estimation: needs 21 by
 * overrides.facial_age_estimation.min_age, has 19`. Thresholds with the same reason share a line.
 */
export function reasoningLines({ trace }: Evaluation): string[] {
  const thresholdsByReason = new Map<string, number[]>()
  for (const { threshold, signals } of trace) {
    for (const signal of signals) {
      const reason = `${signal.passed ? 'yes' : 'no'}. ${signal.method}: ${reasonOf(signal)}`
      thresholdsByReason.set(reason, [...(thresholdsByReason.get(reason) ?? []), threshold])
    }
  }
  return [...thresholdsByReason].map(([reason, thresholds]) => `${thresholds.join(', ')}: ${reason}`)
}

/** The line begins with the threshold: only what asks for another age than that needs a name. */
const BY_THE_THRESHOLD = / by age_thresholds\[\d+\]/

/** Everything that failed; when all passed, the age, which is the last check. */
function reasonOf({ checks }: SignalTrace): string {
  const failed = checks.filter((check) => !check.passed)
  const told = failed.length > 0 ? failed : checks.slice(-1)
  const text = told.map(({ reason }) => reason.replace(BY_THE_THRESHOLD, '')).join('; ')
  return text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}…` : text
}
