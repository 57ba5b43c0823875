import type { Clock } from '../oidc/ports.ts'
import type { TenantStore } from '../sandbox/tenants/world.ts'
import { defineScript, type Redis } from './redis.ts'

/**
 * Real time for which a record stays beyond its lifetime. Whether it has expired is judged by the sandbox clock, which may
 * be frozen or moved back; this only keeps what nobody asks for from staying for ever.
 */
const KEPT_BEYOND_MS = 24 * 60 * 60 * 1000
const LONGEST_MS = 10 * 365 * KEPT_BEYOND_MS

export interface RedisStoreOptions {
  readonly clock: Clock
  /** Of its keys: a key for each record, and for each collection a sorted set of the ids in the order of their writing. */
  readonly prefix: string
  /** The key of the counter behind the order. */
  readonly order: string
  /** Records per collection (default 100,000): the oldest goes. */
  readonly limit?: number
}

/** The store of one tenant in Redis. */
export function createRedisStore(redis: Redis, options: RedisStoreOptions): TenantStore {
  const { clock, prefix, order, limit = 100_000 } = options
  const collections = `${prefix}collections`
  const indexOf = (collection: string) => `${prefix}index:${collection}`
  const keyOf = (collection: string, id: string) => `${prefix}record:${collection}:${id}`
  const read = (text: unknown): unknown => {
    if (typeof text !== 'string') return undefined
    const [expiresAt, value] = JSON.parse(text) as [number, unknown]
    return expiresAt > clock.now() ? value : undefined
  }
  return {
    async put(collection, id, value, expiresAt) {
      const keptMs = Math.ceil(Math.min(Math.max(expiresAt - clock.now(), 0) + KEPT_BEYOND_MS, LONGEST_MS))
      const keys = [keyOf(collection, ''), indexOf(collection), collections, order]
      await redis.run(PUT, keys, [id, JSON.stringify([expiresAt, value]), String(keptMs), String(limit)])
    },
    get: async (collection, id) => read(await redis.send('GET', keyOf(collection, id))),
    take: async (collection, id) => read(await redis.run(TAKE, [keyOf(collection, ''), indexOf(collection)], [id])),
    async clear() {
      await redis.run(CLEAR, [collections], [])
    },
  }
}

/** KEYS: what keys of the collection's records begin with, its index, the set of indexes, the counter. */
const PUT = defineScript(`
redis.call('SET', KEYS[1] .. ARGV[1], ARGV[2], 'PX', ARGV[3])
redis.call('ZADD', KEYS[2], redis.call('INCR', KEYS[4]), ARGV[1])
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
redis.call('SADD', KEYS[3], KEYS[2] .. ' ' .. KEYS[1])
while redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[4]) do
  redis.call('UNLINK', KEYS[1] .. redis.call('ZPOPMIN', KEYS[2])[1])
end
`)

/** Both in one step: of two callers one receives the record. */
const TAKE = defineScript(`
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('GETDEL', KEYS[1] .. ARGV[1])
`)

const CLEAR = defineScript(`
for _, collection in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local index, records = string.match(collection, '^(%S+) (%S+)$')
  for _, id in ipairs(redis.call('ZRANGE', index, 0, -1)) do redis.call('UNLINK', records .. id) end
  redis.call('UNLINK', index)
end
return redis.call('UNLINK', KEYS[1])
`)
