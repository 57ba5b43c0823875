import supertest from 'supertest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_TENANTS } from '../../src/sandbox/tenants/tenant-directory.ts'
import { createApp } from '../../src/server/app.ts'
import { openRedisStores } from '../../src/store/redis-stores.ts'
import type { Stores } from '../../src/store/stores.ts'
import { type RedisServer, startRedis } from '../store/redis/redis-server.ts'
import { createCutStores } from '../support/cut-stores.ts'
import { createTestHost } from '../support/host.ts'
import type { Answer, HttpClient } from '../support/http-client.ts'
import { pushedRequest, useRequest } from '../support/requests.ts'
import { createTestParts } from '../support/tenant.ts'
import { describeWith } from '../support/tools.ts'

const SETTINGS = { outcome: 'access_denied', lifetimes: { code: 5 } }
const TENANT = '/_sandbox/tenants/team-a'

/** Gives the tenant something of every kind that is kept. */
async function fill({ request }: HttpClient): Promise<void> {
  const own = '/t/team-a/_sandbox'
  await request.put(TENANT).send(SETTINGS).expect(201)
  await request.put(`${own}/personas/own`).send({ title: 'Own', purpose: 'Put by a test.' }).expect(201)
  await request.post(`${own}/expectations`).send({ flow: 'use', outcome: 'access_denied' }).expect(201)
  await request.post(`${own}/clock`).send({ advance: 91 }).expect(200)
  await request.post(`${own}/keys/rotate`).send({ stage: 'publish' }).expect(200)
  await request.post('/t/team-a/v1/oidc/create/par').type('form').send(pushedRequest()).expect(201)
  await request.get('/t/team-a/v1/oidc/use').query(useRequest()).expect(302)
}

/** A call that is cut, what it answers when it is made again, and what of the tenant is left in Redis then. */
interface CutCall {
  arrange(http: HttpClient, stores: Stores): Promise<unknown>
  call(http: HttpClient): Promise<Answer>
  readonly statuses: readonly number[]
  readonly left: RegExp
}

const NOTHING = /^$/
/** Names that fill the directory, so that the least recently used declared tenant has to go. */
const OTHERS = Array.from({ length: MAX_TENANTS - 1 }, (_, n) => `other-${n}`)

const CASES: Readonly<Record<string, CutCall>> = {
  'the removal of a tenant leaves nothing of it': {
    arrange: fill,
    call: async ({ request }) => request.delete(TENANT),
    statuses: [204],
    left: NOTHING,
  },
  'a tenant that pushes another one out leaves nothing of it': {
    async arrange(http, { directory }) {
      await fill(http)
      await Promise.all(OTHERS.map((name) => directory.declare(name)))
    },
    call: async ({ request }) => request.put('/_sandbox/tenants/one-more').send({}),
    statuses: [200, 201],
    left: NOTHING,
  },
  'a reset leaves the settings, the keys and the clock, which stands at real time': {
    arrange: fill,
    call: async ({ request }) => request.post('/t/team-a/_sandbox/reset').send({}),
    statuses: [204],
    left: /:team-a:state:/,
  },
  'PUT of a tenant gives it the settings': {
    arrange: async () => {},
    call: async ({ request }) => request.put(TENANT).send(SETTINGS),
    statuses: [200, 201],
    left: /:team-a:state:/,
  },
}

/** More than any of the calls writes. */
const MAX_WRITES = 30

describeWith('redis-server', 'A call about a tenant that Redis refuses in the middle, made again', () => {
  const stops: (() => Promise<void>)[] = []
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis((stop) => stops.push(stop))
  })
  afterAll(async () => {
    for (const stop of stops) await stop()
  })

  test.each(Object.entries(CASES))('%s', async (_name, { arrange, call, statuses, left }) => {
    for (let writes = 0; ; writes++) {
      expect(writes).toBeLessThan(MAX_WRITES)
      redis.command('flushall')
      const { stores, ...cut } = createCutStores(
        await openRedisStores(redis.url, { version: 'test', onLost() {}, onBack() {} }),
      )
      const host = createTestHost(await createTestParts(stores, { seed: undefined }))
      const http = { request: supertest(createApp(host)) }
      await arrange(http, stores)
      cut.cutAfter(writes)
      const first = await call(http)
      cut.heal()
      const answer = first.status === 503 ? await call(http) : first
      expect(statuses).toContain(answer.status)
      const own = redis.keys().filter((key) => /[:]team-a(:|$)/.test(key))
      expect(own.filter((key) => !left.test(key))).toEqual([])
      if (left !== NOTHING) {
        const tenant = { ...SETTINGS, clock: { advanced_seconds: 0 } }
        expect((await http.request.get(TENANT).expect(200)).body).toMatchObject(tenant)
      }
      stores.close()
      if (first.status !== 503) return
    }
  })
})
