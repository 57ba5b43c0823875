import type { SigningKeys } from '../sandbox/keys/signing-keys.ts'
import type { World } from '../sandbox/tenants/world.ts'
import { createMemoryDirectory, createMemoryStore, createMemoryTables } from './memory.ts'
import { createMemoryJournal } from './memory-journal.ts'

/** Where everything that a sandbox keeps is kept. */
export interface Stores extends Pick<World, 'journal' | 'directory' | 'isShared' | 'createStore' | 'createTables'> {
  /** The keys that sign at first, where several processes share them: the first one makes them, and the others get the same. */
  agreeOnKeys?(make: () => Promise<SigningKeys>): Promise<SigningKeys>
  close(): void
}

/** Everything in the memory of this process. */
export const createMemoryStores = (): Stores => ({
  journal: createMemoryJournal(),
  directory: createMemoryDirectory(),
  isShared: false,
  createStore: (_tenant, clock) => createMemoryStore({ clock }),
  createTables: () => createMemoryTables(),
  close() {},
})
