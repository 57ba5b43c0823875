import { parseCalendarDate, parseInstant } from './calendar.ts'
import type { AgeSignal } from './signal-schema.ts'

/** The dates of a signal in epoch milliseconds; `NaN` for a day that does not exist. */
export interface SignalInstants {
  readonly verified: number
  /** The day of birth; absent when the signal says an age in years. */
  readonly birth: number | undefined
}

const read = new WeakMap<AgeSignal, SignalInstants>()

/**
 * Reads the dates of a signal, once for each object: a page may evaluate one signal against many
 * claims.
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
