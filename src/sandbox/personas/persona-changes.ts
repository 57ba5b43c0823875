import * as z from 'zod'
import { type AgeSignal, MAX_SIGNALS } from '../../service/age/signal.ts'
import type { Ids, RecordChange } from '../../service/oidc/ports.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { type Table, type TenantRecords, table } from '../tables.ts'
import { loadNameGenerator } from './name-generator.ts'
import { type Persona, storedPersonaSchema } from './persona-schema.ts'

/** Maximum number of personas that one tenant adds, replaces or removes at run time. */
export const MAX_CHANGED_PERSONAS = 1000

const changeSchema = z.object({
  /** The changed persona; absent when the declared persona was removed. */
  persona: storedPersonaSchema.optional(),
  /** Whether the sandbox generated the name. Without room these personas are removed first. */
  isGenerated: z.literal(true).optional(),
})

/** How one persona differs from the declared personas. */
type Change = z.infer<typeof changeSchema>

/** The personas that a tenant has added, replaced or removed. */
export interface PersonaChanges {
  /** The changes, by name of the persona. */
  readonly rows: Table<Change>
  /**
   * Adds or replaces a change, and ends the age key of the persona.
   * @throws Refusal when too many personas are changed
   */
  put(name: string, change: Change): Promise<void>
  /**
   * Removes a change, which restores the declared persona if there is one, and ends the age key.
   */
  drop(name: string): Promise<void>
  /**
   * Checks the size of a whole list before the first persona is put, because a refused call must
   * change nothing.
   * @throws Refusal when too many personas are changed
   */
  requireRoomFor(personas: readonly Persona[]): Promise<void>
  /** The change to the age key of a persona. Its title and purpose stay the same. */
  changingAgeKey(
    name: string,
    added: readonly AgeSignal[],
    how: { readonly keeps: boolean },
  ): Promise<RecordChange>
  /** The changes that add a persona with a generated name. */
  addingUser(
    signals: readonly AgeSignal[],
  ): Promise<{ readonly holder: string; readonly changes: readonly RecordChange[] }>
}

export interface PersonaChangesOptions {
  readonly ids: Ids
  readonly records: Pick<TenantRecords, 'store' | 'tables'>
  findDeclared(name: string): Persona | undefined
  /** The changes that end the age key of a persona. */
  endingAgeKey(name: string): Promise<readonly RecordChange[]>
}

const PARSED = new WeakMap<object, Change>()

/** Creates the changes to the personas of one tenant. */
export function createPersonaChanges({
  ids,
  records: { store, tables },
  findDeclared,
  endingAgeKey,
}: PersonaChangesOptions): PersonaChanges {
  const rows = table(tables, { name: 'persona', schema: changeSchema }, PARSED)

  /** Writes the changes that `make` returns; repeats both if another caller wrote first. */
  const write = async (make: () => Promise<readonly RecordChange[]>) => {
    while (!(await store.write(await make())));
  }
  const drop = (name: string) =>
    write(async () => [rows.removing(name), ...(await endingAgeKey(name))])

  // Decision: personas with generated names make room for each other, so that Create keeps working.
  // Personas that a test has put are never removed.
  const makeRoomFor = async (name: string) => {
    if (await rows.get(name)) return
    if ((await rows.count()) < MAX_CHANGED_PERSONAS) return
    const oldest = (await rows.list()).find(([, change]) => change.isGenerated)
    if (!oldest) throw noRoom()
    await drop(oldest[0])
  }
  const freeNameLike = async (wanted: string) => {
    for (let n = 1; ; n++) {
      const name = n === 1 ? wanted : `${wanted}-${n}`
      if (!findDeclared(name) && !(await rows.get(name))) return name
    }
  }

  return {
    rows,
    async put(name, change) {
      await makeRoomFor(name)
      await write(async () => [
        await rows.updating(name, () => change),
        ...(await endingAgeKey(name)),
      ])
    },
    drop,
    async requireRoomFor(personas) {
      const names = new Set(personas.map(({ name }) => name))
      for (const [name, { isGenerated }] of await rows.list()) if (!isGenerated) names.add(name)
      if (names.size > MAX_CHANGED_PERSONAS) throw noRoom()
    },
    async changingAgeKey(name, added, { keeps }) {
      await makeRoomFor(name)
      return rows.updating(name, (change): Change | undefined => {
        const persona = change ? change.persona : findDeclared(name)
        if (!persona) return change
        const held = (keeps && persona.age_key?.signals) || []
        return { ...change, persona: { ...persona, age_key: ageKeyWith(held, added) } }
      })
    },
    async addingUser(signals) {
      const generate = await loadNameGenerator()
      const seed = Buffer.from(ids.random(4), 'base64url').readUInt32BE()
      const { name: wanted, title } = generate(seed)
      const name = await freeNameLike(wanted)
      const persona: Persona = {
        name,
        title,
        purpose: 'Saved as a new age key in a Create flow.',
        age_key: ageKeyWith([], signals),
      }
      await makeRoomFor(name)
      const adding = rows.updating(name, (taken) => taken ?? { persona, isGenerated: true })
      return { holder: name, changes: [await adding] }
    },
  }
}

/**
 * Appends the `added` signals to the `held` signals. Beyond the maximum number the oldest signals
 * are removed.
 */
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
