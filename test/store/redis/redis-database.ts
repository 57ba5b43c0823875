import { afterAll, beforeAll } from 'vitest'
import { connectRedis, type Redis } from '../../../src/store/redis.ts'
import { openRedisStores } from '../../../src/store/redis-stores.ts'
import type { Stores } from '../../../src/store/stores.ts'
import { emptyRedisDatabase } from '../../support/run.ts'

const EVENTS = { onLost() {}, onBack() {} }

/** A database of the Redis of the run, for the tests of a group. */
export function useRedisDatabase() {
  let url = ''
  let redis: Redis
  beforeAll(async () => {
    url = await emptyRedisDatabase()
    redis = await connectRedis(url, EVENTS)
  })
  afterAll(() => redis.close())
  return {
    get redis() {
      return redis
    },
    /** The stores of a sandbox, once the database is empty. */
    async openEmpty(): Promise<Stores> {
      await redis.call((client) => client.flushDb())
      return openRedisStores(url, { version: 'test', ...EVENTS })
    },
    keys: () => redis.call((client) => client.keys('*')),
  }
}
