import type { Change, Clock } from '../oidc/ports.ts'
import { mapInTurns } from '../sandbox/take-turn.ts'
import type { TenantStore } from '../sandbox/tenants/shared-parts.ts'
import type { Tables } from '../sandbox/tenants/tables.ts'
import { bytesOf, createMemoryBudget, type Kept, type MemoryBudget } from './memory-budget.ts'

/** Values are kept as text, as in any other store: a caller that changes an object does not change the record. */
interface Entry extends Kept {
  readonly text: string
  readonly expiresAt: number
}

interface MemoryOptions {
  /** What the tenants of a process share. */
  readonly budget?: MemoryBudget
}

interface MemoryTables extends Tables {
  /** Whether a row has the value that was read, or is still absent. */
  isStill(table: string, id: string, value: unknown): boolean
}

/**
 * A store in the memory of the process: bounded, without timers. An expired record is dropped when it is read; when a
 * collection holds `limit` records, or the budget is used up, the oldest goes.
 * @param options.limit records per collection (default 10,000) @param options.tables those whose rows `write` changes
 */
export function createMemoryStore({
  clock,
  limit = 10_000,
  budget = createMemoryBudget(),
  tables = createMemoryTables({ budget }),
}: MemoryOptions & { clock: Clock; limit?: number; tables?: MemoryTables }): TenantStore {
  const collections = new Map<string, Map<string, Entry>>()
  const remove = (collection: string, id: string) => {
    budget.release(collections.get(collection)?.get(id))
    collections.get(collection)?.delete(id)
  }
  const find = (collection: string, id: string): Entry | undefined => {
    const entry = collections.get(collection)?.get(id)
    if (!entry || entry.expiresAt > clock.now()) return entry
    remove(collection, id)
    return undefined
  }

  const isPossible = (change: Change) => {
    if (change.kind === 'take') return find(change.collection, change.id) !== undefined
    if (change.kind === 'put' || change.was === undefined) return true
    return tables.isStill(change.table, change.id, change.was.value)
  }
  const store: TenantStore = {
    get: (collection, id) => readValue(find(collection, id)),
    put(collection, id, value, expiresAt, { isUnfinished = false } = {}) {
      const entries = collections.get(collection) ?? new Map<string, Entry>()
      collections.set(collection, entries)
      const text = JSON.stringify(value)
      const rank = isUnfinished ? 'unfinished' : 'record'
      const entry: Entry = { text, expiresAt, rank, bytes: bytesOf(id, text), drop: () => entries.delete(id) }
      budget.keep(entry, entries.get(id))
      // Deleted first, so that a record written again counts as the newest.
      entries.delete(id)
      const oldest = entries.size >= limit ? entries.keys().next() : undefined
      if (oldest && !oldest.done) remove(collection, oldest.value)
      entries.set(id, entry)
    },
    take(collection, id) {
      const entry = find(collection, id)
      remove(collection, id)
      return readValue(entry)
    },
    write(changes) {
      if (!changes.every(isPossible)) return false
      // What may find no room goes first: nothing is taken then.
      for (const change of changes)
        if (change.kind === 'put')
          store.put(change.collection, change.id, change.value, change.expiresAt, change.options)
      for (const change of changes)
        if (change.kind === 'row') tables.update(change.table, change.id, () => change.value)
      for (const change of changes) if (change.kind === 'take') remove(change.collection, change.id)
      return true
    },
    clear() {
      for (const entries of collections.values()) for (const entry of entries.values()) budget.release(entry)
      collections.clear()
    },
  }
  return store
}

const readValue = (entry: Entry | undefined): unknown => entry && JSON.parse(entry.text)

interface Row extends Kept {
  readonly text: string
  /** The value as it was read last, until a collection of garbage takes it: each request reads all that is queued. */
  read?: WeakRef<object>
}

function readRow(row: Row | undefined): unknown {
  const known = row?.read?.deref()
  if (!row || known) return known
  const value: unknown = JSON.parse(row.text)
  if (typeof value === 'object' && value !== null) row.read = new WeakRef(value)
  return value
}

/** A table as it was read last, until a row changes, and until a collection of garbage takes it. */
interface ReadList {
  rows?: WeakRef<readonly (readonly [id: string, value: unknown])[]>
}

const NO_ROWS: readonly (readonly [id: string, value: unknown])[] = []

/** Rows that are read in one turn. */
const MAX_READ_AT_ONCE = 50

/** Tables in the memory of the process. */
export function createMemoryTables({ budget = createMemoryBudget() }: MemoryOptions = {}): MemoryTables {
  const tables = new Map<string, Map<string, Row>>()
  const lists = new Map<string, ReadList>()
  const list = (table: string) => {
    const kept = tables.get(table)
    if (!kept || kept.size === 0) return NO_ROWS
    const known = lists.get(table)?.rows?.deref()
    if (known) return known
    const read: ReadList = {}
    lists.set(table, read)
    const remember = (rows: NonNullable<ReturnType<NonNullable<ReadList['rows']>['deref']>>) => {
      read.rows = new WeakRef(rows)
      return rows
    }
    const readOne = ([id, row]: [string, Row]) => [id, readRow(row)] as const
    return kept.size <= MAX_READ_AT_ONCE
      ? remember([...kept].map(readOne))
      : mapInTurns([...kept], readOne).then(remember)
  }
  const find = (table: string, id: string) => readRow(tables.get(table)?.get(id))
  const put = (table: string, id: string, value: unknown) => {
    const rows = tables.get(table) ?? new Map<string, Row>()
    const text = JSON.stringify(value)
    const known = rows.get(id)
    if (known && known.text === text) return
    tables.set(table, rows)
    lists.delete(table)
    const row: Row = { text, rank: 'declared', bytes: bytesOf(id, text), drop: () => rows.delete(id) }
    // Who puts a row leaves it as it is, as who reads it does.
    if (typeof value === 'object' && value !== null) row.read = new WeakRef(value)
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
      return row.read?.deref() === value || row.text === JSON.stringify(value)
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
