import type { SeenNames } from '../../../sandbox/journal/journal.ts'
import type { Redis } from './redis.ts'

/**
 * What clients have seen, for all replicas: a hash for each tenant, and a sorted set of the tenants
 * in the order of their last use.
 * @param prefix of the keys of the journal
 */
export const createRedisNames = (redis: Redis, prefix: string): SeenNames => ({
  async add(tenant, seen) {
    if (seen.length > 0) await redis.call((client) => client.addSeen(prefix, tenant, seen))
  },
  async read(tenant) {
    const texts = await redis.call((client) => client.hGetAll(`${prefix}${tenant}:seen`))
    return new Map([...texts].filter(([name]) => name !== 'bytes'))
  },
  async clear(tenant) {
    await redis.call((client) => client.clearSeen(prefix, tenant))
  },
})
