import { resolveSignal } from '../../sandbox/personas/age-keys.ts'
import { parseClaims } from '../../service/age/claims.ts'
import { evaluate as evaluateParsed } from '../../service/age/evaluate.ts'
import { parseEvaluationSignals } from '../../service/age/signal.ts'
import type { AgeSignal, SubmittedAgeSignal } from '../../service/age/signal-schema.ts'
import type { Claims, ThresholdTrace } from './shapes.ts'

/** The answers that age signals give to claims, with reasons. */
export interface Evaluation {
  /** From each requested threshold (`"18"`) to whether it is reached. */
  readonly ageThresholds: Readonly<Record<string, boolean>>
  /** One entry for each requested threshold, in the order of the request. */
  readonly trace: readonly ThresholdTrace[]
}

/**
 * Whether `signals` satisfy the claims of a relying party (specification, "Claims object"), and
 * why. A threshold holds when at least one signal passes every filter and reaches the required age.
 * The evaluation needs no sandbox and no config: any platform is accepted, and dates may lie in the
 * future.
 * @param now milliseconds since the UNIX epoch, at which a date of birth is turned into an age and
 * a relative date such as `today - 19y` into a date
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
