import { parseRelativeDate, type RelativeDate, resolveRelativeDate } from '../../age/calendar.ts'
import type { AgeSignal } from '../../age/signal.ts'
import type { Persona } from './persona-schema.ts'

/** The relative dates of one signal; a plain date is not among them. */
interface RelativeDates {
  readonly dateOfBirth: RelativeDate | undefined
  readonly verifiedAt: RelativeDate | undefined
}

/** A choice page resolves a thousand personas on each request: their expressions are parsed once. */
const compiled = new WeakMap<AgeSignal, RelativeDates>()

/** The persona with plain dates, its relative ones counted from `base` (epoch milliseconds). */
export function resolvePersona(persona: Persona, base: number): Persona {
  if (persona.age_key === undefined) return persona
  return { ...persona, age_key: { signals: persona.age_key.signals.map((signal) => resolveSignal(signal, base)) } }
}

/** The signal with plain dates, its relative ones counted from `base` (epoch milliseconds). */
export function resolveSignal(signal: AgeSignal, base: number): AgeSignal {
  const { dateOfBirth, verifiedAt } = compile(signal)
  if (dateOfBirth === undefined && verifiedAt === undefined) return signal
  return {
    ...signal,
    age: dateOfBirth === undefined ? signal.age : { date_of_birth: resolveRelativeDate(dateOfBirth, base) },
    verified_at: verifiedAt === undefined ? signal.verified_at : resolveRelativeDate(verifiedAt, base),
  }
}

function compile(signal: AgeSignal): RelativeDates {
  const known = compiled.get(signal)
  if (known !== undefined) return known
  const dates = {
    dateOfBirth: 'date_of_birth' in signal.age ? parseRelativeDate(signal.age.date_of_birth) : undefined,
    verifiedAt: parseRelativeDate(signal.verified_at),
  }
  compiled.set(signal, dates)
  return dates
}
