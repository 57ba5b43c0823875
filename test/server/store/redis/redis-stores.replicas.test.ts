import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { generateKeys } from '../../../../src/sandbox/keys/key-file.ts'
import { readCallback } from '../../../support/callbacks.ts'
import { folderWith } from '../../../support/folder-with.ts'
import type { Answer } from '../../../support/http-client.ts'
import { idTokenOf } from '../../../support/id-tokens.ts'
import { useRequest } from '../../../support/requests.ts'
import { emptyRedisDatabase } from '../../../support/run.ts'
import { describeWith } from '../../../support/tools.ts'
import { type Replica, startReplica, statuses } from './redis-server.ts'

const tokenOf = ({ body }: Answer) =>
  z.object({ access_token: z.string() }).parse(body).access_token
const kidsOf = async ({ request }: Replica): Promise<unknown[]> =>
  (await request.get('/.well-known/jwks.json')).body.keys.map(({ kid }: { kid: unknown }) => kid)

async function startTwo(options = {}): Promise<{ a: Replica; b: Replica }> {
  const store = await emptyRedisDatabase()
  const [a, b] = await Promise.all([startReplica(store, options), startReplica(store, options)])
  return { a, b }
}

describeWith('redis-server', 'Replicas on one Redis', () => {
  test('Two replicas on one Redis serve one flow whose calls alternate between them', async () => {
    const { a, b } = await startTwo()
    const token = tokenOf(await b.party.exchange(await a.party.obtainCode()))
    expect((await a.party.upgrade(token)).status).toBe(200)
    expect(idTokenOf(await b.party.use({ sandbox_persona: 'child-12' })).age_thresholds['18']).toBe(
      true,
    )

    const requestUri = await a.party.obtainRequestUri()
    expect((await b.party.create(requestUri)).params).toEqual({ state: 'state-1' })
    expect((await a.party.create(requestUri)).params['error']).toBe('invalid_request_uri')

    const endpoints = (await b.flows.list()).map(({ calls }) =>
      calls.map(({ endpoint }) => endpoint),
    )
    expect(endpoints).toEqual([['E2', 'E3', 'E3'], ['E1'], ['E1', 'E4', 'E5']])
  })

  test('Two replicas end the access token of a code that comes to both, at once or one after the other', async () => {
    const { a, b } = await startTwo()
    const code = await a.party.obtainCode()
    const token = tokenOf(await a.party.exchange(code))
    expect((await b.party.exchange(code)).status).toBe(400)
    expect(await statuses([a.party.upgrade(token), b.party.upgrade(token)])).toEqual([401, 401])

    const shared = await a.party.obtainCode()
    const answers = await Promise.all([a.party.exchange(shared), b.party.exchange(shared)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    const refused = await b.party.upgrade(
      answers.filter(({ status }) => status === 200).map(tokenOf)[0] ?? '',
    )
    expect(refused.status).toBe(401)
    expect(refused.text).toContain('UPG-08')
  })

  test('Two replicas serve a queued key set to reads of both, until a flow of either has ended', async () => {
    const { a, b } = await startTwo()
    await a.next({ flow: 'jwks', outcome: 'jwks.no_keys' })
    const keys = async (replica: Replica) => (await kidsOf(replica)).length
    expect(await keys(a)).toBe(0)
    expect(await keys(b)).toBe(0)
    expect(await keys(b)).toBe(0)
    await b.party.use()
    expect(await keys(a)).toBeGreaterThan(0)
    expect(await keys(b)).toBeGreaterThan(0)
  })

  test('A trap that one replica named begins a flow at the other one', async () => {
    const { a, b } = await startTwo()
    const read = a.request.get('/.well-known/jwks.json').set('X-Sandbox-Outcome', 'jwks.redirect')
    const { pathname } = new URL(z.string().parse((await read.expect(307)).headers['location']))
    await b.request.get(pathname).expect(200)
    const flows = await a.flows.list()
    expect(flows).toHaveLength(1)
    expect(flows[0]?.calls).toMatchObject([{ endpoint: 'trap' }])
  })

  test('A trap that no replica named begins no flow', async () => {
    const { a, b } = await startTwo()
    await a.request.get('/_sandbox/trap/none').expect(200)
    expect(await b.flows.list()).toEqual([])
  })

  test('Two replicas keep the session of the demo app, whichever of them the browser comes to', async () => {
    const { a, b } = await startTwo()
    const begun = await a.request
      .post('/_sandbox/demo/use')
      .type('form')
      .send({ claims: '{"age_thresholds":[18]}' })
    const Cookie = begun.get('Set-Cookie')?.[0]?.split(';')[0] ?? ''
    const seen = {
      state: new URL(begun.headers['location'] ?? '').searchParams.get('state'),
      error: 'access_denied',
    }
    await b.request.get('/_sandbox/demo/callback').query(seen).set({ Cookie })
    expect(
      (await a.request.get('/_sandbox/demo/result').set({ Cookie }).expect(200)).text,
    ).toContain('access_denied')
  })

  test('Two replicas rotate one key together', async () => {
    const { a, b } = await startTwo({ keys: undefined })
    const known = await kidsOf(a)
    expect(await kidsOf(b)).toEqual(known)
    for (const stage of ['publish', 'use', 'retire'] as const) {
      await (stage === 'use' ? b : a).keys.rotate(stage)
      expect(await kidsOf(a)).toEqual(await kidsOf(b))
    }
    expect(await kidsOf(a)).not.toEqual(known)
    await expect(b.keys.rotate('retire')).rejects.toMatchObject({ status: 409 })
  })

  test('A replica warns of a key file whose keys do not sign, because the store holds others', async () => {
    const [store, keys] = [await emptyRedisDatabase(), join(folderWith(), 'keys.json')]
    await generateKeys(keys)
    const warnings: string[] = []
    const start = async (options = {}) => {
      await startReplica(store, { ...options, onWarning: (message) => warnings.push(message) })
      return warnings
    }
    expect(await start()).toEqual([])
    expect(await start()).toEqual([])
    expect(await start({ keys })).toEqual([
      expect.stringMatching(/^keys: the store holds .* do not$/),
    ])
  })

  test('Two replicas share one clock', async () => {
    const { a, b } = await startTwo()
    const code = await a.party.obtainCode()
    await b.request.post('/_sandbox/clock').send({ freeze: true, advance: 601 })
    expect(await a.clock.state()).toEqual(await b.clock.state())
    expect((await a.party.exchange(code)).text).toContain('expired')
  })

  test('Two replicas share their personas', async () => {
    const { a, b } = await startTwo()
    await a.personas.put({ name: 'new-one', title: 'New', purpose: 'Added on one replica.' })
    expect(await b.personas.get('new-one')).toMatchObject({ title: 'New' })
  })

  test('Two replicas share their tenants', async () => {
    const { a, b } = await startTwo()
    const settings = { outcome: 'access_denied', lifetimes: { code: 5 } }
    await a.request.put('/_sandbox/tenants/team-a').send(settings)
    expect((await b.request.get('/_sandbox/tenants/team-a')).body).toMatchObject(settings)
    const denied = await b.request.get('/t/team-a/v1/oidc/use').query(useRequest())
    expect(readCallback(denied).params['error']).toBe('access_denied')
    await b.removeTenant('team-a')
    await a.request.get('/_sandbox/tenants/team-a').expect(404)
  })

  test('Two replicas share a reset', async () => {
    const { a, b } = await startTwo()
    await a.personas.put({ name: 'new-one', title: 'New', purpose: 'Added on one replica.' })
    await a.clock.advance(5)
    await b.reset()
    await a.request.get('/_sandbox/personas/new-one').expect(404)
    expect(await a.clock.state()).toMatchObject({ frozen: false, advanced_seconds: 0 })
  })

  test('A replica answers a long poll with a flow that ends on another one', async () => {
    const { a, b } = await startTwo()
    const waiting = b.request.get('/_sandbox/flows').query('wait=30&state=waited-for').then()
    // Another call of the same replica: by now it waits.
    await b.flows.list()
    await a.party.use({ state: 'waited-for' })
    expect((await waiting).body).toMatchObject({ flows: [{ state: 'waited-for' }] })
  })

  test('Two replicas play one scenario, whichever of them a call comes to', async () => {
    const { a, b } = await startTwo()
    const steps = [
      { decide: { flow: 'use', persona: 'no-age-key', outcome: 'create_requested' } },
      { await: 'par' },
      { clock: { advance: 91 } },
    ] as const
    const { id } = await a.scenarios.arm({ name: 'Across', steps })
    const { params } = await b.party.use({ sandbox_persona: undefined, can_create: 'true' })
    expect(params['create_requested']).toBe('true')
    const waiting = b.scenarios.get(id, { waitSeconds: 30 })
    await a.party.obtainRequestUri()
    await waiting
    const passed = { status: 'passed', steps: Array(3).fill({ status: 'passed' }) }
    expect(await b.scenarios.get(id)).toMatchObject(passed)
    expect(await b.clock.state()).toMatchObject({ advanced_seconds: 91 })
  })

  test('Two replicas spend each queued decision once, however many requests come to both', async () => {
    const { a, b } = await startTwo()
    await a.next({ flow: 'use', outcome: 'access_denied', times: 20 })
    const each = Array.from({ length: 50 }, (_, n) => (n % 2 ? a : b))
    const answers = await Promise.all(
      each.map(({ request }) => request.get('/v1/oidc/use').query(useRequest())),
    )
    const denied = answers.filter(({ headers }) =>
      headers['location']?.includes('error=access_denied'),
    )
    expect(denied).toHaveLength(20)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30)
    expect(await b.expectations.list()).toEqual([])
  })
})
