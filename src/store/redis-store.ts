import * as z from 'zod'
import type { Clock } from '../oidc/ports.ts'
import type { TenantStore } from '../sandbox/tenants/shared-parts.ts'
import type { Redis } from './redis.ts'

/**
 * Real time for which a record stays beyond its lifetime. Whether it has expired is judged by the sandbox clock, which may
 * be frozen or moved back; this only keeps forgotten records from staying for ever.
 */
const KEPT_BEYOND_MS = 24 * 60 * 60 * 1000
const MAX_KEPT_MS = 10 * 365 * KEPT_BEYOND_MS

export interface RedisStoreOptions {
  readonly clock: Clock
  /** Of its keys: a key for each record, and for each collection a sorted set of the ids in the order of their writing. */
  readonly prefix: string
  /** The key of the counter behind the order. */
  readonly order: string
  /** Records per collection (default 100,000): the oldest goes. */
  readonly limit?: number
}

const recordSchema = z.tuple([z.number(), z.unknown()])

/** The store of one tenant in Redis. A record is its expiry and its value, as JSON. */
export function createRedisStore(redis: Redis, options: RedisStoreOptions): TenantStore {
  const { clock, prefix, order, limit = 100_000 } = options
  const collections = `${prefix}collections`
  const keysOf = (collection: string) => ({
    records: `${prefix}record:${collection}:`,
    index: `${prefix}index:${collection}`,
  })
  const read = (text: string | null): unknown => {
    if (text === null) return undefined
    const [expiresAt, value] = recordSchema.parse(JSON.parse(text))
    return expiresAt > clock.now() ? value : undefined
  }
  return {
    async put(collection, id, value, expiresAt) {
      const keptMs = Math.ceil(Math.min(Math.max(expiresAt - clock.now(), 0) + KEPT_BEYOND_MS, MAX_KEPT_MS))
      const text = JSON.stringify([expiresAt, value])
      const keys = { ...keysOf(collection), collections, order }
      await redis.call((client) => client.putRecord(keys, { id, text, keptMs, limit }))
    },
    get: async (collection, id) => read(await redis.call((client) => client.get(keysOf(collection).records + id))),
    take: async (collection, id) => read(await redis.call((client) => client.takeRecord(keysOf(collection), id))),
    clear: () => redis.call((client) => client.clearRecords(collections)),
  }
}
