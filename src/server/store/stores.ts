import type { KeySource } from '../../sandbox/keys/key-ring.ts'
import type { SigningKeys } from '../../sandbox/keys/signing-keys.ts'
import {
  MAX_TENANTS,
  type SharedParts,
  type TenantDirectory,
} from '../../sandbox/tenants/shared-parts.ts'
import { createMemoryRecords } from './memory.ts'
import { createMemoryBudget, type Kept, type MemoryBudget } from './memory-budget.ts'
import { createMemoryJournal } from './memory-journal.ts'

export interface Stores
  extends Pick<SharedParts, 'journal' | 'directory' | 'agree' | 'createRecords'> {
  /**
   * Agrees on the signing keys with all processes that share the store: the first process creates
   * them, the others take them, also later (`agree`). Absent for a store of a single process.
   */
  agreeOnKeys?(make: () => Promise<SigningKeys>): Promise<KeySource>
  /** @throws Refusal (503) while records cannot be written */
  check(): Promise<void>
  close(): void
}

/**
 * Creates all stores in the memory of this process.
 * @param megabytes the memory budget (default: `memory_budget`)
 */
export function createMemoryStores(megabytes?: number): Stores {
  const budget = createMemoryBudget(megabytes)
  return {
    journal: createMemoryJournal({ memory: budget }),
    directory: createMemoryDirectory({ budget }),
    createRecords: (_tenant, clock) => createMemoryRecords({ clock, budget }),
    async check() {},
    close() {},
  }
}

/** Estimated bytes of a tenant without records. */
const TENANT_BYTES = 26_000

export function createMemoryDirectory({
  max = MAX_TENANTS,
  budget = createMemoryBudget(),
}: {
  budget?: MemoryBudget
  max?: number
} = {}): TenantDirectory {
  /** Least recently used first. */
  const touched = new Map<string, Kept>()
  const declared = new Map<string, Kept>()
  const remove = (name: string, tenants: Map<string, Kept>) => {
    budget.release(tenants.get(name))
    return tenants.delete(name)
  }
  const use = (name: string, tenants: Map<string, Kept>) => {
    const tenant: Kept = { rank: 'declared', bytes: TENANT_BYTES, drop: () => tenants.delete(name) }
    budget.keep(tenant, tenants.get(name))
    tenants.delete(name)
    tenants.set(name, tenant)
    const [oldest] = tenants.keys()
    if (tenants.size <= max || oldest === undefined) return []
    remove(oldest, tenants)
    return [oldest]
  }
  return {
    touch: async (name) => use(name, declared.has(name) ? declared : touched),
    async declare(name) {
      const gone = use(name, declared)
      remove(name, touched)
      return gone
    },
    has: async (name) => declared.has(name) || touched.has(name),
    list: async () => [...touched.keys(), ...declared.keys()],
    remove: async (name) => remove(name, declared) || remove(name, touched),
    // Deleting records in memory does not fail.
    async forgotten() {},
  }
}
