import * as z from 'zod'
import { parseRelativeDate, resolveRelativeDate } from '../../age/calendar.ts'
import { type AgeSignal, MAX_SIGNALS } from '../../age/signal.ts'
import type { Awaitable, Ids, RecordChange } from '../../oidc/ports.ts'
import { type Tables, table } from '../tables.ts'
import type { Persona } from './persona-schema.ts'

/** The ids of the age keys that personas hold. An id lives as long as its key. */
export interface AgeKeyIds {
  /** An id is made on first use, so that a thousand untouched personas cost nothing. */
  idOf(persona: string): Promise<string>
  /** The name of the persona that holds the key; `undefined` when the key has ended. */
  holderOf(id: string): Awaitable<string | undefined>
  /** The changes that end the key of a persona: its next key has another id. */
  ending(persona: string): Promise<readonly RecordChange[]>
}

/** The id of the age key in a flow of an audit: an upgrade of this key succeeds and is not saved. */
export const UNSAVED_AGE_KEY = 'unsaved'

const schema = z.string()

export function createAgeKeyIds({ ids, tables }: { ids: Ids; tables: Tables }): AgeKeyIds {
  const idsByPersona = table(tables, { name: 'age_key_id', schema })
  const holders = table(tables, { name: 'age_key_holder', schema })
  return {
    async idOf(persona) {
      const known = await idsByPersona.get(persona)
      if (known !== undefined) return known
      const id = await idsByPersona.update(persona, (current) => current ?? ids.random(12))
      await holders.put(id, persona)
      return id
    },
    holderOf: holders.get,
    async ending(persona) {
      const id = await idsByPersona.get(persona)
      return id === undefined ? [] : [holders.removing(id), idsByPersona.removing(persona)]
    },
  }
}

/** The age key with the `added` signals behind the `held` ones; beyond the limit the oldest go. */
export const ageKeyWith = (held: readonly AgeSignal[], added: readonly AgeSignal[]): { signals: AgeSignal[] } => ({
  signals: [...held, ...added].slice(-MAX_SIGNALS),
})

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
