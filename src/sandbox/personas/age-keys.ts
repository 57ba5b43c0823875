import { parseRelativeDate, resolveRelativeDate } from '../../service/age/calendar.ts'
import type { AgeSignal } from '../../service/age/signal.ts'
import type { Persona } from './persona-schema.ts'

/**
 * The id of the age key in a flow of an audit. An upgrade of this age key succeeds but is not
 * saved.
 */
export const UNSAVED_AGE_KEY = 'unsaved'

/** Resolves the date of a signal. */
type ResolveDate = (text: string) => string

/**
 * A persona with absolute dates. Relative dates are resolved at `base` (milliseconds since the UNIX
 * epoch).
 */
export const resolvePersona = (persona: Persona, base: number): Persona =>
  withDates(persona, (text) => resolveDate(text, base))

/** Personas with absolute dates, resolved at one `base`. Equal dates are resolved only once. */
export function resolvePersonas(personas: readonly Persona[], base: number): Persona[] {
  const known = new Map<string, string>()
  const resolve = (text: string) => {
    const date = known.get(text) ?? resolveDate(text, base)
    known.set(text, date)
    return date
  }
  return personas.map((persona) => withDates(persona, resolve))
}

/**
 * A signal with absolute dates. Relative dates are resolved at `base` (milliseconds since the UNIX
 * epoch).
 */
export const resolveSignal = (signal: AgeSignal, base: number): AgeSignal =>
  signalWithDates(signal, (text) => resolveDate(text, base))

function withDates(persona: Persona, resolve: ResolveDate): Persona {
  if (persona.age_key === undefined) return persona
  return {
    ...persona,
    age_key: { signals: persona.age_key.signals.map((signal) => signalWithDates(signal, resolve)) },
  }
}

function signalWithDates(signal: AgeSignal, resolve: ResolveDate): AgeSignal {
  const { age, verified_at } = signal
  return {
    ...signal,
    age: 'date_of_birth' in age ? { date_of_birth: resolve(age.date_of_birth) } : age,
    verified_at: resolve(verified_at),
  }
}

/**
 * Resolves a relative date at `base` (milliseconds since the UNIX epoch). Absolute dates are
 * returned unchanged.
 */
export function resolveDate(text: string, base: number): string {
  const relative = parseRelativeDate(text)
  return relative ? resolveRelativeDate(relative, base) : text
}
