import { parseRecord, type RecordKind } from '../oidc/collection.ts'
import { type Awaitable, type RecordChange, type Store, whenThere } from '../oidc/ports.ts'

/**
 * Where a tenant keeps what is changed at run time: personas, expectations, scenarios, settings. Values are JSON and stay
 * until they are removed; a shared adapter lets several processes act as one sandbox.
 *
 * Concurrency duty: `add` and `update` are one step each; of two callers that add the same id, one succeeds.
 */
export interface Tables {
  get(table: string, id: string): Awaitable<unknown>
  /** In the order in which the ids were first put. In memory it is the same list until a row changes. */
  list(table: string): Awaitable<readonly (readonly [id: string, value: unknown])[]>
  count(table: string): Awaitable<number>
  put(table: string, id: string, value: unknown): Awaitable<void>
  /** Puts it unless the id is taken: `false` then. */
  add(table: string, id: string, value: unknown): Awaitable<boolean>
  /**
   * Puts what `change` makes of the value; `undefined` removes it.
   * @param change pure: it is called again when another caller wrote first.
   * @returns what was put.
   */
  update<Value>(table: string, id: string, change: (value: unknown) => Value): Awaitable<Value>
  /** `false` when there was none. */
  remove(table: string, id: string): Awaitable<boolean>
  clear(): Awaitable<void>
}

/** One of the tables, with rows of one kind. Reading throws an Error for a damaged row. */
export interface Table<Row> {
  get(id: string): Awaitable<Row | undefined>
  /** In the order in which the ids were first put. */
  list(): Awaitable<readonly (readonly [id: string, row: Row])[]>
  count(): Awaitable<number>
  put(id: string, row: Row): Awaitable<void>
  /** Puts it unless the id is taken: `false` then. */
  add(id: string, row: Row): Awaitable<boolean>
  /** Puts what `change`, a pure function, makes of the row, and returns it; `undefined` removes the row. */
  update<Next extends Row | undefined>(id: string, change: (row: Row | undefined) => Next): Awaitable<Next>
  /** `update` as a change for `Store.write`, which is not written when the row has changed meanwhile. */
  updating(id: string, change: (row: Row | undefined) => Row | undefined): Awaitable<RecordChange>
  /** The change that removes the row, if there is one. */
  removing(id: string): RecordChange
  /** `false` when there was none. */
  remove(id: string): Awaitable<boolean>
}

/**
 * The table of one kind, whose rows are parsed by their schema when they are first read: a store in memory gives back the
 * same value until another one is put, and each request reads all that is queued.
 * @param parsed the rows that were parsed, where several tables of one kind share them
 */
export function table<Row>(
  tables: Tables,
  kind: RecordKind<Row>,
  parsed: WeakMap<object, Row> = new WeakMap(),
): Table<Row> {
  const { name } = kind
  const parseValue = (value: unknown): Row => {
    if (typeof value !== 'object' || value === null) return parseRecord(kind, value)
    const row = parsed.get(value) ?? parseRecord(kind, value)
    parsed.set(value, row)
    return row
  }
  const parse = (value: unknown) => (value === undefined ? undefined : parseValue(value))
  /** A row that is put was parsed before: it is read as it is, where the store gives back the same value. */
  const asParsed = <Put extends Row | undefined>(row: Put): Put => {
    if (typeof row === 'object' && row !== null) parsed.set(row, row)
    return row
  }
  const lists = new WeakMap<object, readonly (readonly [id: string, row: Row])[]>()
  return {
    get: (id) => whenThere(tables.get(name, id), parse),
    list: () =>
      whenThere(tables.list(name), (values) => {
        const rows = lists.get(values) ?? values.map(([id, value]) => [id, parseValue(value)] as const)
        lists.set(values, rows)
        return rows
      }),
    count: () => tables.count(name),
    put: (id, row) => tables.put(name, id, asParsed(row)),
    add: (id, row) => tables.add(name, id, asParsed(row)),
    update: (id, change) => tables.update(name, id, (value) => asParsed(change(parse(value)))),
    updating: (id, change) =>
      whenThere(tables.get(name, id), (value) => {
        return { kind: 'row', table: name, id, value: asParsed(change(parse(value))), was: { value } }
      }),
    removing: (id) => ({ kind: 'row', table: name, id, value: undefined }),
    remove: (id) => tables.remove(name, id),
  }
}

/** A store that a reset can empty. */
export interface TenantStore extends Store {
  clear(): Awaitable<void>
}

/** Everything that a tenant keeps but its flows. */
export interface TenantRecords {
  /** Its `write` changes rows of `tables`, too. */
  readonly store: TenantStore
  /** What is changed at run time until a reset: personas, expectations, scenarios. */
  readonly tables: Tables
  /** What is changed at run time and outlives a reset: clock, settings, keys. */
  readonly stateTables: Tables
}
