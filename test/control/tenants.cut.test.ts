import { expect, test } from 'vitest'
import { MAX_TENANTS } from '../../src/sandbox/tenants/tenant-directory.ts'
import { useRedisDatabase } from '../store/redis/redis-database.ts'
import { type CutCall, cutAtEachWrite, type World } from '../support/cut-stores.ts'
import { pushedRequest, useRequest } from '../support/requests.ts'
import { describeWith } from '../support/tools.ts'

const SETTINGS = { outcome: 'access_denied', lifetimes: { code: 5 } }
const TENANT = '/_sandbox/tenants/team-a'

/** Gives the tenant something of every kind that is kept. */
async function fill({ request }: World): Promise<void> {
  const own = '/t/team-a/_sandbox'
  await request.put(TENANT).send(SETTINGS).expect(201)
  await request.put(`${own}/personas/own`).send({ title: 'Own', purpose: 'Put by a test.' }).expect(201)
  await request.post(`${own}/expectations`).send({ flow: 'use', outcome: 'access_denied' }).expect(201)
  await request.post(`${own}/clock`).send({ advance: 91 }).expect(200)
  await request.post(`${own}/keys/rotate`).send({ stage: 'publish' }).expect(200)
  await request.post('/t/team-a/v1/oidc/create/par').type('form').send(pushedRequest()).expect(201)
  await request.get('/t/team-a/v1/oidc/use').query(useRequest()).expect(302)
}

/** Names that fill the directory, so that the least recently used declared tenant has to go. */
const OTHERS = Array.from({ length: MAX_TENANTS - 1 }, (_, n) => `other-${n}`)

type Arrange = (world: World) => Promise<CutCall>

/** Calls after which nothing of a tenant is left, and calls after which its state is. */
const CASES: readonly (readonly [what: string, left: 'nothing' | 'its state', arrange: Arrange])[] = [
  [
    'The removal of a tenant',
    'nothing',
    async (world) => {
      await fill(world)
      return [() => world.request.delete(TENANT), 204]
    },
  ],
  [
    'A tenant that pushes another one out',
    'nothing',
    async (world) => {
      await fill(world)
      await Promise.all(OTHERS.map((name) => world.stores.directory.declare(name)))
      return [() => world.request.put('/_sandbox/tenants/one-more').send({}), [200, 201]]
    },
  ],
  [
    'A reset of a tenant',
    'its state',
    async (world) => {
      await fill(world)
      return [() => world.request.post('/t/team-a/_sandbox/reset').send({}), 204]
    },
  ],
  ['PUT of a tenant', 'its state', async ({ request }) => [() => request.put(TENANT).send(SETTINGS), [200, 201]]],
]

describeWith('redis-server', 'When Redis refuses writes in the middle of a call that is made again', () => {
  const redis = useRedisDatabase()

  test.each(CASES)('%s leaves %s', async (_what, left, arrange) => {
    await cutAtEachWrite(redis.openEmpty, async (world) => {
      const [call, statuses] = await arrange(world)
      const check = async () => {
        const own = (await redis.keys()).filter((key) => /[:]team-a(:|$)/.test(key))
        expect(own.filter((key) => left === 'nothing' || !key.includes(':team-a:state:'))).toEqual([])
        if (left === 'nothing') return
        const tenant = { ...SETTINGS, clock: { advanced_seconds: 0 } }
        expect((await world.request.get(TENANT).expect(200)).body).toMatchObject(tenant)
      }
      return [call, statuses, check]
    })
  })
})
