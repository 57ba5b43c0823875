import { MOST_TENANTS, type TenantDirectory } from '../sandbox/tenants/tenant-directory.ts'
import { defineScript, type Redis } from './redis.ts'

/**
 * The tenants of all replicas: a sorted set by the order of their last use.
 * @param options.key of the set
 * @param options.order the key of the counter behind the order
 */
export function createRedisDirectory(
  redis: Redis,
  { key, order, most = MOST_TENANTS }: { key: string; order: string; most?: number },
): TenantDirectory {
  return {
    touch: async (name) => (await redis.run(TOUCH, [key, order], [name, String(most)])) as string[],
    has: async (name) => (await redis.send('ZSCORE', key, name)) !== null,
    list: async () => (await redis.send('ZRANGE', key, '0', '-1')) as string[],
    remove: async (name) => (await redis.send('ZREM', key, name)) === 1,
  }
}

const TOUCH = defineScript(`
redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[2]), ARGV[1])
local gone = {}
while redis.call('ZCARD', KEYS[1]) > tonumber(ARGV[2]) do
  gone[#gone + 1] = redis.call('ZPOPMIN', KEYS[1])[1]
end
return gone
`)
