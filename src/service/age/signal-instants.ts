import { parseCalendarDate, parseInstant } from './calendar.ts'
import type { AgeSignal } from './signal-schema.ts'

/**
 * The dates of a signal in milliseconds since the UNIX epoch; `NaN` for a day that does not exist.
 */
export interface SignalInstants {
  readonly verified: number
  /** The date of birth; absent when the signal states an age in years. */
  readonly birth: number | undefined
}

const read = new WeakMap<AgeSignal, SignalInstants>()

/**
 * Parses the dates of a signal. The result is cached for each object, because a page may evaluate
 * one signal against many claims.
 */
export function instantsOf(signal: AgeSignal): SignalInstants {
  const known = read.get(signal)
  if (known) return known
  const { age, verified_at: verified } = signal
  const birth =
    'date_of_birth' in age ? (parseCalendarDate(age.date_of_birth) ?? Number.NaN) : undefined
  const instants = { verified: parseInstant(verified) ?? Number.NaN, birth }
  read.set(signal, instants)
  return instants
}
