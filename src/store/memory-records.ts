import type { Clock } from '../oidc/ports.ts'
import type { TenantRecords } from '../sandbox/tables.ts'
import { createMemoryStore, createMemoryTables } from './memory.ts'
import type { MemoryBudget } from './memory-budget.ts'

/** The records of one tenant in the memory of the process. */
export function createMemoryRecords({ clock, budget }: { clock: Clock; budget: MemoryBudget }): TenantRecords {
  const tables = createMemoryTables({ budget })
  return { store: createMemoryStore({ clock, budget, tables }), tables, stateTables: createMemoryTables({ budget }) }
}
