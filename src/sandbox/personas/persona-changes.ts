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
  /** Whether the sandbox generated the name: such personas go first when there is no room. */
  isGenerated: z.literal(true).optional(),
})

/** The difference of one persona from the declared personas. */
type Change = z.infer<typeof changeSchema>

/** The personas that one tenant has added, replaced or removed. */
export interface PersonaChanges {
  /** The changes by the names of the personas. */
  readonly rows: Table<Change>
  /** Adds or replaces a change. The age key of the persona ends. @throws Refusal without room */
  put(name: string, change: Change): Promise<void>
  /** Removes a change: the declared persona is back, if there is one. The age key ends. */
  drop(name: string): Promise<void>
  /**
   * Checks the size of a whole list before its first persona is put, because a refused call undoes
   * nothing.
   * @throws Refusal without room
   */
  requireRoomFor(personas: readonly Persona[]): Promise<void>
  /** The change of the age key of a persona; its title, purpose and origin stay. */
  changingAgeKey(
    name: string,
    added: readonly AgeSignal[],
    how: { readonly keeps: boolean },
  ): Promise<RecordChange>
  /** The change that adds a persona with a generated name. */
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

/** Creates the changes of the personas of one tenant. */
export function createPersonaChanges({
  ids,
  records: { store, tables },
  findDeclared,
  endingAgeKey,
}: PersonaChangesOptions): PersonaChanges {
  const rows = table(tables, { name: 'persona', schema: changeSchema }, PARSED)

  /** Writes the changes of `make`, and repeats this when another caller wrote first. */
  const write = async (make: () => Promise<readonly RecordChange[]>) => {
    while (!(await store.write(await make())));
  }
  const drop = (name: string) =>
    write(async () => [rows.removing(name), ...(await endingAgeKey(name))])

  // Decision: saved age keys make room for each other, so that Create goes on; a persona that a
  // test put is never dropped.
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
