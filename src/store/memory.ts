import type { Clock } from '../oidc/ports.ts'
import type { TenantStore } from '../sandbox/tenants/shared-parts.ts'
import type { Tables } from '../sandbox/tenants/tables.ts'
import { MAX_TENANTS, type TenantDirectory } from '../sandbox/tenants/tenant-directory.ts'

/** Values are kept as text, as in any other store: a caller that changes an object does not change the record. */
interface Entry {
  readonly text: string
  readonly expiresAt: number
}

/**
 * A store in the memory of the process: bounded, without timers. An expired record is dropped when it is read; when a
 * collection holds `limit` records, the oldest goes.
 * @param options.limit records per collection (default 10,000).
 */
export function createMemoryStore({ clock, limit = 10_000 }: { clock: Clock; limit?: number }): TenantStore {
  const collections = new Map<string, Map<string, Entry>>()
  const find = (collection: string, id: string): Entry | undefined => {
    const entries = collections.get(collection)
    const entry = entries?.get(id)
    if (!entry || entry.expiresAt > clock.now()) return entry
    entries?.delete(id)
    return undefined
  }

  return {
    async put(collection, id, value, expiresAt) {
      const entries = collections.get(collection) ?? new Map<string, Entry>()
      collections.set(collection, entries)
      // Deleted first, so that a record written again counts as the newest.
      entries.delete(id)
      const oldest = entries.size >= limit ? entries.keys().next() : undefined
      if (oldest && !oldest.done) entries.delete(oldest.value)
      entries.set(id, { text: JSON.stringify(value), expiresAt })
    },
    async get(collection, id) {
      return readValue(find(collection, id))
    },
    async take(collection, id) {
      const entry = find(collection, id)
      collections.get(collection)?.delete(id)
      return readValue(entry)
    },
    clear: async () => collections.clear(),
  }
}

const readValue = (entry: Entry | undefined): unknown => entry && JSON.parse(entry.text)

/** Tables in the memory of the process. */
export function createMemoryTables(): Tables {
  const tables = new Map<string, Map<string, unknown>>()
  const rowsOf = (table: string) => {
    const rows = tables.get(table) ?? new Map<string, unknown>()
    tables.set(table, rows)
    return rows
  }
  return {
    get: async (table, id) => tables.get(table)?.get(id),
    list: async (table) => [...(tables.get(table) ?? [])],
    async put(table, id, value) {
      rowsOf(table).set(id, value)
    },
    async add(table, id, value) {
      const rows = rowsOf(table)
      if (rows.has(id)) return false
      rows.set(id, value)
      return true
    },
    async update(table, id, change) {
      const rows = rowsOf(table)
      const value = change(rows.get(id))
      if (value === undefined) rows.delete(id)
      else rows.set(id, value)
      return value
    },
    remove: async (table, id) => tables.get(table)?.delete(id) ?? false,
    clear: async () => tables.clear(),
  }
}

/** The tenants of one process. */
export function createMemoryDirectory({ max = MAX_TENANTS } = {}): TenantDirectory {
  /** Least recently used first. */
  const touched = new Set<string>()
  const declared = new Set<string>()
  const use = (name: string, names: Set<string>) => {
    names.delete(name)
    names.add(name)
    const [oldest] = names
    if (names.size <= max || oldest === undefined) return []
    names.delete(oldest)
    return [oldest]
  }
  return {
    touch: async (name) => use(name, declared.has(name) ? declared : touched),
    async declare(name) {
      touched.delete(name)
      return use(name, declared)
    },
    has: async (name) => declared.has(name) || touched.has(name),
    list: async () => [...touched, ...declared],
    remove: async (name) => declared.delete(name) || touched.delete(name),
  }
}
