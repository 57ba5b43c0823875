import { MAX_TENANTS, type TenantDirectory } from '../sandbox/tenants/tenant-directory.ts'
import type { Redis } from './redis.ts'

/**
 * The tenants of all replicas: a sorted set by the order of their last use.
 * @param options.key of the set
 * @param options.order the key of the counter behind the order
 */
export function createRedisDirectory(
  redis: Redis,
  { key, order, max = MAX_TENANTS }: { key: string; order: string; max?: number },
): TenantDirectory {
  return {
    touch: (name) => redis.call((client) => client.touchTenant({ key, order }, { name, max })),
    has: async (name) => (await redis.call((client) => client.zScore(key, name))) !== null,
    list: () => redis.call((client) => client.zRange(key, 0, -1)),
    remove: async (name) => (await redis.call((client) => client.zRem(key, name))) === 1,
  }
}
