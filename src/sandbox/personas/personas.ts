import type { AgeSignal } from '../../age/signal.ts'
import type { AgeKey, AgeKeys, Ids } from '../../oidc/ports.ts'
import { Refusal } from '../../oidc/refusal.ts'
import type { SandboxClock } from '../clock/clock.ts'
import type { Tables } from '../tenants/tables.ts'
import { ageKeyWith } from './held-age-key.ts'
import { loadNameGenerator } from './name-generator.ts'
import type { Persona } from './persona-schema.ts'
import { resolvePersona, resolveSignal } from './resolve-persona.ts'

/** Personas that one tenant may hold beside the declared ones, or in their place. */
export const MAX_CHANGED_PERSONAS = 1000

/** The personas of one tenant, and the age keys they hold. Dates stay relative except where a function says otherwise. */
export interface Personas extends AgeKeys {
  /** The declared ones in their order, then those added at run time. */
  list(): Promise<Persona[]>
  find(name: string): Promise<Persona | undefined>
  /** Adds a persona or replaces the one of this name, whose age key ends. @throws Refusal */
  put(persona: Persona): Promise<void>
  /** `false` when there is none of this name. @throws Refusal */
  remove(name: string): Promise<boolean>
  /** The persona with plain dates, counted from the clock's base. */
  resolved(persona: Persona): Persona
  /** The age key of a persona from `find` or `list`, with plain dates; `undefined` when it has none. The id stays while the key lives. */
  ageKeyOf(persona: Persona): Promise<AgeKey | undefined>
  /** Create: puts a new age key in place of whatever the persona held; `false` when there is no such persona. @throws Refusal */
  replaceAgeKey(name: string, signals: readonly AgeSignal[]): Promise<boolean>
  /** Create, as a new user: a persona with a generated name, offered from then on. @throws Refusal */
  createWithAgeKey(signals: readonly AgeSignal[]): Promise<Persona>
}

export interface PersonasOptions {
  /** Shared between tenants: never copied, never changed. */
  readonly declared: readonly Persona[]
  readonly clock: Pick<SandboxClock, 'base'>
  readonly ids: Ids
  readonly tables: Tables
}

/** What differs from the declared personas; without a persona, a declared one was removed. */
interface Change {
  readonly persona?: Persona
  /** Its name was generated here: the first to go when there is no room. */
  readonly isGenerated?: true
}

/** Changes by the name of the persona. */
const CHANGES = 'persona'
/** Ids of age keys by the name of their holder: made when first asked for, so that a thousand untouched personas cost nothing. */
const KEY_IDS = 'age_key_id'
/** Names of holders by the id of their age key. */
const HOLDERS = 'age_key_holder'

/** Creates the personas of one tenant: what is declared, under an overlay of what this tenant changed. */
export function createPersonas({ declared, clock, ids, tables }: PersonasOptions): Personas {
  const declaredByName = indexOf(declared)

  const changeOf = async (name: string) => (await tables.get(CHANGES, name)) as Change | undefined
  const changes = async () => (await tables.list(CHANGES)) as readonly (readonly [string, Change])[]
  const find = async (name: string) => {
    const change = await changeOf(name)
    return change ? change.persona : declaredByName.get(name)
  }

  const keyIdOf = async (name: string) => {
    const known = await tables.get(KEY_IDS, name)
    if (typeof known === 'string') return known
    const id = await tables.update(KEY_IDS, name, (current) => (typeof current === 'string' ? current : ids.random(12)))
    await tables.put(HOLDERS, id, name)
    return id
  }

  const endAgeKey = async (name: string) => {
    const id = await tables.get(KEY_IDS, name)
    if (typeof id === 'string') await tables.remove(HOLDERS, id)
    await tables.remove(KEY_IDS, name)
  }

  const forget = async (name: string) => {
    await tables.remove(CHANGES, name)
    await endAgeKey(name)
  }

  /** Decision: saved keys make room for each other, so that Create goes on; what a test put by name is never dropped. */
  const makeRoomFor = async (name: string) => {
    if (await changeOf(name)) return
    const all = await changes()
    if (all.length < MAX_CHANGED_PERSONAS) return
    const oldest = all.find(([, change]) => change.isGenerated)
    if (!oldest)
      throw Refusal.conflict(
        `personas: ${MAX_CHANGED_PERSONAS} are changed or added already; delete some, or reset the tenant`,
      )
    await forget(oldest[0])
  }

  const change = async (name: string, changed: Change) => {
    await makeRoomFor(name)
    await tables.put(CHANGES, name, changed)
  }

  /** Changes what somebody holds; their title, purpose and origin stay. */
  const holdInstead = (name: string, next: (persona: Persona) => Persona) =>
    tables.update(CHANGES, name, (current) => {
      const changed = current as Change | undefined
      const persona = changed ? changed.persona : declaredByName.get(name)
      return persona ? { ...changed, persona: next(persona) } : changed
    })

  const replaceAgeKey = async (name: string, signals: readonly AgeSignal[]) => {
    if ((await find(name)) === undefined) return false
    await makeRoomFor(name)
    await holdInstead(name, (persona) => ({ ...persona, age_key: ageKeyWith(signals) }))
    await endAgeKey(name)
    return true
  }

  const createWithAgeKey = async (signals: readonly AgeSignal[]) => {
    const generate = await loadNameGenerator()
    const { name: wanted, title } = generate(randomUint32(ids))
    for (let n = 1; ; n++) {
      const name = n === 1 ? wanted : `${wanted}-${n}`
      const persona = { name, title, purpose: 'Saved as a new age key in a Create flow.', age_key: ageKeyWith(signals) }
      if (declaredByName.has(name) || (await changeOf(name))) continue
      await makeRoomFor(name)
      if (await tables.add(CHANGES, name, { persona, isGenerated: true } satisfies Change)) return persona
    }
  }

  return {
    async list() {
      const all = new Map(await changes())
      const kept = declared.map((persona) => (all.has(persona.name) ? all.get(persona.name)?.persona : persona))
      const added = [...all].map(([name, { persona }]) => (declaredByName.has(name) ? undefined : persona))
      return [...kept, ...added].filter((persona) => persona !== undefined)
    },
    find,
    async put(persona) {
      await change(persona.name, { persona })
      await endAgeKey(persona.name)
    },
    async remove(name) {
      if ((await find(name)) === undefined) return false
      if (!declaredByName.has(name)) {
        await forget(name)
        return true
      }
      await change(name, {})
      await endAgeKey(name)
      return true
    },
    resolved: (persona) => resolvePersona(persona, clock.base()),
    async ageKeyOf({ name, age_key: ageKey }) {
      if (!ageKey) return undefined
      const base = clock.base()
      return { id: await keyIdOf(name), signals: ageKey.signals.map((signal) => resolveSignal(signal, base)) }
    },
    async add(ageKeyId, signals) {
      const name = await tables.get(HOLDERS, ageKeyId)
      if (typeof name !== 'string' || !(await find(name))?.age_key) return false
      await makeRoomFor(name)
      await holdInstead(name, (persona) => ({
        ...persona,
        age_key: ageKeyWith([...(persona.age_key?.signals ?? []), ...signals]),
      }))
      return true
    },
    replaceAgeKey,
    createWithAgeKey,
    async save(signals, holder) {
      if (holder === undefined) await createWithAgeKey(signals)
      else if (!(await replaceAgeKey(holder, signals))) throw new Error(`no persona "${holder}" to hold the age key`)
    },
  }
}

const indexes = new WeakMap<readonly Persona[], ReadonlyMap<string, Persona>>()

/** One index for all tenants that share the declared personas. */
function indexOf(declared: readonly Persona[]): ReadonlyMap<string, Persona> {
  const index = indexes.get(declared) ?? new Map(declared.map((persona) => [persona.name, persona]))
  indexes.set(declared, index)
  return index
}

function randomUint32(ids: Ids): number {
  return Buffer.from(ids.random(4), 'base64url').readUInt32BE()
}
