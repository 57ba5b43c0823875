import type { Tables } from '../../../sandbox/tables.ts'
import { parseStored } from '../../../service/oidc/collection.ts'
import type { RecordChange } from '../../../service/oidc/ports.ts'
import type { Redis } from './redis.ts'
import type { ChangeTexts } from './redis-scripts.ts'

/** A change of a table row. */
export type RowChange = Omit<Extract<RecordChange, { readonly kind: 'row' }>, 'kind'>

/** Tables in Redis, with the keys and texts that other files of the store need. */
export interface RedisTables extends Tables {
  /** The Redis key of the hash that holds a table. */
  keyOf(table: string): string
  /** Converts a change of a row for `writeChanges`. */
  textsOf(change: RowChange): ChangeTexts
}

/**
 * Creates tables in Redis: a hash for each table, and a set with the keys of all tables. The text
 * of a row is its place (a number given when its id was first put), a colon, and its value as JSON.
 * `order` is the key of the counter for places.
 */
export function createRedisTables(
  redis: Redis,
  { prefix, order }: { prefix: string; order: string },
): RedisTables {
  const names = `${prefix}tables`
  const keyOf = (table: string) => `${prefix}table:${table}`
  const textsOf = ({ table, id, value, was }: RowChange): ChangeTexts => {
    const unless = was ? 'changed' : 'never'
    return ['row', keyOf(table), id, textOf(value), names, unless, textOf(was?.value), '']
  }
  const write = (change: RowChange) =>
    redis.call((client) => client.writeChanges(order, [textsOf(change)]))
  const get = async (table: string, id: string) =>
    contentOf(
      await redis.call((client) => client.hGet(keyOf(table), id)),
      `${keyOf(table)}, field ${id}`,
    )

  return {
    keyOf,
    textsOf,
    get,
    async list(table) {
      const rows = await redis.call((client) => client.hGetAll(keyOf(table)))
      return [...rows]
        .sort(([, one], [, other]) => placeOf(one) - placeOf(other))
        .map(([id, row]) => [id, contentOf(row, `${keyOf(table)}, field ${id}`)] as const)
    },
    count: (table) => redis.call((client) => client.hLen(keyOf(table))),
    async put(table, id, value) {
      await write({ table, id, value })
    },
    add: (table, id, value) => write({ table, id, value, was: { value: undefined } }),
    async update(table, id, change) {
      for (;;) {
        const before = await get(table, id)
        const value = change(before)
        if (textOf(value) === textOf(before)) return value
        // Another caller changed the row first: repeat the change with the new value.
        if (await write({ table, id, value, was: { value: before } })) return value
      }
    },
    remove: async (table, id) =>
      (await redis.call((client) => client.hDel(keyOf(table), id))) === 1,
    clear: () => redis.call((client) => client.clearTables(names)),
  }
}

const textOf = (value: unknown) => JSON.stringify(value) ?? ''
const placeOf = (row: string) => Number.parseInt(row, 10)
const contentOf = (row: string | null, key: string): unknown =>
  row === null ? undefined : parseStored(contentIn(row), key)

/** The JSON value in the text of a row. */
export const contentIn = (row: string) => row.slice(row.indexOf(':') + 1)
