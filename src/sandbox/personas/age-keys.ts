import { parseRelativeDate, resolveRelativeDate } from '../../age/calendar.ts'
import type { AgeSignal } from '../../age/signal.ts'
import type { Persona } from './persona-schema.ts'

/** The id of the age key in a flow of an audit: an upgrade of this key succeeds and is not saved. */
export const UNSAVED_AGE_KEY = 'unsaved'

/** The persona with plain dates; relative dates count from `base` (epoch milliseconds). */
export function resolvePersona(persona: Persona, base: number): Persona {
  if (persona.age_key === undefined) return persona
  return { ...persona, age_key: { signals: persona.age_key.signals.map((signal) => resolveSignal(signal, base)) } }
}

/** The signal with plain dates; relative dates count from `base` (epoch milliseconds). */
export function resolveSignal(signal: AgeSignal, base: number): AgeSignal {
  const { age, verified_at } = signal
  return {
    ...signal,
    age: 'date_of_birth' in age ? { date_of_birth: resolveDate(age.date_of_birth, base) } : age,
    verified_at: resolveDate(verified_at, base),
  }
}

/** A plain date stays as it is. */
export function resolveDate(text: string, base: number): string {
  const relative = parseRelativeDate(text)
  return relative ? resolveRelativeDate(relative, base) : text
}
