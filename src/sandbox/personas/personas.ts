import * as z from 'zod'
import { type AgeSignal, MAX_SIGNALS } from '../../service/age/signal.ts'
import {
  type AgeKey,
  type AgeKeys,
  type Awaitable,
  type Ids,
  type RecordChange as Written,
  whenThere,
} from '../../service/oidc/ports.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import type { SandboxClock } from '../clock/clock.ts'
import { type Tables, type TenantRecords, table } from '../tables.ts'
import { resolvePersona, resolvePersonas, resolveSignal, UNSAVED_AGE_KEY } from './age-keys.ts'
import { loadNameGenerator } from './name-generator.ts'
import { type Persona, storedPersonaSchema } from './persona-schema.ts'

/** Personas that one tenant adds, replaces or removes at run time. */
export const MAX_CHANGED_PERSONAS = 1000

/**
 * The personas of one tenant, and the age keys they hold. Dates stay relative except where a
 * function says otherwise.
 */
export interface Personas extends AgeKeys {
  /** The declared personas in their order, then those added at run time. */
  list(): Promise<Persona[]>
  find(name: string): Awaitable<Persona | undefined>
  /**
   * Adds a persona, or replaces the persona of the same name, whose age key ends.
   * @throws Refusal
   */
  put(persona: Persona): Promise<void>
  /** Adds or replaces all of the personas or none. @throws Refusal */
  putAll(personas: readonly Persona[]): Promise<void>
  /** Removes a persona; `false` when no persona has this name. @throws Refusal */
  remove(name: string): Promise<boolean>
  /**
   * The names of personas that differ from the declared ones: put or removed by a test, or changed
   * by Create and Upgrade.
   */
  changed(): Promise<string[]>
  /** Restores the declared personas. */
  restore(): Promise<void>
  /** The persona with plain dates, which count from the base of the clock. */
  resolved(persona: Persona): Persona
  /** Many personas with plain dates, which count from one base of the clock. */
  resolvedAll(personas: readonly Persona[]): Persona[]
  /**
   * The age key of a persona from `find` or `list`, with plain dates; `undefined` when the persona
   * has none. The id stays while the key exists.
   */
  ageKeyOf(persona: Persona): Promise<AgeKey | undefined>
}

export interface PersonasOptions {
  /**
   * The declared personas at present, shared by all tenants: never copied, and replaced as a whole.
   */
  declared(): readonly Persona[]
  readonly clock: Pick<SandboxClock, 'base'>
  readonly ids: Ids
  readonly records: Pick<TenantRecords, 'store' | 'tables'>
}

/** The difference from the declared personas. */
const changeSchema = z.object({
  /** The changed persona; absent when the declared persona was removed. */
  persona: storedPersonaSchema.optional(),
  /** Whether the sandbox generated the name: such personas go first when there is no room. */
  isGenerated: z.literal(true).optional(),
})

type Change = z.infer<typeof changeSchema>

const PARSED = new WeakMap<object, Change>()

/**
 * Creates the personas of one tenant: the declared ones, overlaid with the changes of the tenant.
 */
export function createPersonas({
  declared,
  clock,
  ids,
  records: { store, tables },
}: PersonasOptions): Personas {
  const findDeclared = (name: string) => declared().find((persona) => persona.name === name)
  const changes = table(tables, { name: 'persona', schema: changeSchema }, PARSED)
  const ageKeyIds = createAgeKeyIds(ids, tables)

  const find = (name: string) =>
    whenThere(changes.get(name), (change) => (change ? change.persona : findDeclared(name)))

  /** Writes the changes of `make`, and repeats this when another caller wrote first. */
  const write = async (make: () => Promise<readonly Written[]>) => {
    while (!(await store.write(await make())));
  }
  const forget = (name: string) =>
    write(async () => [changes.removing(name), ...(await ageKeyIds.ending(name))])

  /**
   * Decision: saved age keys make room for each other, so that Create goes on; a persona that a
   * test put is never dropped.
   */
  const makeRoomFor = async (name: string) => {
    if (await changes.get(name)) return
    if ((await changes.count()) < MAX_CHANGED_PERSONAS) return
    const oldest = (await changes.list()).find(([, change]) => change.isGenerated)
    if (!oldest) throw noRoom()
    await forget(oldest[0])
  }

  /**
   * The size of the whole list is checked before its first persona is put, because a refused call
   * undoes nothing.
   */
  const requireRoomFor = async (personas: readonly Persona[]) => {
    const kept = await changes.list()
    const names = new Set(kept.filter(([, change]) => !change.isGenerated).map(([name]) => name))
    for (const { name } of personas) names.add(name)
    if (names.size > MAX_CHANGED_PERSONAS) throw noRoom()
  }

  const put = async (name: string, change: Change) => {
    await makeRoomFor(name)
    await write(async () => [
      await changes.updating(name, () => change),
      ...(await ageKeyIds.ending(name)),
    ])
  }

  /** The change of the age key of a persona; its title, purpose and origin stay. */
  const changingAgeKey = async (
    name: string,
    added: readonly AgeSignal[],
    { keeps }: { keeps: boolean },
  ) => {
    await makeRoomFor(name)
    return changes.updating(name, (change): Change | undefined => {
      const persona = change ? change.persona : findDeclared(name)
      if (!persona) return change
      const held = (keeps && persona.age_key?.signals) || []
      return { ...change, persona: { ...persona, age_key: ageKeyWith(held, added) } }
    })
  }

  /** The change that adds a persona with a generated name. */
  const addingUser = async (signals: readonly AgeSignal[]) => {
    const generate = await loadNameGenerator()
    const { name: wanted, title } = generate(Buffer.from(ids.random(4), 'base64url').readUInt32BE())
    for (let n = 1; ; n++) {
      const name = n === 1 ? wanted : `${wanted}-${n}`
      if (findDeclared(name) || (await changes.get(name))) continue
      const purpose = 'Saved as a new age key in a Create flow.'
      const persona = { name, title, purpose, age_key: ageKeyWith([], signals) }
      await makeRoomFor(name)
      const adding = changes.updating(name, (taken) => taken ?? { persona, isGenerated: true })
      return { holder: name, changes: [await adding] }
    }
  }

  return {
    async list() {
      const all = new Map<string, Persona | undefined>(
        declared().map((persona) => [persona.name, persona]),
      )
      // A changed persona keeps the place of the declared one.
      for (const [name, { persona }] of await changes.list()) all.set(name, persona)
      return [...all.values()].filter((persona) => persona !== undefined)
    },
    find,
    put: (persona) => put(persona.name, { persona }),
    async putAll(personas) {
      await requireRoomFor(personas)
      for (const persona of personas) await put(persona.name, { persona })
    },
    async remove(name) {
      if ((await find(name)) === undefined) return false
      if (findDeclared(name)) await put(name, {})
      else await forget(name)
      return true
    },
    changed: async () => (await changes.list()).map(([name]) => name),
    async restore() {
      for (const [name] of await changes.list()) await forget(name)
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
      return [await changingAgeKey(name, signals, how)]
    },
    async saving(signals, holder) {
      if (holder === undefined) return addingUser(signals)
      if (!(await find(holder))) throw new Error(`no persona "${holder}" to hold the age key`)
      const changing = await changingAgeKey(holder, signals, { keeps: false })
      return { holder, changes: [changing, ...(await ageKeyIds.ending(holder))] }
    },
  }
}

/** The ids of the age keys that personas hold. An id lives as long as its key. */
function createAgeKeyIds(ids: Ids, tables: Tables) {
  const idsByPersona = table(tables, { name: 'age_key_id', schema: z.string() })
  const holders = table(tables, { name: 'age_key_holder', schema: z.string() })
  return {
    /** Makes the id on first use, so that a thousand untouched personas cost nothing. */
    async idOf(persona: string): Promise<string> {
      const known = await idsByPersona.get(persona)
      if (known !== undefined) return known
      const id = await idsByPersona.update(persona, (current) => current ?? ids.random(12))
      await holders.put(id, persona)
      return id
    },
    /** The name of the persona that holds the key; `undefined` when the key has ended. */
    holderOf: holders.get,
    /** The changes that end the key of a persona: its next key has another id. */
    async ending(persona: string): Promise<readonly Written[]> {
      const id = await idsByPersona.get(persona)
      return id === undefined ? [] : [holders.removing(id), idsByPersona.removing(persona)]
    },
  }
}

/** The age key with the `added` signals behind the `held` ones; beyond the limit the oldest go. */
const ageKeyWith = (
  held: readonly AgeSignal[],
  added: readonly AgeSignal[],
): { signals: AgeSignal[] } => ({
  signals: [...held, ...added].slice(-MAX_SIGNALS),
})

const noRoom = () =>
  Refusal.conflict(
    `personas: ${MAX_CHANGED_PERSONAS} are changed or added already; delete some, or reset the tenant`,
  )
