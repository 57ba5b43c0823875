import { expect, test } from 'vitest'
import { MAX_TENANTS } from '../../src/sandbox/tenants/tenant-directory.ts'
import { useRedisDatabase } from '../store/redis/redis-database.ts'
import { type CutCall, cutAtEachWrite, type World } from '../support/cut-stores.ts'
import { pushedRequest, useRequest } from '../support/requests.ts'
import { describeWith } from '../support/tools.ts'

const TENANT = '/_sandbox/tenants/team-a'
const OWN = '/t/team-a/_sandbox'

/** Gives the tenant something of every kind that is kept. */
async function fill({ request }: World): Promise<void> {
  await request
    .put(TENANT)
    .send({ outcome: 'access_denied', lifetimes: { code: 5 } })
    .expect(201)
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

/** Calls by which a tenant goes, what comes before each, and the call that is cut. */
const CASES: readonly (readonly [what: string, typeof fill, (world: World) => CutCall])[] = [
  ['The removal of a tenant', fill, ({ request }) => [() => request.delete(TENANT), 204]],
  [
    'A tenant that pushes another out',
    fillAll,
    ({ request }) => [() => request.put('/_sandbox/tenants/one-more').send({}), [200, 201]],
  ],
]

describeWith('redis-server', 'When Redis refuses writes in the middle of a call that is made again', () => {
  const redis = useRedisDatabase()

  test.each(CASES)('%s leaves nothing of the tenant that goes', async (_what, arrange, cut) => {
    await cutAtEachWrite(redis.openEmpty, async (world) => {
      await arrange(world)
      const [call, statuses] = cut(world)
      const check = async () => expect((await redis.keys()).filter((key) => /[:]team-a(:|$)/.test(key))).toEqual([])
      return [call, statuses, check]
    })
  })
})
