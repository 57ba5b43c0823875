import type { Tables, TenantRecords, TenantStore } from '../../sandbox/tables.ts'
import type { Clock, RecordChange } from '../../service/oidc/ports.ts'
import {
  bytesOf,
  bytesOfValue,
  createFifo,
  createMemoryBudget,
  ENTRY_BYTES,
  type Fifo,
  type Kept,
  type MemoryBudget,
} from './memory-budget.ts'

/**
 * Values are kept as text, as in any other store: changing an object does not change its record.
 */
interface Entry extends Kept {
  readonly id: string
  readonly text: string
  readonly expiresAt: number
}

interface Records {
  readonly entries: Map<string, Entry>
  readonly order: Fifo<Entry>
}

interface MemoryOptions {
  /** The budget that the tenants of a process share. */
  readonly budget?: MemoryBudget
}

interface MemoryTables extends Tables {
  /** Whether a row still has the value that was read, or is still absent. */
  isStill(table: string, id: string, value: unknown): boolean
}

/**
 * A store in the memory of the process: bounded, without timers. An expired record is dropped when
 * it is read. When a collection holds `limit` records, or the budget is used up, the oldest goes.
 * @param options.limit records per collection (default 10,000)
 * @param options.tables the tables that `write` changes
 */
export function createMemoryStore({
  clock,
  limit = 10_000,
  budget = createMemoryBudget(),
  tables = createMemoryTables({ budget }),
}: MemoryOptions & { clock: Clock; limit?: number; tables?: MemoryTables }): TenantStore {
  const collections = new Map<string, Records>()
  const collectionOf = (name: string): Records => {
    const known = collections.get(name)
    if (known) return known
    const entries = new Map<string, Entry>()
    const isThere = (entry: Entry) => entries.get(entry.id) === entry
    const made = { entries, order: createFifo({ isThere, count: () => entries.size }) }
    collections.set(name, made)
    return made
  }
  const remove = (collection: string, id: string) => {
    const entries = collections.get(collection)?.entries
    budget.release(entries?.get(id))
    entries?.delete(id)
  }
  const find = (collection: string, id: string): Entry | undefined => {
    const entry = collections.get(collection)?.entries.get(id)
    if (!entry || entry.expiresAt > clock.now()) return entry
    remove(collection, id)
    return undefined
  }

  const isPossible = (change: RecordChange) => {
    if (change.kind === 'take') return find(change.collection, change.id) !== undefined
    if (change.kind === 'put' || change.was === undefined) return true
    return tables.isStill(change.table, change.id, change.was.value)
  }
  const store: TenantStore = {
    get: (collection, id) => readValue(find(collection, id)),
    put(collection, id, value, expiresAt, { isUnfinished = false } = {}) {
      const { entries, order } = collectionOf(collection)
      const text = JSON.stringify(value)
      const rank = isUnfinished ? 'unfinished' : 'record'
      const entry: Entry = {
        id,
        text,
        expiresAt,
        rank,
        bytes: bytesOf(id, text),
        drop: () => entries.delete(id),
      }
      budget.keep(entry, entries.get(id))
      // A record that is written again counts as the newest; its earlier entry is gone.
      entries.set(id, entry)
      order.push(entry)
      const oldest = entries.size > limit ? order.shift() : undefined
      if (oldest) remove(collection, oldest.id)
    },
    take(collection, id) {
      const entry = find(collection, id)
      remove(collection, id)
      return readValue(entry)
    },
    write(changes) {
      if (!changes.every(isPossible)) return false
      // Puts come first, because they may find no room: then nothing has been taken.
      for (const change of changes)
        if (change.kind === 'put')
          store.put(change.collection, change.id, change.value, change.expiresAt, change.options)
      for (const change of changes)
        if (change.kind === 'row') tables.update(change.table, change.id, () => change.value)
      for (const change of changes) if (change.kind === 'take') remove(change.collection, change.id)
      return true
    },
    clear() {
      for (const { entries } of collections.values())
        for (const entry of entries.values()) budget.release(entry)
      collections.clear()
    },
  }
  return store
}

const readValue = (entry: Entry | undefined): unknown => entry && JSON.parse(entry.text)

/** Neither the writer nor a reader of a row changes its value. */
interface Row extends Kept {
  readonly value: unknown
}

const NO_ROWS: readonly (readonly [id: string, value: unknown])[] = []

/**
 * Tables in the memory of the process. A row keeps the value that was put: rows are read more often
 * than they change.
 */
export function createMemoryTables({
  budget = createMemoryBudget(),
}: MemoryOptions = {}): MemoryTables {
  const tables = new Map<string, Map<string, Row>>()
  /** Each table as it was listed last, until one of its rows changes. */
  const lists = new Map<string, readonly (readonly [id: string, value: unknown])[]>()
  const list = (table: string) => {
    const kept = tables.get(table)
    if (!kept || kept.size === 0) return NO_ROWS
    const known = lists.get(table)
    if (known) return known
    const rows: (readonly [id: string, value: unknown])[] = []
    for (const [id, { value }] of kept) rows.push([id, value])
    lists.set(table, rows)
    return rows
  }
  const find = (table: string, id: string) => tables.get(table)?.get(id)?.value
  const put = (table: string, id: string, value: unknown) => {
    const rows = tables.get(table) ?? new Map<string, Row>()
    const known = rows.get(id)
    if (known && known.value === value) return
    tables.set(table, rows)
    lists.delete(table)
    const bytes = ENTRY_BYTES + Buffer.byteLength(id) + bytesOfValue(value)
    const row: Row = { value, rank: 'declared', bytes, drop: () => rows.delete(id) }
    budget.keep(row, known)
    rows.set(id, row)
  }
  const remove = (table: string, id: string) => {
    lists.delete(table)
    budget.release(tables.get(table)?.get(id))
    return tables.get(table)?.delete(id) ?? false
  }
  return {
    isStill(table, id, value) {
      const row = tables.get(table)?.get(id)
      if (row === undefined || value === undefined) return row === value
      return row.value === value || JSON.stringify(row.value) === JSON.stringify(value)
    },
    get: find,
    list,
    count: (table) => tables.get(table)?.size ?? 0,
    put,
    add(table, id, value) {
      if (tables.get(table)?.has(id)) return false
      put(table, id, value)
      return true
    },
    update(table, id, change) {
      const value = change(find(table, id))
      if (value === undefined) remove(table, id)
      else put(table, id, value)
      return value
    },
    remove,
    clear() {
      for (const rows of tables.values()) for (const row of rows.values()) budget.release(row)
      tables.clear()
      lists.clear()
    },
  }
}

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
