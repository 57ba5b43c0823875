import type { Tables } from '../../sandbox/tables.ts'
import {
  bytesOfValue,
  createMemoryBudget,
  ENTRY_BYTES,
  type Kept,
  type MemoryBudget,
} from './memory-budget.ts'

/** Tables in memory. `write` of the store changes their rows together with records. */
export interface MemoryTables extends Tables {
  /** Whether a row still has the given value; `undefined` means that the row is absent. */
  isStill(table: string, id: string, value: unknown): boolean
}

/** A row. Neither its writer nor its readers may change the value. */
interface Row extends Kept {
  readonly value: unknown
}

const NO_ROWS: readonly (readonly [id: string, value: unknown])[] = []

/**
 * Creates tables in the memory of the process. A row keeps the object that was put, without a copy,
 * because rows are read more often than they change.
 */
export function createMemoryTables({
  budget = createMemoryBudget(),
}: {
  readonly budget?: MemoryBudget
} = {}): MemoryTables {
  const tables = new Map<string, Map<string, Row>>()
  /** Caches the list of each table until one of its rows changes. */
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
