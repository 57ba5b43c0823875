import { expect, test } from 'vitest'
import { createMask } from '../../../src/sandbox/clients/mask.ts'
import { createClock, moveClock } from '../../../src/sandbox/clock/clock.ts'
import { outcomesFor } from '../../../src/sandbox/outcomes/catalogue.ts'
import {
  checkExpectation,
  isHeld,
  newExpectationSchema,
} from '../../../src/sandbox/queue/expectation.ts'
import { parsedParameters } from '../../../src/sandbox/queue/mismatches.ts'
import { createQueue } from '../../../src/sandbox/queue/queue.ts'
import type { ScenarioEvent } from '../../../src/sandbox/queue/queue-rows.ts'
import { progressOf, type ReceivedCall } from '../../../src/sandbox/queue/queued.ts'
import { type Scenario, scenarioSchema } from '../../../src/sandbox/queue/scenario-schema.ts'
import { createIds } from '../../../src/sandbox/tenants/ids.ts'
import { createMemoryTables } from '../../../src/server/store/memory-tables.ts'
import { SERVER_CALLS } from '../../../src/service/oidc/endpoints.ts'
import { refusalOf } from '../../support/service.ts'
import { createTestTenant } from '../../support/tenant.ts'

function start() {
  const events: ScenarioEvent[] = []
  const clock = createClock()
  const tables = createMemoryTables()
  /** The flow of the tenant that ended last. */
  const tenant = { ended: 'f0' }
  const queue = createQueue({
    idsFor: (scope) => createIds({ seed: 1, scope }),
    tables,
    lastEnded: async () => tenant.ended,
    moveClock: async (move) => moveClock(clock, move),
    announce: (event) => events.push(event),
  })
  const { scenarios, expectations } = queue
  const arm = async (steps: Scenario['steps'], more: Partial<Scenario> = {}) =>
    (await scenarios.arm(scenarioSchema.parse({ name: 'A', steps, ...more }))).id
  const statusOf = async (id: string) =>
    (await scenarios.find(id))?.steps.map(({ status }) => status)
  const isPassed = async (id: string) => (await scenarios.find(id))?.status === 'passed'
  const find = async (received: ReceivedCall) => (await queue.match(received)).decision
  /**
   * Matches a call and records that the match was not followed, as for a request that is decided
   * otherwise.
   */
  const overrule = async (received: ReceivedCall) => {
    const match = await queue.match(received)
    await queue.settle(match, { isFollowed: false, call: received })
    return match.decision
  }
  const follow = async (received: ReceivedCall, match = queue.match(received)) =>
    queue.settle(await match, { isFollowed: true, call: received })
  return {
    queue,
    scenarios,
    ...expectations,
    tables,
    tenant,
    clock,
    events,
    arm,
    statusOf,
    isPassed,
    find,
    overrule,
    follow,
  }
}

const call = (flow: ReceivedCall['flow'], changes: Partial<ReceivedCall> = {}): ReceivedCall => ({
  ...{ flow, client_id: 'shop', state: 's', nonce: 'n' },
  sentParameters: () => ({}),
  mask: createMask([]),
  ...changes,
})

const sending = (flow: ReceivedCall['flow'], parameters: Readonly<Record<string, unknown>>) =>
  call(flow, { sentParameters: () => parameters })

const AS_TEEN = { decide: { flow: 'use', persona: 'teen-16' } } as const

test('An added expectation is listed with its id', async () => {
  const { add, list } = start()
  const added = await add({ flow: 'use', persona: 'teen-16', times: 2 })
  const id = expect.stringMatching(/^x-[\w-]{12}$/)
  expect(added).toEqual({ id, flow: 'use', persona: 'teen-16', times: 2, remaining: 2 })
  expect(await list()).toEqual([added])
})

test('Expectations decide in the order in which they were added', async () => {
  const { add, list, tables, find, follow } = start()
  const first = await add({ flow: 'use', persona: 'teen-16', times: 2 })
  const second = await add({ flow: 'use', outcome: 'access_denied' })
  expect(await find(call('use'))).toMatchObject({
    id: first.id,
    persona: 'teen-16',
    source: `expectation ${first.id} (1 of 2 left)`,
  })
  expect(await follow(call('use'))).toBe(true)
  expect(await list()).toEqual([{ ...first, remaining: 1 }, second])
  expect(await tables.count('queue')).toBe(2)
  await follow(call('use'))
  expect(await find(call('use'))).toMatchObject({
    id: second.id,
    source: `expectation ${second.id} (now used up)`,
  })
})

test('Two callers of one match use an expectation up once', async () => {
  const { queue, add, follow } = start()
  await add({ flow: 'use', persona: 'teen-16' })
  const match = queue.match(call('use'))
  expect(await follow(call('use'), match)).toBe(true)
  expect(await follow(call('use'), match)).toBe(false)
})

test('An expectation is removed once', async () => {
  const { add, list, remove, clear } = start()
  const { id } = await add({ flow: 'use', outcome: 'access_denied' })
  expect(await remove(id)).toBe(true)
  expect(await remove(id)).toBe(false)
  await add({ flow: 'par', outcome: 'par.500' })
  await clear()
  expect(await list()).toEqual([])
})

test('An expectation decides before a scenario that was armed earlier', async () => {
  const { arm, add, find } = start()
  await arm([AS_TEEN])
  const { id } = await add({ flow: 'use', outcome: 'access_denied' })
  expect(await find(call('use'))).toMatchObject({ id })
})

test('An expectation is not removed by the id of a scenario', async () => {
  const { scenarios, arm, add, remove, clear, find } = start()
  const armed = await arm([AS_TEEN])
  const { id } = await add({ flow: 'use', outcome: 'access_denied' })
  expect(await remove(armed)).toBe(false)
  expect(await scenarios.remove(id)).toBe(false)
  await clear()
  expect(await find(call('use'))).toMatchObject({ id: armed })
})

test.each([
  [{}, {}, true],
  [{ client_id: 'shop', state: 's', nonce: 'n' }, {}, true],
  [{ client_id: 'other' }, {}, false],
  [{ state: 'other' }, {}, false],
  [{ nonce: 'other' }, {}, false],
  [{ state: 's' }, { state: undefined }, false],
  [undefined, { flow: 'create' as const }, false],
  [undefined, { endedAs: 'access_denied' }, true],
  [undefined, { endedAs: 'request_uri.expired' }, false],
])('An expectation with match %j fits a call with %j: %s', async (match, changes, fits) => {
  const { add, find } = start()
  await add({ flow: 'use', outcome: 'access_denied', ...(match && { match }) })
  expect((await find(call('use', changes))) !== undefined).toBe(fits)
})

test.each(['discovery', 'jwks'] as const)(
  'What is queued for %s holds until a flow has ended',
  async (flow) => {
    const { add, list, find, follow, tenant } = start()
    const { id } = await add({ flow, outcome: `${flow}.500`, times: 2 })
    tenant.ended = 'f1'
    expect(await find(call(flow))).toMatchObject({ id })
    for (let read = 0; read < 3; read++) expect(await follow(call(flow))).toBe(true)
    expect(await list()).toMatchObject([{ id, remaining: 2, held_since: 'f1' }])
    tenant.ended = 'f2'
    const [[left]] = await Promise.all([list(), list()])
    expect(left).toEqual({ id, flow, outcome: `${flow}.500`, times: 2, remaining: 1 })
    await follow(call(flow))
    tenant.ended = 'f3'
    expect(await list()).toEqual([])
  },
)

test('What a scenario has decided for a read holds until a flow has ended', async () => {
  const { arm, list, follow, tenant } = start()
  await arm([{ decide: { flow: 'jwks', outcome: 'jwks.500' } }])
  await follow(call('jwks'))
  const id = expect.stringMatching(/^x-/)
  const held = { id, flow: 'jwks', outcome: 'jwks.500', times: 1, remaining: 1, held_since: 'f0' }
  expect(await list()).toEqual([held])
  tenant.ended = 'f1'
  expect(await list()).toEqual([])
  expect((['use', 'par', 'discovery', 'jwks'] as const).map(isHeld)).toEqual([
    false,
    false,
    true,
    true,
  ])
})

test('A queue of 10,000 takes no more, but what held until a flow ended makes room', async () => {
  const { add, follow, tenant } = start()
  await add({ flow: 'jwks', outcome: 'jwks.500' })
  await follow(call('jwks'))
  for (let n = 1; n < 10_000; n++) await add({ flow: 'use', outcome: 'access_denied' })
  const message = 'expectations: 10000 are queued already; DELETE them, or reset the tenant'
  const refusal = await refusalOf(() => add({ flow: 'use', outcome: 'access_denied' }))
  expect(refusal).toMatchObject({ code: 'conflict', message })
  tenant.ended = 'f1'
  expect(await add({ flow: 'use', outcome: 'access_denied' })).toMatchObject({ flow: 'use' })
})

test.each([
  [{ flow: 'use' }, 'body: give persona, outcome or both'],
  [
    { flow: 'token', persona: 'teen-16' },
    'persona: a token call has no persona; give outcome only',
  ],
  [
    { flow: 'use', persona: 'teen-61' },
    /^persona: there is no persona "teen-61"\. Did you mean "teen-16"/,
  ],
  [
    { flow: 'par', outcome: 'par.501' },
    /^outcome: there is no outcome .*"par\.501"\. Did you mean "par\.50/,
  ],
  [{ flow: 'use', persona: 'teen-16' }, undefined],
  [{ flow: 'create', persona: 'teen-16', outcome: 'created' }, undefined],
  [{ flow: 'token', outcome: 'token.500' }, undefined],
])(
  'The expectation %j is taken, or refused with what is wrong: %s',
  async (expectation, message) => {
    const checked = checkExpectation(
      newExpectationSchema.parse(expectation),
      await createTestTenant(),
    )
    const refused = { status: 400, message: message && expect.stringMatching(message) }
    expect(await checked.catch((refusal) => refusal)).toEqual(
      message && expect.objectContaining(refused),
    )
  },
)

test.each([
  [{ flow: 'use', times: 1_000_000 }, true],
  [{ flow: 'use', times: 1_000_001 }, false],
  [{ flow: 'use', times: 0 }, false],
  [{ flow: 'use', times: 1.5 }, false],
  [{ flow: 'ues' }, false],
  [{ flow: 'use', match: { state: 's' } }, true],
  [{ flow: 'use', match: { sate: 's' } }, false],
  [{ flow: 'use', outcom: 'x' }, false],
])('%j has the shape of an expectation: %s', (value, isShape) => {
  expect(newExpectationSchema.safeParse(value).success).toBe(isShape)
})

test('The JSON of claims is parsed for expectations as that of authorization_details', () => {
  const parameters = { claims: '{"a":1}', authorization_details: '[1]', state: '{"a":1}', n: 1 }
  expect(parsedParameters(parameters)).toEqual({
    claims: { a: 1 },
    authorization_details: [1],
    state: '{"a":1}',
    n: 1,
  })
})

test('A parameter that is no JSON is expected as text', () => {
  const others = { claims: '{', authorization_details: ['1'] }
  expect(parsedParameters(others)).toEqual(others)
})

test('Consecutive decisions of a scenario are used up one per request', async () => {
  const { queue, scenarios, arm, isPassed, overrule } = start()
  const id = await arm([AS_TEEN, { decide: { flow: 'use', persona: 'adult-passport' } }])
  const first = await queue.match(call('use'))
  expect(first.decision).toMatchObject({
    persona: 'teen-16',
    outcome: undefined,
    source: 'scenario "A", step 1',
  })
  expect(await queue.settle(first, { isFollowed: true, call: call('use') })).toBe(true)
  expect(await scenarios.find(id)).toMatchObject({
    status: 'running',
    steps: [{ status: 'passed', summary: 'use as teen-16' }, { status: 'current' }],
  })
  const second = await queue.match(call('use'))
  expect(second.decision).toMatchObject({ persona: 'adult-passport' })
  await queue.settle(second, { isFollowed: true, call: call('use') })
  expect(await isPassed(id)).toBe(true)
  expect(await overrule(call('use'))).toBeUndefined()
})

test('A scenario decides one of two requests at once', async () => {
  const { queue, arm } = start()
  await arm([AS_TEEN])
  const matches = await Promise.all([queue.match(call('use')), queue.match(call('use'))])
  const followed = matches.map((match) =>
    queue.settle(match, { isFollowed: true, call: call('use') }),
  )
  expect(await Promise.all(followed)).toEqual([true, false])
})

test('A scenario decides nothing after it was removed', async () => {
  const { queue, scenarios, arm } = start()
  await arm([AS_TEEN])
  const match = await queue.match(call('use'))
  await scenarios.clear()
  expect(await queue.settle(match, { isFollowed: true, call: call('use') })).toBe(false)
})

test('A scenario decides no request of another client', async () => {
  const { arm, statusOf, overrule } = start()
  const id = await arm([AS_TEEN], { client: 'shop' })
  for (const other of [call('create'), call('use', { client_id: 'other' })])
    expect(await overrule(other)).toBeUndefined()
  expect(await statusOf(id)).toEqual(['current'])
})

test('A scenario says that its decision was not taken', async () => {
  const { scenarios, arm, overrule } = start()
  const id = await arm([AS_TEEN], { client: 'shop' })
  await overrule(call('use'))
  const steps = [{ status: 'current', detail: expect.stringMatching(/did not take/) }]
  expect(await scenarios.find(id)).toMatchObject({ steps })
})

test('A request that is not as expected fails the scenario', async () => {
  const { scenarios, arm, overrule } = start()
  const expected = { can_create: 'true', claims: { age_thresholds: [18] } }
  const id = await arm([{ ...AS_TEEN, expect: expected }, { await: 'par' }])
  expect(await overrule(sending('use', { claims: { age_thresholds: [21] } }))).toBeUndefined()
  const failed = {
    status: 'failed',
    detail:
      'can_create: expected "true", came nothing; claims.age_thresholds[0]: expected 18, came 21',
    mismatches: [
      { path: 'can_create' },
      { path: 'claims.age_thresholds[0]', expected: '18', came: '21' },
    ],
  }
  expect(await scenarios.find(id)).toMatchObject({
    status: 'failed',
    steps: [failed, { status: 'waiting' }],
  })
})

test('A call that is not as expected fails the scenario', async () => {
  const { queue, scenarios, arm } = start()
  const awaiting = await arm([
    { await: 'par', expect: { authorization_details: [{ method: 'id_doc_scan' }] } },
  ])
  await queue.observe(
    sending('par', { authorization_details: [{ method: 'email_age_estimation' }] }),
    201,
  )
  const detail =
    'authorization_details[0].method: expected "id_doc_scan", came "email_age_estimation"'
  expect(await scenarios.find(awaiting)).toMatchObject({ steps: [{ status: 'failed', detail }] })
})

test('An awaited call is met by a successful call, not by a refused one nor by another', async () => {
  const { queue, scenarios, arm, isPassed } = start()
  const id = await arm([{ await: 'par' }])
  await queue.observe(call('par'), 401)
  const steps = [{ status: 'current', detail: expect.stringContaining('401') }]
  expect(await scenarios.find(id)).toMatchObject({ steps })
  await queue.observe(call('token'), 200)
  expect(await isPassed(id)).toBe(false)
  await queue.observe(call('par'), 201)
  expect(await isPassed(id)).toBe(true)
})

test('An awaited call is not the very call that was decided before', async () => {
  const { queue, arm, statusOf, follow } = start()
  const outcome = outcomesFor('par')[0]?.name ?? ''
  const id = await arm([{ decide: { flow: 'par', outcome } }, { await: 'par' }])
  const decided = call('par')
  await follow(decided)
  await queue.observe(decided, 201, id)
  expect(await statusOf(id)).toEqual(['passed', 'current'])
  await queue.observe(call('par'), 201)
  expect(await statusOf(id)).toEqual(['passed', 'passed'])
})

test('An awaited key set or discovery counts for any client: both are read without saying by whom', async () => {
  const { queue, arm, isPassed } = start()
  const id = await arm([{ await: 'jwks' }], { client: 'shop' })
  await queue.observe(call('jwks', { client_id: undefined }), 200)
  expect(await isPassed(id)).toBe(true)
})

test('Clock steps at the beginning run at arming, later ones when they are reached', async () => {
  const { queue, arm, clock, follow } = start()
  // It is at another step all the while.
  await arm([{ await: 'par' }])
  await arm([{ clock: { set: '2030-01-01', freeze: true } }, AS_TEEN, { clock: { advance: 91 } }])
  expect(clock.state().now).toBe('2030-01-01T00:00:00.000Z')
  await follow(call('use'))
  // What the request is given is still of the time at which it came.
  expect(clock.state().now).toBe('2030-01-01T00:00:00.000Z')
  await queue.runClockSteps()
  expect(clock.state().now).toBe('2030-01-01T00:01:31.000Z')
})

test('A clock step beyond the calendar fails the scenario', async () => {
  const { scenarios, arm } = start()
  const id = await arm([{ clock: { set: '9999-12-31' } }, { clock: { advance: 1e9 } }])
  const steps = [{ status: 'passed' }, { status: 'failed', detail: expect.stringMatching(/9999/) }]
  expect(await scenarios.find(id)).toMatchObject({ status: 'failed', steps })
})

test('A scenario of clock steps alone passes', async () => {
  const { arm, isPassed } = start()
  expect(await isPassed(await arm([{ clock: { set: '2030-01-01' } }]))).toBe(true)
})

/** A queue in which a hundred scenarios wait for the same call. */
async function startFull() {
  const started = start()
  const arm = () => started.arm([{ await: 'par' }])
  return { ...started, arm, ids: await Promise.all(Array.from({ length: 100 }, arm)) }
}

test('A hundred scenarios may run at once', async () => {
  const { arm } = await startFull()
  await expect(arm()).rejects.toThrow('100 are running already')
})

test('Running scenarios are asked in the order in which they were armed', async () => {
  const { queue, isPassed, ids } = await startFull()
  await queue.observe(call('par'), 201)
  await queue.observe(call('par'), 201)
  expect(await isPassed(ids[0] ?? '')).toBe(true)
  expect(await isPassed(ids[1] ?? '')).toBe(true)
  expect(await isPassed(ids[2] ?? '')).toBe(false)
})

test('A scenario that has ended makes room for another one', async () => {
  const { queue, scenarios, arm, ids } = await startFull()
  await queue.observe(call('par'), 201)
  await queue.observe(call('par'), 201)
  await arm()
  const [oldest, ...others] = (await scenarios.list()).map(progressOf)
  expect(oldest?.id).toBe(ids[1])
  expect(others.map(({ status }) => status)).toEqual(Array(99).fill('running'))
})

test('Every change of a scenario is announced', async () => {
  const { queue, scenarios, arm, events } = start()
  const id = await arm([{ await: 'par' }, { await: 'token' }])
  await queue.observe(call('par'), 401)
  await queue.observe(call('par'), 201)
  await scenarios.remove(id)
  const told = events.map(({ status, step }) => `${status} ${step}`)
  expect(told).toEqual(['running 0', 'running 0', 'running 1', 'removed 1'])
})

test('The first scenario whose current step decides a call is matched, with those before it that the call contradicts', async () => {
  const { queue, arm, find, overrule } = start()
  const expecting = (can_create: string) => ({ ...AS_TEEN, expect: { can_create } })
  await arm([{ await: 'par' }, AS_TEEN])
  await arm([{ decide: { flow: 'create', outcome: 'created' } }])
  const contradicted = await arm([expecting('false')])
  const id = await arm([{ await: 'token' }, expecting('true')], { name: 'B' })
  await queue.observe(call('token'), 200)
  await arm([expecting('false')])
  const use = sending('use', { can_create: 'true' })
  const explanation = { detail: 'can_create: expected "false", came "true"' }
  const decision = {
    id,
    scenario: id,
    index: 1,
    source: 'scenario "B", step 2',
    persona: 'teen-16',
    outcome: undefined,
  }
  expect(await queue.match(use)).toMatchObject({
    decision,
    contradicted: [{ id: contradicted, index: 0, explanation }],
  })
  await overrule(use)
  // The scenario that has failed decides nothing more.
  expect(await find(sending('use', { can_create: 'false' }))).not.toMatchObject({
    id: contradicted,
  })
})

test.each(SERVER_CALLS)('The clock step behind a decided %s call runs at once', async (flow) => {
  const { queue, arm, clock, follow } = start()
  const id = await arm([
    { decide: { flow, outcome: `${flow}.500` } },
    { clock: { set: '2030-01-01', freeze: true } },
  ])
  await follow(call(flow))
  await queue.observe(call(flow), 500, id)
  expect(clock.state().now).toBe('2030-01-01T00:00:00.000Z')
})

test.each(SERVER_CALLS)('The clock step behind an awaited %s call runs at once', async (flow) => {
  const { queue, arm, clock } = start()
  await arm([{ await: flow }, { clock: { set: '2030-01-01', freeze: true } }])
  await queue.observe(call(flow), 200)
  expect(clock.state().now).toBe('2030-01-01T00:00:00.000Z')
})

test('The second clock step of a scenario runs when its call has come', async () => {
  const { queue, arm, clock } = start()
  await arm([
    { clock: { set: '2030-01-01', freeze: true } },
    { await: 'par' },
    { clock: { advance: 1 } },
    { await: 'token' },
    { clock: { advance: 2 } },
  ])
  await queue.observe(call('par'), 201)
  await queue.observe(call('token'), 200)
  expect(clock.state().now).toBe('2030-01-01T00:00:03.000Z')
})

test('A clock step that advances by 0 seconds passes', async () => {
  const { arm, isPassed } = start()
  expect(await isPassed(await arm([{ clock: { advance: 0 } }]))).toBe(true)
})

test('A second refused call replaces the remark of the first', async () => {
  const { queue, scenarios, arm } = start()
  const id = await arm([{ await: 'par' }])
  await queue.observe(call('par'), 401)
  await queue.observe(call('par'), 400)
  expect(await scenarios.find(id)).toMatchObject({
    revision: 2,
    steps: [{ detail: 'a par call came that was answered with 400' }],
  })
})

test('The same remark a second time is no change of the scenario', async () => {
  const { queue, scenarios, arm } = start()
  const id = await arm([{ await: 'par' }])
  await queue.observe(call('par'), 401)
  await queue.observe(call('par'), 401)
  expect((await scenarios.find(id))?.revision).toBe(1)
})

test('A step has no remark of the step before', async () => {
  const { queue, scenarios, arm } = start()
  const id = await arm([{ await: 'par' }, { await: 'par' }])
  await queue.observe(call('par'), 401)
  await queue.observe(call('par'), 201)
  expect((await scenarios.find(id))?.steps[1]).toEqual({
    index: 1,
    kind: 'await',
    summary: 'par',
    status: 'current',
  })
})

test('A scenario that is armed a second time runs from its first step', async () => {
  const { arm, statusOf, follow } = start()
  await arm([AS_TEEN])
  await follow(call('use'))
  expect(await statusOf(await arm([AS_TEEN]))).toEqual(['current'])
})
