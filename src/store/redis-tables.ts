import { parseStored } from '../oidc/collection.ts'
import type { RecordChange } from '../oidc/ports.ts'
import type { Tables } from '../sandbox/tables.ts'
import type { Redis } from './redis.ts'
import type { ChangeTexts } from './redis-scripts.ts'

export type RowChange = Omit<Extract<RecordChange, { readonly kind: 'row' }>, 'kind'>

export interface RedisTables extends Tables {
  /** The change for a script. */
  textsOf(change: RowChange): ChangeTexts
}

/**
 * Tables in Redis: a hash for each, and a set that names them.
 *
 * A row is its place in the order in which ids were first put, a colon, and the value as JSON.
 * @param options.prefix of their keys
 * @param options.order the key of the counter behind the order
 */
export function createRedisTables(redis: Redis, { prefix, order }: { prefix: string; order: string }): RedisTables {
  const names = `${prefix}tables`
  const keyOf = (table: string) => `${prefix}table:${table}`
  const textsOf = ({ table, id, value, was }: RowChange): ChangeTexts => {
    const unless = was ? 'changed' : 'never'
    return ['row', keyOf(table), id, textOf(value), names, unless, textOf(was?.value), '']
  }
  const write = (change: RowChange) => redis.call((client) => client.writeChanges(order, [textsOf(change)]))
  const get = async (table: string, id: string) =>
    contentOf(await redis.call((client) => client.hGet(keyOf(table), id)), `${keyOf(table)}, field ${id}`)

  return {
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
        // Another caller was faster: its value is the one to change.
        if (await write({ table, id, value, was: { value: before } })) return value
      }
    },
    remove: async (table, id) => (await redis.call((client) => client.hDel(keyOf(table), id))) === 1,
    clear: () => redis.call((client) => client.clearTables(names)),
  }
}

const textOf = (value: unknown) => JSON.stringify(value) ?? ''
const placeOf = (row: string) => Number.parseInt(row, 10)
const contentOf = (row: string | null, key: string): unknown =>
  row === null ? undefined : parseStored(row.slice(row.indexOf(':') + 1), key)
