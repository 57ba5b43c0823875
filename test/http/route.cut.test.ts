import supertest from 'supertest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createApp } from '../../src/server/app.ts'
import { openRedisStores } from '../../src/store/redis-stores.ts'
import { createMemoryStores, type Stores } from '../../src/store/stores.ts'
import { startRedis } from '../store/redis/redis-server.ts'
import { createCutStores } from '../support/cut-stores.ts'
import { press } from '../support/forms.ts'
import { createTestHost } from '../support/host.ts'
import type { Answer, HttpClient } from '../support/http-client.ts'
import { createRelyingParty, type RelyingParty } from '../support/relying-party.ts'
import { createRequest, useRequest } from '../support/requests.ts'
import { createTestParts } from '../support/tenant.ts'
import { describeWith } from '../support/tools.ts'

/** A sandbox on these stores, and a relying party. */
interface World {
  readonly http: HttpClient
  readonly party: RelyingParty
}

/** A call that is cut, and what must be so after it was made again. */
interface CutCall {
  call(): Promise<Answer>
  /** Of the answer that is no 503. */
  readonly status: number
  check?(answer: Answer, world: World): Promise<void>
}

const control = (path: string) => `/_sandbox/${path}`
const post = ({ http }: World, path: string, body: object) =>
  http.request
    .post(control(path))
    .send(body)
    .expect(({ status }) => expect(status).toBeLessThan(300))
const get = async ({ http }: World, path: string) => (await http.request.get(control(path)).expect(200)).body
const issued = z.object({ access_token: z.string() })
const armed = z.object({ id: z.string() })

const remaining = async (world: World): Promise<unknown[]> => (await get(world, 'expectations')).expectations
const stepsOf = async (world: World, id: string) =>
  z
    .object({ steps: z.array(z.object({ status: z.string() })) })
    .parse(await get(world, `scenarios/${id}`))
    .steps.map(({ status }) => status)
const advanced = async (world: World): Promise<unknown> => (await get(world, 'clock')).advanced_seconds
const arm = async (world: World, ...steps: object[]) =>
  armed.parse((await post(world, 'scenarios', { name: 'Cut', steps })).body).id
const signalsOf = async (world: World, persona: string): Promise<number> =>
  (await get(world, `personas/${persona}`)).age_key?.signals.length ?? 0

const MOVES = { clock: { advance: 91 } }
const WITH_UPGRADE = { scope: 'openid svc.upgrade' }

/** Each arranges what a call needs; the call is what is cut. */
const CASES: Readonly<Record<string, (world: World) => Promise<CutCall>>> = {
  'E1 that an expectation decides': async (world) => {
    await post(world, 'expectations', { flow: 'use', persona: 'child-12' })
    return {
      call: async () => world.http.request.get('/v1/oidc/use').query(useRequest(WITH_UPGRADE)),
      status: 302,
      async check({ headers }) {
        const code = new URLSearchParams(String(headers.location).split('#')[1]).get('code') ?? ''
        expect((await world.party.exchange(code)).status).toBe(200)
        expect(await remaining(world)).toEqual([])
      },
    }
  },
  'E1 that a step of a scenario decides, and two moves of the clock follow': async (world) => {
    const id = await arm(world, { decide: { flow: 'use', persona: 'child-12' } }, MOVES, MOVES, { await: 'par' })
    return {
      call: async () => world.http.request.get('/v1/oidc/use').query(useRequest()),
      status: 302,
      async check() {
        expect(await stepsOf(world, id)).toEqual(['passed', 'passed', 'passed', 'current'])
        expect(await advanced(world)).toBe(182)
      },
    }
  },
  'E1 by a header whose outcome is that of a later call': async (world) => ({
    call: async () =>
      world.http.request
        .get('/v1/oidc/use')
        .query(useRequest({ ...WITH_UPGRADE, sandbox_persona: 'child-12', sandbox_outcome: 'token.code_reused' })),
    status: 302,
    async check() {
      expect(await remaining(world)).toHaveLength(1)
    },
  }),
  'the choice on the Use page, with the outcome of a later call': async (world) => {
    const page = await world.http.request.get('/v1/oidc/use').query(useRequest(WITH_UPGRADE))
    const { action, fields } = press(page.text, 'use')
    fields.set('with_persona', 'child-12')
    fields.set('outcome', 'token.code_reused')
    const call = async () => world.http.request.post(action).send(String(fields))
    return {
      call,
      status: 303,
      async check() {
        expect(await remaining(world)).toHaveLength(1)
        expect((await call()).status).toBe(410)
      },
    }
  },
  'E2 beside a scenario that awaits it and moves the clock': async (world) => {
    const id = await arm(world, { await: 'par' }, MOVES, { await: 'par' })
    return {
      call: () => world.party.push(),
      status: 201,
      async check() {
        expect(await stepsOf(world, id)).toEqual(['passed', 'passed', 'current'])
        expect(await advanced(world)).toBe(91)
      },
    }
  },
  'E2 whose answer an expectation changes': async (world) => {
    await post(world, 'expectations', { flow: 'par', outcome: 'par.401', times: 2 })
    return {
      call: () => world.party.push(),
      status: 401,
      async check() {
        expect(await remaining(world)).toMatchObject([{ remaining: 1 }])
      },
    }
  },
  'E3 that an expectation decides': async (world) => {
    const requestUri = await world.party.obtainRequestUri()
    await post(world, 'expectations', { flow: 'create', persona: 'teen-16', outcome: 'created' })
    const call = async () => world.http.request.get('/v1/oidc/create').query(createRequest(requestUri))
    return {
      call,
      status: 302,
      async check({ headers }) {
        expect(headers.location).not.toContain('error=')
        expect(await signalsOf(world, 'teen-16')).toBe(1)
        expect(await remaining(world)).toEqual([])
        expect((await call()).headers.location).toContain('error=invalid_request_uri')
      },
    }
  },
  'the choice of a new key on the Create page': async (world) => {
    const requestUri = await world.party.obtainRequestUri()
    const before = (await get(world, 'personas')).personas.length
    const page = await world.http.request.get('/v1/oidc/create').query(createRequest(requestUri))
    const { action, fields } = press(page.text, 'save-new')
    return {
      call: async () => world.http.request.post(action).send(String(fields)),
      status: 303,
      async check({ headers }) {
        expect(headers.location).not.toContain('error=')
        expect((await get(world, 'personas')).personas).toHaveLength(before + 1)
      },
    }
  },
  'E4 beside a scenario that awaits it and moves the clock': async (world) => {
    const code = await world.party.obtainCode()
    const id = await arm(world, { await: 'token' }, MOVES)
    return {
      call: () => world.party.exchange(code),
      status: 200,
      async check({ body }) {
        expect(await stepsOf(world, id)).toEqual(['passed', 'passed'])
        expect(await advanced(world)).toBe(91)
        const { access_token: token } = issued.parse(body)
        expect((await world.party.upgrade(token)).status).toBe(200)
        expect((await world.party.exchange(code)).status).toBe(400)
        expect((await world.party.upgrade(token)).text).toContain('UPG-08')
      },
    }
  },
  'E4 whose answer a step of a scenario changes': async (world) => {
    const code = await world.party.obtainCode()
    const id = await arm(world, { decide: { flow: 'token', outcome: 'token.token_type_lower_case' } }, MOVES)
    return {
      call: () => world.party.exchange(code),
      status: 200,
      async check({ body }) {
        expect(body.token_type).toBe('bearer')
        expect(await stepsOf(world, id)).toEqual(['passed', 'passed'])
      },
    }
  },
  'a second use of a code at E4': async (world) => {
    const code = await world.party.obtainCode()
    const { access_token: token } = issued.parse((await world.party.exchange(code)).body)
    return {
      call: () => world.party.exchange(code),
      status: 400,
      async check() {
        expect((await world.party.upgrade(token)).text).toContain('UPG-08')
      },
    }
  },
  E5: async (world) => {
    const token = await world.party.obtainToken()
    const before = await signalsOf(world, 'child-12')
    return {
      call: () => world.party.upgrade(token),
      status: 200,
      async check() {
        expect(await signalsOf(world, 'child-12')).toBe(before + 1)
      },
    }
  },
  'the key set that an expectation changes': async (world) => {
    await post(world, 'expectations', { flow: 'jwks', outcome: 'jwks.no_keys' })
    const call = async () => world.http.request.get('/.well-known/jwks.json')
    return {
      call,
      status: 200,
      async check({ body }) {
        expect([body.keys, (await call()).body.keys]).toEqual([[], []])
      },
    }
  },
  'act-as': async (world) => ({
    call: async () => world.http.request.post(control('act-as/teen-16')).send({}),
    status: 200,
  }),
  'a scenario that begins by a move of the clock': async (world) => ({
    call: async () => world.http.request.post(control('scenarios')).send({ name: 'Cut', steps: [MOVES, MOVES] }),
    status: 201,
    async check() {
      expect((await get(world, 'scenarios')).scenarios).toHaveLength(1)
      expect(await advanced(world)).toBe(182)
    },
  }),
  'a move of the clock': async (world) => ({
    call: async () => world.http.request.post(control('clock')).send({ advance: 91 }),
    status: 200,
    async check({ body }) {
      expect([body.advanced_seconds, await advanced(world)]).toEqual([91, 91])
    },
  }),
  'a persona that replaces one with an age key': async (world) => {
    await world.party.obtainToken()
    return {
      call: async () =>
        world.http.request.put(control('personas/child-12')).send({ title: 'Other', purpose: 'Put by a test.' }),
      status: 200,
      async check() {
        expect(await get(world, 'personas/child-12')).toMatchObject({ title: 'Other' })
      },
    }
  },
  'a rotation of the keys': async (world) => ({
    call: async () => world.http.request.post(control('keys/rotate')).send({ stage: 'publish' }),
    status: 200,
    async check() {
      expect((await world.http.request.get('/.well-known/jwks.json')).body.keys).toHaveLength(4)
    },
  }),
  'a reset': async (world) => {
    const code = await world.party.obtainCode()
    await post(world, 'clock', { advance: 91 })
    await post(world, 'expectations', { flow: 'use', outcome: 'access_denied' })
    return {
      call: async () => world.http.request.post(control('reset')).send({}),
      status: 204,
      async check() {
        expect([await advanced(world), await remaining(world)]).toEqual([0, []])
        expect((await get(world, 'flows')).flows).toEqual([])
        expect((await world.party.exchange(code)).status).toBe(400)
      },
    }
  },
  'the removal of a tenant': async (world) => {
    await world.http.request.put(control('tenants/team-a')).send({ outcome: 'access_denied' })
    return {
      call: async () => world.http.request.delete(control('tenants/team-a')),
      status: 204,
      async check() {
        await world.http.request.get(control('tenants/team-a')).expect(404)
        await world.http.request.put(control('tenants/team-a')).send({}).expect(201)
        expect(await get(world, 'tenants/team-a')).not.toHaveProperty('outcome')
      },
    }
  },
}

/** More than any call writes. */
const MAX_WRITES = 30

function describeCuts(name: string, openStores: () => Stores | Promise<Stores>): void {
  describe(`A store of ${name} that refuses writes in the middle of a call`, () => {
    test.each(Object.entries(CASES))('leaves nothing half done of %s', async (_name, arrange) => {
      for (let writes = 0; ; writes++) {
        expect(writes).toBeLessThan(MAX_WRITES)
        const { stores, ...cut } = createCutStores(await openStores())
        const errors: unknown[] = []
        const parts = await createTestParts(stores, { seed: undefined })
        const host = createTestHost(parts, { onError: (error) => errors.push(error) })
        const http = { request: supertest(createApp(host)) }
        const world = { http, party: createRelyingParty(http) }
        const { call, status, check } = await arrange(world)
        cut.cutAfter(writes)
        const first = await call()
        cut.heal()
        if (first.status === 503) expect(first.text).toContain('refuses the call (OOM)')
        const answer = first.status === 503 ? await call() : first
        expect([writes, answer.status]).toEqual([writes, status])
        await check?.(answer, world)
        expect(errors).toEqual([])
        stores.close()
        if (first.status !== 503) return
      }
    })
  })
}

describeCuts('the process', createMemoryStores)

describeWith('redis-server', 'With Redis', () => {
  const stops: (() => Promise<void>)[] = []
  let url = ''
  let flush = () => {}
  beforeAll(async () => {
    const server = await startRedis((stop) => stops.push(stop))
    url = server.url
    flush = () => server.command('flushall')
  })
  afterAll(async () => {
    for (const stop of stops) await stop()
  })
  describeCuts('Redis', () => {
    flush()
    return openRedisStores(url, { version: 'test', onLost() {}, onBack() {} })
  })
})
