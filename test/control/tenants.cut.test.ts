import { expect, test } from 'vitest'
import { MAX_TENANTS } from '../../src/sandbox/tenants/tenant-directory.ts'
import { useRedisDatabase } from '../store/redis/redis-database.ts'
import { type CutCall, cutAtEachWrite, type World } from '../support/cut-stores.ts'
import { pushedRequest, useRequest } from '../support/requests.ts'
import { describeWith } from '../support/tools.ts'

const SETTINGS = { outcome: 'access_denied', lifetimes: { code: 5 } }
const TENANT = '/_sandbox/tenants/team-a'
const OWN = '/t/team-a/_sandbox'

/** Gives the tenant something of every kind that is kept. */
async function fill({ request }: World): Promise<void> {
  await request.put(TENANT).send(SETTINGS).expect(201)
  await request.put(`${OWN}/personas/own`).send({ title: 'Own', purpose: 'Put by a test.' }).expect(201)
  await request.post(`${OWN}/expectations`).send({ flow: 'use', outcome: 'access_denied' }).expect(201)
  await request.post(`${OWN}/clock`).send({ advance: 91 }).expect(200)
  await request.post(`${OWN}/keys/rotate`).send({ stage: 'publish' }).expect(200)
  await request.post('/t/team-a/v1/oidc/create/par').type('form').send(pushedRequest()).expect(201)
  await request.get('/t/team-a/v1/oidc/use').query(useRequest()).expect(302)
}

/** Fills the directory too, so that the least recently used declared tenant has to go. */
async function fillAll(world: World): Promise<void> {
  await fill(world)
  const others = Array.from({ length: MAX_TENANTS - 1 }, (_, n) => world.stores.directory.declare(`other-${n}`))
  await Promise.all(others)
}

type Case = readonly [what: string, left: 'nothing' | 'its state', typeof fill, (world: World) => CutCall]
const NEW = '/_sandbox/tenants/one-more'

/** Calls, what is left of a tenant after each, what comes before it, and the call that is cut. */
const CASES: readonly Case[] = [
  ['The removal of a tenant', 'nothing', fill, ({ request }) => [() => request.delete(TENANT), 204]],
  [
    'A tenant that pushes another out',
    'nothing',
    fillAll,
    ({ request }) => [() => request.put(NEW).send({}), [200, 201]],
  ],
  ['A reset of a tenant', 'its state', fill, ({ request }) => [() => request.post(`${OWN}/reset`).send({}), 204]],
  [
    'PUT of a tenant',
    'its state',
    async () => {},
    ({ request }) => [() => request.put(TENANT).send(SETTINGS), [200, 201]],
  ],
]

describeWith('redis-server', 'When Redis refuses writes in the middle of a call that is made again', () => {
  const redis = useRedisDatabase()

  test.each(CASES)('%s leaves %s', async (_what, left, arrange, cut) => {
    await cutAtEachWrite(redis.openEmpty, async (world) => {
      await arrange(world)
      const [call, statuses] = cut(world)
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
