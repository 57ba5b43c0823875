import type { Tables } from '../sandbox/tenants/tables.ts'
import type { Redis } from './redis.ts'
import type { RowWriting } from './redis-scripts.ts'

/**
 * Tables in Redis: a hash for each, and a set that names them.
 *
 * A row is its place in the order in which ids were first put, a colon, and the value as JSON.
 * @param options.prefix of their keys
 * @param options.order the key of the counter behind the order
 */
export function createRedisTables(redis: Redis, { prefix, order }: { prefix: string; order: string }): Tables {
  const names = `${prefix}tables`
  const keyOf = (table: string) => `${prefix}table:${table}`
  const read = (table: string, id: string) => redis.call((client) => client.hGet(keyOf(table), id))
  const write = (table: string, row: RowWriting) =>
    redis.call((client) => client.writeRow({ table: keyOf(table), names, order }, row))

  return {
    get: async (table, id) => contentOf(await read(table, id)),
    async list(table) {
      const rows = await redis.call((client) => client.hGetAll(keyOf(table)))
      return [...rows]
        .sort(([, one], [, other]) => placeOf(one) - placeOf(other))
        .map(([id, row]) => [id, contentOf(row)] as const)
    },
    async put(table, id, value) {
      await write(table, { id, text: textOf(value), unless: 'never' })
    },
    add: (table, id, value) => write(table, { id, text: textOf(value), unless: 'taken' }),
    async update(table, id, change) {
      for (;;) {
        const row = await read(table, id)
        const before = contentOf(row)
        const value = change(before)
        if (textOf(value) === textOf(before)) return value
        // Another caller was faster: its value is the one to change.
        if (await write(table, { id, text: textOf(value), unless: 'changed', was: row ?? '' })) return value
      }
    },
    remove: async (table, id) => (await redis.call((client) => client.hDel(keyOf(table), id))) === 1,
    clear: () => redis.call((client) => client.clearTables(names)),
  }
}

const textOf = (value: unknown) => JSON.stringify(value) ?? ''
const placeOf = (row: string) => Number.parseInt(row, 10)
const contentOf = (row: string | null): unknown =>
  row === null ? undefined : JSON.parse(row.slice(row.indexOf(':') + 1))
