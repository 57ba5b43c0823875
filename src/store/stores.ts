import type { SigningKeys } from '../sandbox/keys/signing-keys.ts'
import type { SharedParts } from '../sandbox/tenants/shared-parts.ts'
import { createMemoryRecords } from './memory.ts'
import { createMemoryBudget } from './memory-budget.ts'
import { createMemoryDirectory } from './memory-directory.ts'
import { createMemoryJournal } from './memory-journal.ts'

/** All stores of a sandbox. */
export interface Stores extends Pick<SharedParts, 'journal' | 'directory' | 'isShared' | 'createRecords'> {
  /** The first signing keys, where several processes share them: the first process makes them, the others read them. */
  agreeOnKeys?(make: () => Promise<SigningKeys>): Promise<SigningKeys>
  /** @throws Refusal (503) while records cannot be written */
  check(): Promise<void>
  close(): void
}

/** All stores in the memory of this process. @param megabytes its budget; the default when absent */
export function createMemoryStores(megabytes?: number): Stores {
  const budget = createMemoryBudget(megabytes)
  return {
    journal: createMemoryJournal({ memory: budget }),
    directory: createMemoryDirectory({ budget }),
    isShared: false,
    createRecords: (_tenant, clock) => createMemoryRecords({ clock, budget }),
    async check() {},
    close() {},
  }
}
