import type { Store } from '../../oidc/ports.ts'
import type { Change, TenantRecords } from './shared-parts.ts'
import type { Rows } from './tables.ts'

/** Records that can be read and changed, of which nothing is written yet. */
export interface StagedRecords {
  readonly store: Store
  readonly tables: Rows
  readonly stateTables: Rows
  /** What is to be written, in one step. */
  changes(): readonly Change[]
}

/**
 * The records of a tenant as one call sees them: its own changes over what is kept. Each change that depends on what was read
 * says so, and is refused when another call was faster.
 */
export function stageRecords({ store, tables, stateTables }: Omit<TenantRecords, 'commit'>): StagedRecords {
  const staged = new Map<string, Change>()
  return {
    store: stageStore(store, staged),
    tables: stageTables('tables', tables, staged),
    stateTables: stageTables('stateTables', stateTables, staged),
    changes: () => [...staged.values()],
  }
}

function stageStore(store: Store, staged: Map<string, Change>): Store {
  const keyOf = (collection: string, id: string) => JSON.stringify(['store', collection, id])
  const get = async (collection: string, id: string) => {
    const change = staged.get(keyOf(collection, id))
    if (change?.kind === 'put') return change.value
    return change ? undefined : store.get(collection, id)
  }
  return {
    get,
    async put(collection, id, value, expiresAt, options) {
      staged.set(keyOf(collection, id), { kind: 'put', collection, id, value, expiresAt, options })
    },
    async take(collection, id) {
      const key = keyOf(collection, id)
      const value = await get(collection, id)
      if (staged.get(key)?.kind === 'put') staged.delete(key)
      else if (value !== undefined) staged.set(key, { kind: 'take', collection, id })
      return value
    },
  }
}

function stageTables(part: 'tables' | 'stateTables', kept: Rows, staged: Map<string, Change>): Rows {
  const keyOf = (table: string, id: string) => JSON.stringify([part, table, id])
  const find = (table: string, id: string) => {
    const change = staged.get(keyOf(table, id))
    return change?.kind === 'row' ? change : undefined
  }
  const get = async (table: string, id: string) => {
    const change = find(table, id)
    return change ? change.value : kept.get(table, id)
  }
  /** @param was what was read; left out, the row is written whatever it is by then */
  const set = (
    table: string,
    id: string,
    row: { readonly value: unknown; readonly was?: { readonly value: unknown } },
  ) => {
    // What was read first is what is kept.
    const before = find(table, id)
    const was = before ? before.was : row.was
    staged.set(keyOf(table, id), { kind: 'row', part, table, id, value: row.value, ...(was ? { was } : {}) })
  }
  const changesOf = (table: string) =>
    [...staged.values()]
      .filter((change) => change.kind === 'row')
      .filter((change) => change.part === part && change.table === table)
  const list = async (table: string) => {
    const all = await kept.list(table)
    const changes = changesOf(table)
    if (changes.length === 0) return all
    const rows = new Map(all)
    for (const change of changes) {
      if (change.value === undefined) rows.delete(change.id)
      else rows.set(change.id, change.value)
    }
    return [...rows]
  }
  return {
    get,
    list,
    count: async (table) => (changesOf(table).length === 0 ? kept.count(table) : (await list(table)).length),
    async put(table, id, value) {
      set(table, id, { value })
    },
    async add(table, id, value) {
      if ((await get(table, id)) !== undefined) return false
      set(table, id, { value, was: { value: undefined } })
      return true
    },
    async update(table, id, change) {
      const before = await get(table, id)
      const value = change(before)
      if (value !== before) set(table, id, { value, was: { value: before } })
      return value
    },
    async remove(table, id) {
      const before = await get(table, id)
      if (before === undefined) return false
      set(table, id, { value: undefined, was: { value: before } })
      return true
    },
  }
}
