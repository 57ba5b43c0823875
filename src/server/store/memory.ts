import type { TenantRecords, TenantStore } from '../../sandbox/tables.ts'
import type { Clock, RecordChange, Store } from '../../service/oidc/ports.ts'
import {
  bytesOf,
  createFifo,
  createMemoryBudget,
  type Fifo,
  type Kept,
  type MemoryBudget,
} from './memory-budget.ts'
import { createMemoryTables, type MemoryTables } from './memory-tables.ts'

/** Creates the records of a tenant in the memory of the process. */
export function createMemoryRecords({
  clock,
  budget,
}: {
  clock: Clock
  budget: MemoryBudget
}): TenantRecords {
  const tables = createMemoryTables({ budget })
  return {
    store: createMemoryStore({ clock, budget, tables }),
    tables,
    stateTables: createMemoryTables({ budget }),
  }
}

interface MemoryStoreOptions {
  readonly clock: Clock
  /** Maximum number of records in a collection (default 10,000). */
  readonly limit?: number
  /** The budget that the tenants of a process share. */
  readonly budget?: MemoryBudget
  /** The tables that `write` changes. */
  readonly tables?: MemoryTables
}

/**
 * Creates a store in the memory of the process: bounded, without timers. An expired record is
 * removed when it is read. The oldest records are removed when a collection exceeds `limit` or the
 * budget is full.
 */
export function createMemoryStore({
  clock,
  limit = 10_000,
  budget = createMemoryBudget(),
  tables = createMemoryTables({ budget }),
}: MemoryStoreOptions): TenantStore {
  const collections = createCollections({ clock, limit, budget })
  const isPossible = (change: RecordChange) => {
    if (change.kind === 'take') return collections.find(change.collection, change.id) !== undefined
    if (change.kind === 'put' || change.was === undefined) return true
    return tables.isStill(change.table, change.id, change.was.value)
  }
  return {
    get: (collection, id) => readValue(collections.find(collection, id)),
    put: collections.put,
    take(collection, id) {
      const entry = collections.find(collection, id)
      collections.remove(collection, id)
      return readValue(entry)
    },
    write(changes) {
      if (!changes.every(isPossible)) return false
      // Puts come first: if a put finds no room and throws, nothing has been taken yet.
      for (const change of changes)
        if (change.kind === 'put')
          collections.put(
            change.collection,
            change.id,
            change.value,
            change.expiresAt,
            change.options,
          )
      for (const change of changes)
        if (change.kind === 'row') tables.update(change.table, change.id, () => change.value)
      for (const change of changes)
        if (change.kind === 'take') collections.remove(change.collection, change.id)
      return true
    },
    clear: collections.clear,
  }
}

/**
 * A record. Its value is a JSON text, as in other stores, so that changing a returned object does
 * not change the record.
 */
interface Entry extends Kept {
  readonly id: string
  readonly text: string
  readonly expiresAt: number
}

const readValue = (entry: Entry | undefined): unknown => entry && JSON.parse(entry.text)

/** The records of a store by collection and id, within the limits. */
interface Collections {
  /** Finds a record that has not expired. */
  find(collection: string, id: string): Entry | undefined
  put(...record: Parameters<Store['put']>): void
  remove(collection: string, id: string): void
  clear(): void
}

interface Collection {
  readonly entries: Map<string, Entry>
  readonly order: Fifo<Entry>
}

function createCollections({
  clock,
  limit,
  budget,
}: {
  clock: Clock
  limit: number
  budget: MemoryBudget
}): Collections {
  const collections = new Map<string, Collection>()
  const collectionOf = (name: string): Collection => {
    const known = collections.get(name)
    if (known) return known
    const created = createCollection()
    collections.set(name, created)
    return created
  }
  const remove = (collection: string, id: string) => {
    const entries = collections.get(collection)?.entries
    budget.release(entries?.get(id))
    entries?.delete(id)
  }
  return {
    find(collection, id) {
      const entry = collections.get(collection)?.entries.get(id)
      if (!entry || entry.expiresAt > clock.now()) return entry
      remove(collection, id)
      return undefined
    },
    put(collection, id, value, expiresAt, { isUnfinished = false } = {}) {
      const { entries, order } = collectionOf(collection)
      const text = JSON.stringify(value)
      const entry: Entry = {
        id,
        text,
        expiresAt,
        rank: isUnfinished ? 'unfinished' : 'record',
        bytes: bytesOf(id, text),
        drop: () => entries.delete(id),
      }
      budget.keep(entry, entries.get(id))
      // A record that is written again counts as the newest; its earlier entry is void.
      entries.set(id, entry)
      order.push(entry)
      const oldest = entries.size > limit ? order.shift() : undefined
      if (oldest) remove(collection, oldest.id)
    },
    remove,
    clear() {
      for (const { entries } of collections.values())
        for (const entry of entries.values()) budget.release(entry)
      collections.clear()
    },
  }
}

function createCollection(): Collection {
  const entries = new Map<string, Entry>()
  const isThere = (entry: Entry) => entries.get(entry.id) === entry
  return { entries, order: createFifo({ isThere, count: () => entries.size }) }
}
