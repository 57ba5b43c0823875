import { expect, test } from 'vitest'
import * as z from 'zod'
import { journeysOf } from '../../demo/journeys.ts'
import { createBrowserClient } from '../../support/browser-client.ts'
import { readCallback } from '../../support/callbacks.ts'
import { idTokenOf } from '../../support/id-tokens.ts'
import { createRequest, useRequest } from '../../support/requests.ts'
import { describeWith } from '../../support/tools.ts'
import { startRedis } from './redis-server.ts'
import { BASE_URL, balanced, buildReplicas, control, startProxy } from './replica.ts'

const { startReplica } = await buildReplicas()

describeWith('redis-server', 'Replicas on one Redis', () => {
  const startTwo = async () => {
    const redis = await startRedis()
    const [a, b] = await Promise.all([startReplica(redis.url), startReplica(redis.url)])
    return { redis, a, b }
  }

  test('serve one flow whose calls alternate between them', async () => {
    const { a, b } = await startTwo()
    const code = await a.party.obtainCode()
    const token = z.object({ access_token: z.string() }).parse((await b.party.exchange(code)).body).access_token
    expect((await a.party.upgrade(token)).status).toBe(200)
    const again = idTokenOf(await b.party.use({ sandbox_persona: 'child-12' }))
    expect(again.age_thresholds['18']).toBe(true)

    const requestUri = await a.party.obtainRequestUri()
    expect((await b.party.create(requestUri)).params).toEqual({ state: 'state-1' })
    const repeated = await a.http.request.get('/v1/oidc/create').query(createRequest(requestUri))
    expect(readCallback(repeated).params['error']).toBe('invalid_request_uri')

    const { flows } = z
      .object({ flows: z.array(z.object({ calls: z.array(z.object({ endpoint: z.string() })) })) })
      .parse((await b.http.request.get(control('flows'))).body)
    const endpoints = flows.map(({ calls }) => calls.map(({ endpoint }) => endpoint))
    expect(endpoints).toEqual([['E2', 'E3', 'E3'], ['E1'], ['E1', 'E4', 'E5']])
  })

  test('end the access token of a code that comes to both, at once or one after the other', async () => {
    const { a, b } = await startTwo()
    const issued = z.object({ access_token: z.string() })
    const code = await a.party.obtainCode()
    const token = issued.parse((await a.party.exchange(code)).body).access_token
    expect((await b.party.exchange(code)).status).toBe(400)
    expect([(await a.party.upgrade(token)).status, (await b.party.upgrade(token)).status]).toEqual([401, 401])

    const shared = await a.party.obtainCode()
    const answers = await Promise.all([a.party.exchange(shared), b.party.exchange(shared)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    const won = issued.parse(answers.find(({ status }) => status === 200)?.body).access_token
    const refused = await b.party.upgrade(won)
    expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('UPG-08')])
  })

  test('serve a queued key set to reads of both, until a flow of either has ended', async () => {
    const { a, b } = await startTwo()
    const expectation = { flow: 'jwks', outcome: 'jwks.no_keys' }
    await a.http.request.post(control('expectations')).send(expectation).expect(201)
    const keys = async ({ http }: typeof a) => (await http.request.get('/.well-known/jwks.json')).body.keys.length
    expect([await keys(a), await keys(b), await keys(b)]).toEqual([0, 0, 0])
    await b.party.use()
    expect([(await keys(a)) > 0, (await keys(b)) > 0]).toEqual([true, true])
  })

  test('show a choice page here and take the choice there', async () => {
    const { a, b } = await startTwo()
    const page = await a.http.request.get('/v1/oidc/use').query(useRequest())
    const transaction = /name="transaction" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const form = () => new URLSearchParams({ transaction, persona: 'adult-passport' })
    const answers = await Promise.all([
      b.http.request.post('/v1/oidc/use/choice').send(String(form())),
      a.http.request.post('/v1/oidc/use/choice').send(String(form())),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410])
  })

  test('serve the demo app, whichever of them the browser comes to', async () => {
    const { a, b } = await startTwo()
    const browser = createBrowserClient(await startProxy(a.url, b.url), BASE_URL)
    const { use, create, upgrade } = journeysOf(browser, BASE_URL)
    expect(await use({ sandbox_persona: 'child-12' })).toContain('13: no 18: no')
    expect(await upgrade()).toContain('The age key is upgraded')
    expect(await use({ sandbox_persona: 'no-age-key' })).toContain('The visitor wants an age key first')
    expect(await create({ sandbox_persona: 'no-age-key' })).toContain('The age key is saved')
    expect(await use({ sandbox_persona: 'no-age-key' })).toContain('13: yes 18: yes')
  })

  test('sign with one key, and rotate it together', async () => {
    const { a, b } = await startTwo()
    const kids = async ({ http }: typeof a) =>
      z
        .object({ keys: z.array(z.object({ kid: z.string() })) })
        .parse((await http.request.get('/.well-known/jwks.json')).body)
    expect(await kids(a)).toEqual(await kids(b))
    for (const [replica, stage] of [
      [a, 'publish'],
      [b, 'use'],
      [a, 'retire'],
    ] as const) {
      await replica.http.request.post(control('keys/rotate')).send({ stage }).expect(200)
      expect(await kids(a)).toEqual(await kids(b))
    }
    await b.http.request.post(control('keys/rotate')).send({ stage: 'retire' }).expect(409)
  })

  test('have one clock, one set of personas, expectations, tenants and settings', async () => {
    const { a, b } = await startTwo()
    const code = await a.party.obtainCode()
    await b.http.request.post(control('clock')).send({ freeze: true, advance: 601 })
    expect((await a.http.request.get(control('clock'))).body).toEqual((await b.http.request.get(control('clock'))).body)
    expect((await a.party.exchange(code)).text).toContain('expired')

    await a.http.request.put(control('personas/new-one')).send({ title: 'New', purpose: 'Added on one replica.' })
    await b.http.request.get(control('personas/new-one')).expect(200)

    await a.http.request.put(control('tenants/team-a')).send({ outcome: 'access_denied', lifetimes: { code: 5 } })
    expect((await b.http.request.get(control('tenants/team-a'))).body).toMatchObject({
      outcome: 'access_denied',
      lifetimes: { code: 5 },
    })
    const denied = await b.http.request.get('/t/team-a/v1/oidc/use').query(useRequest())
    expect(readCallback(denied).params['error']).toBe('access_denied')
    await b.http.request.delete(control('tenants/team-a'))
    await a.http.request.get(control('tenants/team-a')).expect(404)

    await b.http.request.post(control('reset')).set('Content-Type', 'application/json').send(undefined)
    await a.http.request.get(control('personas/new-one')).expect(404)
    expect((await a.http.request.get(control('clock'))).body).toMatchObject({ frozen: false, advanced_seconds: 0 })
  })

  test('answer a long poll on one with a flow that ends on the other', async () => {
    const { a, b } = await startTwo()
    const waiting = b.http.request.get(control('flows')).query('wait=30&state=waited-for')
    // Another call of the same replica: by now it waits.
    await b.http.request.get(control('flows'))
    await a.party.use({ state: 'waited-for' })
    expect((await waiting).body).toMatchObject({ flows: [{ state: 'waited-for' }] })
  })

  test('play one scenario, whichever of them a call comes to', async () => {
    const { a, b } = await startTwo()
    const steps = [
      { decide: { flow: 'use', persona: 'no-age-key', outcome: 'create_requested' } },
      { await: 'par' },
      { clock: { advance: 91 } },
    ]
    const armed = await a.http.request.post(control('scenarios')).send({ name: 'Across', steps })
    const { id } = z.object({ id: z.string() }).parse(armed.body)
    const { params } = await b.party.use({ sandbox_persona: undefined, can_create: 'true' })
    expect(params['create_requested']).toBe('true')
    const waiting = b.http.request.get(control(`scenarios/${id}`)).query('wait=30')
    await a.party.obtainRequestUri()
    await waiting
    const progress = (await b.http.request.get(control(`scenarios/${id}`))).body
    expect(progress).toMatchObject({ status: 'passed', steps: Array(3).fill({ status: 'passed' }) })
    expect((await b.http.request.get(control('clock'))).body).toMatchObject({ advanced_seconds: 91 })
  })

  test('spend each queued decision once, however many requests come to both', async () => {
    const { a, b } = await startTwo()
    const times = 20
    await a.http.request.post(control('expectations')).send({ flow: 'use', outcome: 'access_denied', times })
    const http = balanced(a.http, b.http)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => http.request.get('/v1/oidc/use').query(useRequest())),
    )
    const denied = answers.filter(({ headers }) => headers.location?.includes('error=access_denied'))
    expect(denied).toHaveLength(times)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(answers.length - times)
    expect((await b.http.request.get(control('expectations'))).body).toEqual({ expectations: [] })
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
