import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTenants } from '../../../../src/sandbox/tenants/tenants.ts'
import { createRedisJournal } from '../../../../src/server/store/redis/redis-journal.ts'
import {
  createRedisDirectory,
  createRedisStore,
} from '../../../../src/server/store/redis/redis-stores.ts'
import { createRedisTables } from '../../../../src/server/store/redis/redis-tables.ts'
import type { Stores } from '../../../../src/server/store/stores.ts'
import type { Clock } from '../../../../src/service/oidc/ports.ts'
import { createTestParts, TEST_ADDRESSES } from '../../../support/tenant.ts'
import { describeWith } from '../../../support/tools.ts'
import { describeJournal } from '../journal-contract.ts'
import { describeNames } from '../names-contract.ts'
import {
  describeDirectory,
  describeStore,
  describeStores,
  describeTables,
} from '../store-contract.ts'
import { useRedisDatabase } from './redis-server.ts'

describeWith('redis-server', 'In Redis', () => {
  const database = useRedisDatabase()
  let stores: Stores
  let worlds = 0
  /** Each test has keys of its own. */
  const prefix = () => `world-${++worlds}:`

  beforeAll(async () => {
    stores = await database.openEmpty()
  })
  afterAll(() => stores.close())

  const startStore = (
    prefix: string,
    options: { clock: Clock; limit?: number } = { clock: { now: () => 0 } },
  ) => {
    const { textsOf: rowTexts } = createRedisTables(database.redis, {
      prefix: 'rows:',
      order: 'order',
    })
    return createRedisStore(database.redis, {
      ...options,
      prefix,
      order: `${prefix}order`,
      rowTexts,
    })
  }

  describeStore('Redis', (options) => startStore(prefix(), options))
  describeTables('Redis', () =>
    createRedisTables(database.redis, { prefix: prefix(), order: 'order' }),
  )
  describeDirectory('Redis', (options) =>
    createRedisDirectory(database.redis, { ...options, prefix: prefix(), order: 'order' }),
  )
  describeJournal('Redis', (budget) =>
    createRedisJournal(database.redis, { ...budget, prefix: prefix(), channel: prefix() }),
  )
  describeNames('Redis', (budget) =>
    createRedisJournal(database.redis, { ...budget, prefix: prefix(), channel: prefix() }),
  )
  describeStores('Redis', () => stores)

  test('Three replicas push out touched tenants alone', async () => {
    const directory = createRedisDirectory(database.redis, {
      prefix: prefix(),
      order: 'order',
      max: 2,
    })
    const parts = { ...(await createTestParts(stores)), directory }
    const [a, b, c] = [1, 2, 3].map(() => createTenants(parts, { addresses: TEST_ADDRESSES }))
    if (!a || !b || !c) throw new RangeError('there must be three')
    await (await a.touch('kept')).moveClock({ advance: 7 })
    const names = Array.from({ length: 30 }, (_, n) => `stranger-${n}`)
    await Promise.all(names.flatMap((name) => [a, b, c].map((replica) => replica.touch(name))))
    expect(await directory.list()).toHaveLength(3)
    for (const replica of [b, c])
      expect((await replica.touch('kept')).clock.state().advanced_seconds).toBe(7)

    await b.declare('second')
    await c.declare('third')
    for (const replica of [a, b, c]) expect(await replica.has('kept')).toBe(false)
    for (const replica of [a, b, c])
      expect((await replica.touch('kept')).clock.state().advanced_seconds).toBe(0)
  })

  test('The list of the records of a collection in Redis lasts as long as the last of them', async () => {
    const store = startStore('lasting:')
    const DAY = 86_400_000
    await store.put('code', 'long', 1, 2 * DAY)
    await store.put('code', 'short', 2, 1)
    const left = await database.redis.call((client) => client.pTTL('lasting:index:code'))
    expect(left).toBeGreaterThan(2.9 * DAY)
    expect(left).toBeLessThanOrEqual(3 * DAY)
    expect(
      await database.redis.call((client) => client.pTTL('lasting:record:code:short')),
    ).toBeLessThanOrEqual(DAY + 1)
  })

  test('The Redis store holds 100,000 records per collection: the oldest goes', async () => {
    const store = startStore('full:')
    await store.put('code', 'first', 1, 1)
    await store.put('code', 'second', 2, 1)
    // What the store would note of 99,997 more, in steps that leave room for the calls of other
    // tests.
    const fill =
      "for n = 1, ARGV[1] do redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[2]), KEYS[2] .. n .. ARGV[2]) end"
    for (let step = 0; step < 11; step++) {
      const given = {
        keys: ['full:index:code', 'full:order'],
        arguments: [String(step < 10 ? 9_999 : 7), `-${step}`],
      }
      await database.redis.call((client) => client.eval(fill, given))
    }
    await store.put('code', '100,000th', 3, 1)
    expect(await store.get('code', 'first')).toBe(1)
    await store.put('code', 'one more', 4, 1)
    expect(await store.get('code', 'first')).toBeUndefined()
    expect(await store.get('code', 'second')).toBe(2)
  })
})
