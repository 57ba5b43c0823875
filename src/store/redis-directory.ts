import { MAX_TENANTS, type TenantDirectory } from '../sandbox/tenants/tenant-directory.ts'
import type { Redis } from './redis.ts'

/**
 * The tenants of all replicas: a sorted set of each kind, by the order of their last use, and a set of those that are removed
 * and not forgotten yet.
 * @param options.prefix of the keys of the sets
 * @param options.order the key of the counter behind the order
 */
export function createRedisDirectory(
  redis: Redis,
  { prefix, order, max = MAX_TENANTS }: { prefix: string; order: string; max?: number },
): TenantDirectory {
  const [touched, declared, leaving] = [`${prefix}touched`, `${prefix}declared`, `${prefix}leaving`]
  const use = (name: string, declares: boolean) =>
    redis.call((client) => client.useTenant({ touched, declared, leaving, order }, { name, declares, max }))
  return {
    touch: (name) => use(name, false),
    declare: (name) => use(name, true),
    async has(name) {
      const scores = await redis.call((client) => client.multi().zScore(touched, name).zScore(declared, name).exec())
      return scores.some((score) => score !== null)
    },
    async list() {
      const names = await redis.call((client) =>
        client.multi().zRange(touched, 0, -1).zRange(declared, 0, -1).execTyped(),
      )
      return names.flat()
    },
    async remove(name) {
      const removed = await redis.call((client) => client.multi().zRem(touched, name).zRem(declared, name).execTyped())
      return removed.includes(1)
    },
    async forgotten(name) {
      await redis.call((client) => client.sRem(leaving, name))
    },
  }
}
