import type { SeenNames } from '../../../sandbox/journal/journal.ts'
import type { Redis } from './redis.ts'

/**
 * Keeps in Redis what clients have seen, for the coverage of all replicas: a hash for each tenant,
 * and a sorted set of tenants by last use.
 * @param prefix the prefix of the journal's keys
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
