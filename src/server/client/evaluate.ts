import { resolveSignal } from '../../sandbox/personas/age-keys.ts'
import { parseClaims } from '../../service/age/claims.ts'
import { evaluate as evaluateParsed } from '../../service/age/evaluate.ts'
import { parseEvaluationSignals } from '../../service/age/signal.ts'
import type { AgeSignal, SubmittedAgeSignal } from '../../service/age/signal-schema.ts'
import type { Claims, ThresholdTrace } from './shapes.ts'

/** The answers that age signals give to claims, with reasons. */
export interface Evaluation {
  /** Whether each requested threshold is reached. The keys are the thresholds: `"18"`. */
  readonly ageThresholds: Readonly<Record<string, boolean>>
  /** One entry for each requested threshold, in the order of the request. */
  readonly trace: readonly ThresholdTrace[]
}

/**
 * Evaluates `signals` against the claims of a relying party (specification, "Claims object"), with
 * reasons. A threshold holds when at least one signal passes every filter and reaches the required
 * age. The function needs neither sandbox nor config: it accepts any platform, and dates may lie in
 * the future.
 * @param now milliseconds since the UNIX epoch, for the age at a date of birth and for relative
 * dates such as `today - 19y`
 * @throws TypeError with all mistakes: the member, what was received, what is allowed
 */
export function evaluate(
  signals: readonly (AgeSignal | SubmittedAgeSignal)[],
  claims: Claims,
  now: number,
): Evaluation {
  const held = parseEvaluationSignals(signals)
  const asked = parseClaims(claims)
  const isInstant = typeof now === 'number' && Number.isFinite(now)
  if (held.signals && asked.claims && isInstant) {
    const resolved = held.signals.map((signal) => resolveSignal(signal, now))
    return evaluateParsed(resolved, asked.claims, now)
  }
  const problems = [
    ...(held.signals ? [] : held.issues.map(({ message }) => message)),
    ...(asked.claims ? [] : asked.issues.map(({ message }) => message)),
    ...(isInstant
      ? []
      : [
          `now must be a number, milliseconds since the UNIX epoch, is ${JSON.stringify(now) ?? String(now)}`,
        ]),
  ]
  throw new TypeError(`evaluate: ${problems.join('; ')}`)
}
