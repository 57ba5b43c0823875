import { parseRecord, type RecordKind } from '../service/oidc/collection.ts'
import { type Awaitable, type RecordChange, type Store, whenThere } from '../service/oidc/ports.ts'

/**
 * Tables for the changes of a tenant at run time: personas, expectations, scenarios, settings.
 * Values are JSON and are kept until they are removed. With a shared implementation several
 * processes act as one sandbox.
 * `add` and `update` must be atomic: of two concurrent callers that add the same id, one succeeds.
 */
export interface Tables {
  get(table: string, id: string): Awaitable<unknown>
  /**
   * The rows in the order in which their ids were first put. The memory implementation returns the
   * same array until a row changes.
   */
  list(table: string): Awaitable<readonly (readonly [id: string, value: unknown])[]>
  count(table: string): Awaitable<number>
  put(table: string, id: string, value: unknown): Awaitable<void>
  /** Adds a row; `false` when the id is taken. */
  add(table: string, id: string, value: unknown): Awaitable<boolean>
  /**
   * Replaces the row by the result of `change`; `undefined` removes the row.
   * @param change a pure function, called again when another caller wrote first
   * @returns the new row
   */
  update<Value>(table: string, id: string, change: (value: unknown) => Value): Awaitable<Value>
  /** Removes a row. Returns `false` when no row has this id. */
  remove(table: string, id: string): Awaitable<boolean>
  clear(): Awaitable<void>
}

/** A table whose rows have one type. Reading a damaged row throws DamagedRecord. */
export interface Table<Row> {
  get(id: string): Awaitable<Row | undefined>
  /** The rows in the order in which their ids were first put. */
  list(): Awaitable<readonly (readonly [id: string, row: Row])[]>
  count(): Awaitable<number>
  put(id: string, row: Row): Awaitable<void>
  /** Adds a row; `false` when the id is taken. */
  add(id: string, row: Row): Awaitable<boolean>
  /**
   * Replaces the row by the result of the pure function `change`; `undefined` removes the row.
   * Returns the new row.
   */
  update<Next extends Row | undefined>(
    id: string,
    change: (row: Row | undefined) => Next,
  ): Awaitable<Next>
  /**
   * `update` as a change for `Store.write`, which writes nothing if the row has changed in the
   * meantime.
   */
  updating(id: string, change: (row: Row | undefined) => Row | undefined): Awaitable<RecordChange>
  /** The change for `Store.write` that removes the row. */
  removing(id: string): RecordChange
  /** Removes a row. Returns `false` when no row has this id. */
  remove(id: string): Awaitable<boolean>
}

/**
 * Creates a table. A row is validated on its first read, and not again while the store returns the
 * same object: each request reads the whole queue.
 * @param parsed the validated rows, which several tables of one kind may share
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
  // A row that is put is already valid, so it is not validated while the store returns the same
  // object.
  const asParsed = <Put extends Row | undefined>(row: Put): Put => {
    if (typeof row === 'object' && row !== null) parsed.set(row, row)
    return row
  }
  const lists = new WeakMap<object, readonly (readonly [id: string, row: Row])[]>()
  return {
    get: (id) => whenThere(tables.get(name, id), parse),
    list: () =>
      whenThere(tables.list(name), (values) => {
        const rows =
          lists.get(values) ?? values.map(([id, value]) => [id, parseValue(value)] as const)
        lists.set(values, rows)
        return rows
      }),
    count: () => tables.count(name),
    put: (id, row) => tables.put(name, id, asParsed(row)),
    add: (id, row) => tables.add(name, id, asParsed(row)),
    update: (id, change) => tables.update(name, id, (value) => asParsed(change(parse(value)))),
    updating: (id, change) =>
      whenThere(tables.get(name, id), (before) => {
        const value = asParsed(change(parse(before)))
        return { kind: 'row', table: name, id, value, was: { value: before } }
      }),
    removing: (id) => ({ kind: 'row', table: name, id, value: undefined }),
    remove: (id) => tables.remove(name, id),
  }
}

/** A store that a reset can empty. */
export interface TenantStore extends Store {
  clear(): Awaitable<void>
}

/** All records of a tenant except its flows. */
export interface TenantRecords {
  /** `write` can also change rows of `tables`. */
  readonly store: TenantStore
  /** Rows that change at run time and end with a reset: personas, expectations, scenarios. */
  readonly tables: Tables
  /** Rows that change at run time and outlive a reset: clock, settings, keys. */
  readonly stateTables: Tables
}
