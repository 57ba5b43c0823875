import type { Clock } from '../oidc/ports.ts'
import type { Change, TenantRecords } from '../sandbox/tenants/shared-parts.ts'
import { createMemoryStore, createMemoryTables } from './memory.ts'
import type { MemoryBudget } from './memory-budget.ts'

/** The records of one tenant in the memory of the process. */
export function createMemoryRecords({ clock, budget }: { clock: Clock; budget: MemoryBudget }): TenantRecords {
  const store = createMemoryStore({ clock, budget })
  const parts = { tables: createMemoryTables({ budget }), stateTables: createMemoryTables({ budget }) }
  const isPossible = (change: Change) => {
    if (change.kind === 'put') return true
    if (change.kind === 'take') return store.now.has(change.collection, change.id)
    if (change.was === undefined) return true
    return parts[change.part].now.isStill(change.table, change.id, change.was.value)
  }
  const write = (change: Change) => {
    if (change.kind === 'put') {
      store.now.put(change.collection, change.id, change.value, change.expiresAt, change.options)
    } else if (change.kind === 'take') store.now.take(change.collection, change.id)
    else if (change.value === undefined) parts[change.part].now.remove(change.table, change.id)
    else parts[change.part].now.put(change.table, change.id, change.value)
  }
  return {
    store,
    ...parts,
    async commit(changes) {
      if (!changes.every(isPossible)) return false
      // What may find no room goes first: nothing is taken then.
      const needsRoom = (change: Change) => (change.kind === 'put' ? 0 : change.kind === 'row' ? 1 : 2)
      for (const change of [...changes].sort((one, other) => needsRoom(one) - needsRoom(other))) write(change)
      return true
    },
  }
}
