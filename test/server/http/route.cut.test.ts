import { expect, test } from 'vitest'
import * as z from 'zod'
import { MAX_TENANTS } from '../../../src/sandbox/tenants/shared-parts.ts'
import { createMemoryStores } from '../../../src/server/store/stores.ts'
import { type CutCall, cutAtEachWrite, type World } from '../../support/cut-stores.ts'
import { press } from '../../support/forms.ts'
import { type Changes, createRequest, pushedRequest, useRequest } from '../../support/requests.ts'
import { describeWith } from '../../support/tools.ts'
import { useRedisDatabase } from '../store/redis/redis-server.ts'

const control = (path: string) => `/_sandbox/${path}`
const put = ({ request }: World, path: string, body: object) =>
  request.put(control(path)).send(body)
const post = ({ request }: World, path: string, body: object = {}) =>
  request.post(control(path)).send(body)
const get = async ({ request }: World, path: string) =>
  (await request.get(control(path)).expect(200)).body

const remaining = async (world: World): Promise<unknown[]> =>
  (await get(world, 'expectations')).expectations
const advanced = async (world: World): Promise<unknown> =>
  (await get(world, 'clock')).advanced_seconds
const signalsOf = async (world: World, persona: string): Promise<number> =>
  (await get(world, `personas/${persona}`)).age_key?.signals.length ?? 0
const visitUse = ({ request }: World, changes: Changes = {}) =>
  request.get('/v1/oidc/use').query(useRequest(changes))
const readKeys = async ({ request }: World) =>
  (await request.get('/.well-known/jwks.json')).body.keys
const expectNext = (world: World, expectation: object) =>
  post(world, 'expectations', expectation).expect(201)

/** Arms a scenario. Returns how to ask for the states of its steps. */
async function arm(world: World, ...steps: object[]): Promise<() => Promise<unknown[]>> {
  const { id } = (await post(world, 'scenarios', { name: 'Cut', steps }).expect(201)).body
  return async () =>
    (await get(world, `scenarios/${id}`)).steps.map(({ status }: { status: unknown }) => status)
}

const issued = z.object({ access_token: z.string() })
/** What E5 says of the token of a code. */
const upgrade = ({ party }: World, body: unknown) => party.upgrade(issued.parse(body).access_token)

const MOVES = { clock: { advance: 91 } }

/** Each arranges what a call needs; the call is what is cut. */
const CASES: Readonly<Record<string, (world: World) => Promise<CutCall>>> = {
  'E1 that a step of a scenario decides, and two moves of the clock follow': async (world) => {
    const steps = await arm(world, { decide: { flow: 'use', persona: 'child-12' } }, MOVES, MOVES, {
      await: 'par',
    })
    const check = async () => {
      expect((await steps())[0]).toBe('passed')
      expect(await advanced(world)).toBeOneOf([0, 91, 182])
    }
    return [() => visitUse(world), [302, 200], check]
  },
  'the choice on the Use page, with the outcome of a later call': async (world) => {
    const { action, fields } = press(
      (await visitUse(world, { scope: 'openid svc.upgrade' })).text,
      'use',
    )
    fields.set('with_persona', 'child-12')
    fields.set('outcome', 'token.code_reused')
    const call = () => world.request.post(action).send(String(fields))
    const check = async () => {
      expect((await remaining(world)).length).toBeLessThanOrEqual(1)
      expect((await call()).status).toBe(410)
    }
    return [call, [303, 410], check]
  },
  'E2 beside a scenario that awaits it and moves the clock': async (world) => {
    const steps = await arm(world, { await: 'par' }, MOVES, { await: 'par' })
    const check = async () => {
      expect((await steps())[2]).not.toBe('passed')
      expect(await advanced(world)).toBeOneOf([0, 91])
    }
    return [() => world.party.push(), 201, check]
  },
  'E3 that an expectation decides': async (world) => {
    const requestUri = await world.party.obtainRequestUri()
    await expectNext(world, { flow: 'create', persona: 'teen-16', outcome: 'created' })
    const call = () => world.request.get('/v1/oidc/create').query(createRequest(requestUri))
    const check: CutCall[2] = async ({ headers }) => {
      expect(headers['location']).not.toContain('error=')
      expect(await signalsOf(world, 'teen-16')).toBe(1)
      expect(await remaining(world)).toEqual([])
      expect((await call()).headers['location']).toContain('error=invalid_request_uri')
    }
    return [call, 302, check]
  },
  'the choice of a new key on the Create page': async (world) => {
    const requestUri = await world.party.obtainRequestUri()
    const before = (await get(world, 'personas')).personas.length
    const page = await world.request.get('/v1/oidc/create').query(createRequest(requestUri))
    const { action, fields } = press(page.text, 'save-new')
    const check: CutCall[2] = async ({ headers }) => {
      expect(headers['location']).not.toContain('error=')
      expect((await get(world, 'personas')).personas).toHaveLength(before + 1)
    }
    return [() => world.request.post(action).send(String(fields)), 303, check]
  },
  'E4 beside a scenario that awaits it and moves the clock': async (world) => {
    const code = await world.party.obtainCode()
    const steps = await arm(world, { await: 'token' }, MOVES)
    const check: CutCall[2] = async ({ body }) => {
      expect((await steps())[1]).not.toBe('failed')
      expect(await advanced(world)).toBeOneOf([0, 91])
      expect((await upgrade(world, body)).status).toBe(200)
      expect((await world.party.exchange(code)).status).toBe(400)
      expect((await upgrade(world, body)).text).toContain('UPG-08')
    }
    return [() => world.party.exchange(code), 200, check]
  },
  'a second use of a code at E4': async (world) => {
    const code = await world.party.obtainCode()
    const { body } = await world.party.exchange(code)
    const check = async () => expect((await upgrade(world, body)).text).toContain('UPG-08')
    return [() => world.party.exchange(code), 400, check]
  },
  E5: async (world) => {
    const token = await world.party.obtainToken()
    const before = await signalsOf(world, 'child-12')
    const check = async () => expect(await signalsOf(world, 'child-12')).toBe(before + 1)
    return [() => world.party.upgrade(token), 200, check]
  },
  'the key set that an expectation changes': async (world) => {
    await expectNext(world, { flow: 'jwks', outcome: 'jwks.no_keys' })
    const call = () => world.request.get('/.well-known/jwks.json')
    return [
      call,
      200,
      async ({ body }) => {
        expect(body.keys).toEqual([])
        expect(await readKeys(world)).toEqual([])
      },
    ]
  },
  'a persona that replaces one with an age key': async (world) => {
    await world.party.obtainToken()
    const check = async () =>
      expect(await get(world, 'personas/child-12')).toMatchObject({ title: 'Other' })
    return [
      () => put(world, 'personas/child-12', { title: 'Other', purpose: 'Put by a test.' }),
      200,
      check,
    ]
  },
  'a rotation of the keys': async (world) => {
    const check = async () => expect(await readKeys(world)).toHaveLength(4)
    return [() => post(world, 'keys/rotate', { stage: 'publish' }), 200, check]
  },
  'a reset': async (world) => {
    const code = await world.party.obtainCode()
    await post(world, 'clock', { advance: 91 })
    await expectNext(world, { flow: 'use', outcome: 'access_denied' })
    const check = async () => {
      expect(await advanced(world)).toBe(0)
      expect(await remaining(world)).toEqual([])
      expect((await get(world, 'flows')).flows).toEqual([])
      expect((await world.party.exchange(code)).status).toBe(400)
    }
    return [() => post(world, 'reset'), 204, check]
  },
  'PUT of a tenant': async (world) => {
    const check = async () =>
      expect(await get(world, 'tenants/new')).toMatchObject({ outcome: 'access_denied' })
    return [() => put(world, 'tenants/new', { outcome: 'access_denied' }), [200, 201], check]
  },
  'the removal of a tenant': async (world) => {
    await put(world, 'tenants/team-a', { outcome: 'access_denied' })
    const check = async () => {
      await world.request.get(control('tenants/team-a')).expect(404)
      await put(world, 'tenants/team-a', {}).expect(201)
      expect(await get(world, 'tenants/team-a')).not.toHaveProperty('outcome')
    }
    return [() => world.request.delete(control('tenants/team-a')), 204, check]
  },
}

test.each(Object.entries(CASES))(
  'A store in memory that refuses writes gives nothing twice by %s',
  (_call, arrange) => cutAtEachWrite(createMemoryStores, arrange),
)

/**
 * One call of each way to write: all in one step, a step and a queue, and several parts one after
 * the other.
 */
const WITH_REDIS = [
  'E1 that a step of a scenario decides, and two moves of the clock follow',
  'E4 beside a scenario that awaits it and moves the clock',
  'the choice of a new key on the Create page',
  'a reset',
]

/** Gives a tenant something of every kind that is kept. */
async function fillTenant(world: World): Promise<void> {
  const own = '/t/team-a/_sandbox'
  await put(world, 'tenants/team-a', { outcome: 'access_denied' }).expect(201)
  await world.request
    .put(`${own}/personas/own`)
    .send({ title: 'Own', purpose: 'Put by a test.' })
    .expect(201)
  await world.request
    .post(`${own}/expectations`)
    .send({ flow: 'use', outcome: 'access_denied' })
    .expect(201)
  await world.request.post(`${own}/clock`).send({ advance: 91 }).expect(200)
  await world.request.post(`${own}/keys/rotate`).send({ stage: 'publish' }).expect(200)
  await world.request
    .post('/t/team-a/v1/oidc/create/par')
    .type('form')
    .send(pushedRequest())
    .expect(201)
  await world.request.get('/t/team-a/v1/oidc/use').query(useRequest()).expect(302)
}

const GOING: Readonly<Record<string, (world: World) => Promise<CutCall>>> = {
  'is removed': async ({ request }) => [() => request.delete(control('tenants/team-a')), 204],
  'another one pushes out': async (world) => {
    await Promise.all(
      Array.from({ length: MAX_TENANTS - 1 }, (_, n) =>
        world.stores.directory.declare(`other-${n}`),
      ),
    )
    return [() => put(world, 'tenants/one-more', {}), [200, 201]]
  },
}

describeWith('redis-server', 'With Redis', () => {
  const redis = useRedisDatabase()

  test.each(Object.entries(CASES).filter(([call]) => WITH_REDIS.includes(call)))(
    'A Redis that refuses writes gives nothing twice by %s',
    (_call, arrange) => cutAtEachWrite(redis.openEmpty, arrange),
  )

  test.each(Object.entries(GOING))(
    'A Redis that refuses writes keeps nothing of a tenant that %s',
    (_how, go) =>
      cutAtEachWrite(redis.openEmpty, async (world) => {
        await fillTenant(world)
        const [call, statuses] = await go(world)
        const kept = async () =>
          (await redis.keys()).filter((key) => key.split(':').includes('team-a'))
        expect((await kept()).length).toBeGreaterThan(5)
        return [call, statuses, async () => expect(await kept()).toEqual([])]
      }),
  )
})
