import type { Tables } from '../sandbox/tenants/tables.ts'

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
