import { expect, test } from 'vitest'
import * as z from 'zod'
import { readCallback } from '../../support/callbacks.ts'
import { idTokenOf } from '../../support/id-tokens.ts'
import { createRequest, useRequest } from '../../support/requests.ts'
import { describeWithRedis, startRedis } from './redis-server.ts'
import { balanced, buildReplicas, control } from './replica.ts'

describeWithRedis('Replicas on one Redis', () => {
  const { startReplica } = buildReplicas()

  const startTwo = async () => {
    const redis = await startRedis()
    const [a, b] = await Promise.all([startReplica(redis.url), startReplica(redis.url)])
    return { redis, a, b }
  }

  test('serve one flow whose calls alternate between them', async () => {
    const { a, b } = await startTwo()
    const code = await a.party.obtainCode()
    const token = z.object({ access_token: z.string() }).parse((await b.party.exchange(code)).json()).access_token
    expect((await a.party.upgrade(token)).status).toBe(200)
    const again = idTokenOf(await b.party.use({ sandbox_persona: 'child-12' }))
    expect(again.age_thresholds['18']).toBe(true)

    const requestUri = await a.party.obtainRequestUri()
    expect((await b.party.create(requestUri)).params).toEqual({ state: 'state-1' })
    const repeated = await a.http.get('/v1/oidc/create', { query: createRequest(requestUri) })
    expect(readCallback(repeated).params['error']).toBe('invalid_request_uri')

    const { flows } = z
      .object({ flows: z.array(z.object({ calls: z.array(z.object({ endpoint: z.string() })) })) })
      .parse((await b.http.get(control('flows'))).json())
    const endpoints = flows.map(({ calls }) => calls.map(({ endpoint }) => endpoint))
    expect(endpoints).toEqual([['E2', 'E3', 'E3'], ['E1'], ['E1', 'E4', 'E5']])
  })

  test('show a choice page here and take the choice there', async () => {
    const { a, b } = await startTwo()
    const page = await a.http.get('/v1/oidc/use', { query: useRequest() })
    const transaction = /name="transaction" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const form = () => new URLSearchParams({ transaction, persona: 'adult-passport' })
    const answers = await Promise.all([
      b.http.post('/v1/oidc/use/choice', form()),
      a.http.post('/v1/oidc/use/choice', form()),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410])
  })

  test('sign with one key, and rotate it together', async () => {
    const { a, b } = await startTwo()
    const kids = async ({ http }: typeof a) =>
      z
        .object({ keys: z.array(z.object({ kid: z.string() })) })
        .parse((await http.get('/.well-known/jwks.json')).json())
    expect(await kids(a)).toEqual(await kids(b))
    for (const [replica, stage] of [
      [a, 'publish'],
      [b, 'use'],
      [a, 'retire'],
    ] as const) {
      expect((await replica.http.post(control('keys/rotate'), { stage })).status).toBe(200)
      expect(await kids(a)).toEqual(await kids(b))
    }
    expect((await b.http.post(control('keys/rotate'), { stage: 'retire' })).status).toBe(409)
  })

  test('have one clock, one set of personas, expectations, tenants and settings', async () => {
    const { a, b } = await startTwo()
    const code = await a.party.obtainCode()
    await b.http.post(control('clock'), { freeze: true, advance: 601 })
    expect((await a.http.get(control('clock'))).json()).toEqual((await b.http.get(control('clock'))).json())
    expect((await a.party.exchange(code)).text).toContain('expired')

    await a.http.send(control('personas/new-one'), {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ title: 'New', purpose: 'Added on one replica.' }),
    })
    expect((await b.http.get(control('personas/new-one'))).status).toBe(200)

    await a.http.send(control('tenants/team-a'), {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ outcome: 'access_denied', lifetimes: { code: 5 } }),
    })
    expect((await b.http.get(control('tenants/team-a'))).json()).toMatchObject({
      outcome: 'access_denied',
      lifetimes: { code: 5 },
    })
    const denied = await b.http.get('/t/team-a/v1/oidc/use', { query: useRequest() })
    expect(readCallback(denied).params['error']).toBe('access_denied')
    await b.http.send(control('tenants/team-a'), { method: 'DELETE' })
    expect((await a.http.get(control('tenants/team-a'))).status).toBe(404)

    await b.http.post(control('reset'), undefined, { 'Content-Type': 'application/json' })
    expect((await a.http.get(control('personas/new-one'))).status).toBe(404)
    expect((await a.http.get(control('clock'))).json()).toMatchObject({ frozen: false, advanced_seconds: 0 })
  })

  test('answer a long poll on one with a flow that ends on the other', async () => {
    const { a, b } = await startTwo()
    const waiting = b.http.get(control('flows'), { query: 'wait=30&state=waited-for' })
    // Another call of the same replica: by now it waits.
    await b.http.get(control('flows'))
    await a.party.use({ state: 'waited-for' })
    expect((await waiting).json()).toMatchObject({ flows: [{ state: 'waited-for' }] })
  })

  test('play one scenario, whichever of them a call comes to', async () => {
    const { a, b } = await startTwo()
    const steps = [
      { decide: { flow: 'use', persona: 'no-age-key', outcome: 'create_requested' } },
      { await: 'par' },
      { clock: { advance: 91 } },
    ]
    const armed = await a.http.post(control('scenarios'), { name: 'Across', steps })
    const { id } = z.object({ id: z.string() }).parse(armed.json())
    const { params } = await b.party.use({ sandbox_persona: undefined, can_create: 'true' })
    expect(params['create_requested']).toBe('true')
    const waiting = b.http.get(control(`scenarios/${id}`), { query: 'wait=30' })
    await a.party.obtainRequestUri()
    await waiting
    const progress = (await b.http.get(control(`scenarios/${id}`))).json()
    expect(progress).toMatchObject({ status: 'passed', steps: Array(3).fill({ status: 'passed' }) })
    expect((await b.http.get(control('clock'))).json()).toMatchObject({ advanced_seconds: 91 })
  })

  test('spend each queued decision once, however many requests come to both', async () => {
    const { a, b } = await startTwo()
    const times = 20
    await a.http.post(control('expectations'), { flow: 'use', outcome: 'access_denied', times })
    const http = balanced(a.http, b.http)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => http.get('/v1/oidc/use', { query: useRequest() })),
    )
    const denied = answers.filter(({ headers }) => headers.get('location')?.includes('error=access_denied'))
    expect(denied).toHaveLength(times)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(answers.length - times)
    expect((await b.http.get(control('expectations'))).json()).toEqual({ expectations: [] })
  })

  test('exchange every code once while one of them is killed, and lose none that was answered', async () => {
    const { a, b, redis } = await startTwo()
    const codes = await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 2 ? a : b).party.obtainCode()))
    // Each code is offered to both, five times in all; A dies in the middle.
    const offers = codes.flatMap((code) => [a, b, a, b, a].map((replica) => ({ code, replica })))
    const answered: { code: string; status: number }[] = []
    const exchanges = offers.map(async ({ code, replica }) => {
      const { status } = await replica.party.exchange(code)
      answered.push({ code, status })
      // Early, so that it has most of its calls still before it.
      if (answered.length === 20) a.child.kill('SIGKILL')
    })
    const ends = await Promise.allSettled(exchanges)
    expect(offers).toHaveLength(500)
    const refused = ends.filter(({ status }) => status === 'rejected').length
    expect(refused).toBeGreaterThan(0)
    const successes = answered.filter(({ status }) => status === 200).map(({ code }) => code)
    expect(new Set(successes).size).toBe(successes.length)
    expect(answered.every(({ status }) => status === 200 || status === 400)).toBe(true)
    // Each was offered to the survivor too: none is left, whatever became of the one that died.
    const c = await startReplica(redis.url)
    const later = await Promise.all(codes.map(async (code) => (await c.party.exchange(code)).status))
    expect(later.every((status) => status === 400)).toBe(true)
  })
})
