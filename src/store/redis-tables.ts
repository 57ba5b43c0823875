import type { Tables } from '../sandbox/tenants/tables.ts'
import { defineScript, type Redis } from './redis.ts'

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
  const write = async (table: string, id: string, { value, unless, was = '' }: Writing) => {
    const text = value === undefined ? '' : JSON.stringify(value)
    return (await redis.run(WRITE, [keyOf(table), names, order], [id, text, unless, was])) === 1
  }
  const read = async (table: string, id: string) => (await redis.send('HGET', keyOf(table), id)) as string | null

  return {
    async get(table, id) {
      const row = await read(table, id)
      return row === null ? undefined : contentOf(row)
    },
    async list(table) {
      const fields = (await redis.send('HGETALL', keyOf(table))) as string[]
      const rows = fields.flatMap((id, index) => (index % 2 === 0 ? [[id, fields[index + 1] ?? ''] as const] : []))
      return rows
        .sort(([, one], [, other]) => placeOf(one) - placeOf(other))
        .map(([id, row]) => [id, contentOf(row)] as const)
    },
    async put(table, id, value) {
      await write(table, id, { value, unless: 'never' })
    },
    add: (table, id, value) => write(table, id, { value, unless: 'taken' }),
    async update(table, id, change) {
      for (;;) {
        const row = await read(table, id)
        const before = row === null ? undefined : contentOf(row)
        const value = change(before)
        if (JSON.stringify(value) === JSON.stringify(before)) return value
        // Another caller was faster: its value is the one to change.
        if (await write(table, id, { value, unless: 'changed', was: row ?? '' })) return value
      }
    },
    remove: async (table, id) => (await redis.send('HDEL', keyOf(table), id)) === 1,
    async clear() {
      await redis.run(CLEAR, [names], [])
    },
  }
}

interface Writing {
  /** `undefined` removes the row. */
  readonly value: unknown
  readonly unless: 'never' | 'taken' | 'changed'
  /** The row that must still be there; empty for none. */
  readonly was?: string
}

const placeOf = (row: string) => Number.parseInt(row, 10)
const contentOf = (row: string): unknown => JSON.parse(row.slice(row.indexOf(':') + 1))

const WRITE = defineScript(`
local row = redis.call('HGET', KEYS[1], ARGV[1])
if ARGV[3] == 'taken' and row then return 0 end
if ARGV[3] == 'changed' and (row or '') ~= ARGV[4] then return 0 end
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  return 1
end
local place = row and string.match(row, '^%d+') or redis.call('INCR', KEYS[3])
redis.call('HSET', KEYS[1], ARGV[1], place .. ':' .. ARGV[2])
redis.call('SADD', KEYS[2], KEYS[1])
return 1
`)

const CLEAR = defineScript(`
for _, table in ipairs(redis.call('SMEMBERS', KEYS[1])) do redis.call('UNLINK', table) end
return redis.call('UNLINK', KEYS[1])
`)
