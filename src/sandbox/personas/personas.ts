import * as z from 'zod'
import {
  type AgeKey,
  type AgeKeys,
  type Awaitable,
  type Ids,
  type RecordChange,
  whenThere,
} from '../../service/oidc/ports.ts'
import type { SandboxClock } from '../clock/clock.ts'
import { type Tables, type TenantRecords, table } from '../tables.ts'
import { resolvePersona, resolvePersonas, resolveSignal, UNSAVED_AGE_KEY } from './age-keys.ts'
import { createPersonaChanges } from './persona-changes.ts'
import type { Persona } from './persona-schema.ts'

/**
 * The personas of one tenant and their age keys. Dates stay relative unless a function says
 * otherwise.
 */
export interface Personas extends AgeKeys {
  /** The declared personas in their order, then the personas added at run time. */
  list(): Promise<Persona[]>
  find(name: string): Awaitable<Persona | undefined>
  /**
   * Adds a persona, or replaces the persona with this name and ends its age key.
   * @throws Refusal when too many personas are changed
   */
  put(persona: Persona): Promise<void>
  /**
   * Adds or replaces all of the personas or none.
   * @throws Refusal when too many personas are changed
   */
  putAll(personas: readonly Persona[]): Promise<void>
  /**
   * Removes a persona. Returns `false` when no persona has this name.
   * @throws Refusal when too many personas are changed
   */
  remove(name: string): Promise<boolean>
  /**
   * The names of personas that differ from the declared personas: put, removed, or changed by
   * Create or Upgrade.
   */
  changed(): Promise<string[]>
  /** Restores the declared personas. */
  restore(): Promise<void>
  /** A persona with absolute dates, resolved at the base of the clock. */
  resolved(persona: Persona): Persona
  /** Personas with absolute dates, resolved at the same base of the clock. */
  resolvedAll(personas: readonly Persona[]): Persona[]
  /**
   * The age key of a persona, with absolute dates; `undefined` when the persona has none. The id is
   * stable until the age key ends.
   */
  ageKeyOf(persona: Persona): Promise<AgeKey | undefined>
}

export interface PersonasOptions {
  /**
   * The currently declared personas. All tenants share this list; it is never changed but replaced
   * as a whole.
   */
  declared(): readonly Persona[]
  readonly clock: Pick<SandboxClock, 'base'>
  readonly ids: Ids
  readonly records: Pick<TenantRecords, 'store' | 'tables'>
}

/** Creates the personas of one tenant: the declared personas with the changes of the tenant. */
export function createPersonas({ declared, clock, ids, records }: PersonasOptions): Personas {
  const findDeclared = (name: string) => {
    for (const persona of declared()) if (persona.name === name) return persona
    return undefined
  }
  const ageKeyIds = createAgeKeyIds(ids, records.tables)
  const changes = createPersonaChanges({
    findDeclared,
    ids,
    records,
    endingAgeKey: ageKeyIds.ending,
  })
  const { rows } = changes
  const find = (name: string) =>
    whenThere(rows.get(name), (change) => (change ? change.persona : findDeclared(name)))

  return {
    async list() {
      const all = new Map<string, Persona | undefined>()
      for (const persona of declared()) all.set(persona.name, persona)
      // A changed persona keeps the position of the declared persona.
      for (const [name, { persona }] of await rows.list()) all.set(name, persona)
      return [...all.values()].filter((persona) => persona !== undefined)
    },
    find,
    put: (persona) => changes.put(persona.name, { persona }),
    async putAll(personas) {
      await changes.requireRoomFor(personas)
      for (const persona of personas) await changes.put(persona.name, { persona })
    },
    async remove(name) {
      if ((await find(name)) === undefined) return false
      if (findDeclared(name)) await changes.put(name, {})
      else await changes.drop(name)
      return true
    },
    changed: async () => (await rows.list()).map(([name]) => name),
    async restore() {
      for (const [name] of await rows.list()) await changes.drop(name)
    },
    resolved: (persona) => resolvePersona(persona, clock.base()),
    resolvedAll: (personas) => resolvePersonas(personas, clock.base()),
    async ageKeyOf({ name, age_key: ageKey }) {
      if (!ageKey) return undefined
      const base = clock.base()
      return {
        id: await ageKeyIds.idOf(name),
        signals: ageKey.signals.map((signal) => resolveSignal(signal, base)),
      }
    },
    async adding(ageKeyId, signals, how) {
      if (ageKeyId === UNSAVED_AGE_KEY) return []
      const name = await ageKeyIds.holderOf(ageKeyId)
      if (name === undefined || !(await find(name))?.age_key) return undefined
      return [await changes.changingAgeKey(name, signals, how)]
    },
    async saving(signals, holder) {
      if (holder === undefined) return changes.addingUser(signals)
      if (!(await find(holder))) throw new Error(`no persona "${holder}" to hold the age key`)
      const changing = await changes.changingAgeKey(holder, signals, { keeps: false })
      return { holder, changes: [changing, ...(await ageKeyIds.ending(holder))] }
    },
  }
}

/** The ids of age keys. An id is valid until the age key ends. */
interface AgeKeyIds {
  /**
   * The id of a persona's age key. It is created on first use, so that unused personas cost
   * nothing.
   */
  idOf(persona: string): Promise<string>
  /** The persona that holds the age key; `undefined` when the age key has ended. */
  holderOf(id: string): Awaitable<string | undefined>
  /** The changes that end the age key of a persona. The next age key gets another id. */
  ending(persona: string): Promise<readonly RecordChange[]>
}

function createAgeKeyIds(ids: Ids, tables: Tables): AgeKeyIds {
  const idsByPersona = table(tables, { name: 'age_key_id', schema: z.string() })
  const holders = table(tables, { name: 'age_key_holder', schema: z.string() })
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
