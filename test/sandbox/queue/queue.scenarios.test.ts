import { expect, test } from 'vitest'
import { createMask } from '../../../src/sandbox/clients/mask.ts'
import { createClock, moveClock } from '../../../src/sandbox/clock/clock.ts'
import { outcomesFor } from '../../../src/sandbox/outcomes/catalogue.ts'
import { createQueue, matchQueued, type ScenarioEvent } from '../../../src/sandbox/queue/queue.ts'
import {
  failStep,
  passStep,
  progressOf,
  type Queued,
  queuedScenario,
  type ReceivedCall,
} from '../../../src/sandbox/queue/queued.ts'
import { type Scenario, scenarioSchema } from '../../../src/sandbox/queue/scenario-schema.ts'
import { createIds } from '../../../src/sandbox/tenants/ids.ts'
import { createMemoryTables } from '../../../src/store/memory.ts'

function start() {
  const events: ScenarioEvent[] = []
  const clock = createClock()
  const queue = createQueue({
    idsFor: (scope) => createIds({ seed: 1, scope }),
    lastEnded: async () => 'f0',
    tables: createMemoryTables(),
    moveClock: async (move) => moveClock(clock, move),
    announce: (event) => events.push(event),
  })
  const { scenarios } = queue
  const arm = async (steps: Scenario['steps'], more: Partial<Scenario> = {}) =>
    (await scenarios.arm(scenarioSchema.parse({ name: 'A', steps, ...more }))).id
  const statusOf = async (id: string) => (await scenarios.find(id))?.steps.map(({ status }) => status)
  const isPassed = async (id: string) => (await scenarios.find(id))?.status === 'passed'
  /** Matches a call and records that the match was not followed, as for a request that is decided otherwise. */
  const overrule = async (received: ReceivedCall) => {
    const match = await queue.match(received)
    await queue.settle(match, { isFollowed: false, call: received })
    return match.decision
  }
  const follow = async (received: ReceivedCall) =>
    queue.settle(await queue.match(received), { isFollowed: true, call: received })
  return { queue, scenarios, clock, events, arm, statusOf, isPassed, overrule, follow }
}

const call = (flow: ReceivedCall['flow'], parameters: Readonly<Record<string, unknown>> = {}): ReceivedCall => ({
  ...{ flow, client_id: 'shop', state: undefined, nonce: undefined },
  sentParameters: () => parameters,
  mask: createMask([]),
})

const AS_TEEN = { decide: { flow: 'use', persona: 'teen-16' } } as const

test('Consecutive decisions of a scenario are used up one per request', async () => {
  const { queue, scenarios, arm, isPassed, overrule } = start()
  const id = await arm([AS_TEEN, { decide: { flow: 'use', persona: 'adult-passport' } }])
  const first = await queue.match(call('use'))
  expect(first.decision).toMatchObject({ persona: 'teen-16', outcome: undefined, source: 'scenario "A", step 1' })
  expect(await queue.settle(first, { isFollowed: true, call: call('use') })).toBe(true)
  expect(await scenarios.find(id)).toMatchObject({
    status: 'running',
    steps: [{ status: 'passed', summary: 'use as teen-16' }, { status: 'current' }],
  })
  const second = await queue.match(call('use'))
  expect(second.decision).toMatchObject({ persona: 'adult-passport' })
  await queue.settle(second, { isFollowed: true, call: call('use') })
  expect([await isPassed(id), await overrule(call('use'))]).toEqual([true, undefined])
})

test('Of two requests at once a scenario decides one, and none after it was removed', async () => {
  const { queue, scenarios, arm } = start()
  await arm([AS_TEEN])
  const matches = await Promise.all([queue.match(call('use')), queue.match(call('use'))])
  const followed = matches.map((match) => queue.settle(match, { isFollowed: true, call: call('use') }))
  expect(await Promise.all(followed)).toEqual([true, false])
  await arm([AS_TEEN])
  const match = await queue.match(call('use'))
  await scenarios.clear()
  expect(await queue.settle(match, { isFollowed: true, call: call('use') })).toBe(false)
})

test('A scenario decides no request of another flow or client, and says when its decision was not taken', async () => {
  const { scenarios, arm, statusOf, overrule } = start()
  const id = await arm([AS_TEEN], { client: 'shop' })
  for (const other of [call('create'), { ...call('use'), client_id: 'other' }])
    expect(await overrule(other)).toBeUndefined()
  expect(await statusOf(id)).toEqual(['current'])
  await overrule(call('use'))
  const steps = [{ status: 'current', detail: expect.stringMatching(/did not take/) }]
  expect(await scenarios.find(id)).toMatchObject({ steps })
})

test('A request or call that is not as expected fails the scenario, and is not decided', async () => {
  const { queue, scenarios, arm, overrule } = start()
  const expected = { can_create: 'true', claims: { age_thresholds: [18] } }
  const id = await arm([{ ...AS_TEEN, expect: expected }, { await: 'par' }])
  expect(await overrule(call('use', { claims: { age_thresholds: [21] } }))).toBeUndefined()
  const failed = {
    status: 'failed',
    detail: 'can_create: expected "true", came nothing; claims.age_thresholds[0]: expected 18, came 21',
    mismatches: [{ path: 'can_create' }, { path: 'claims.age_thresholds[0]', expected: '18', came: '21' }],
  }
  expect(await scenarios.find(id)).toMatchObject({ status: 'failed', steps: [failed, { status: 'waiting' }] })
  const awaiting = await arm([{ await: 'par', expect: { authorization_details: [{ method: 'id_doc_scan' }] } }])
  await queue.observe(call('par', { authorization_details: [{ method: 'email_age_estimation' }] }), 201)
  const detail = 'authorization_details[0].method: expected "id_doc_scan", came "email_age_estimation"'
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
  await queue.observe({ ...call('jwks'), client_id: undefined }, 200)
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

test('A clock step out of the calendar fails the scenario, and a scenario of clock steps alone passes', async () => {
  const { scenarios, arm, isPassed } = start()
  const id = await arm([{ clock: { set: '9999-12-31' } }, { clock: { advance: 1e9 } }])
  const steps = [{ status: 'passed' }, { status: 'failed', detail: expect.stringMatching(/9999/) }]
  expect(await scenarios.find(id)).toMatchObject({ status: 'failed', steps })
  expect(await isPassed(await arm([{ clock: { set: '2030-01-01' } }]))).toBe(true)
})

test('A hundred scenarios may run, asked in the order of their arming, and a scenario that has ended makes room', async () => {
  const { queue, scenarios, arm, isPassed } = start()
  const [first = '', second = ''] = await Promise.all(Array.from({ length: 100 }, () => arm([{ await: 'par' }])))
  await expect(arm([{ await: 'par' }])).rejects.toThrow('100 are running already')
  await queue.observe(call('par'), 201)
  await queue.observe(call('par'), 201)
  expect([await isPassed(first), await isPassed(second)]).toEqual([true, true])
  await arm([{ await: 'par' }])
  const [oldest, ...others] = (await scenarios.list()).map(progressOf)
  expect([oldest?.id, others.map(({ status }) => status)]).toEqual([second, Array(99).fill('running')])
})

test('Every change of a scenario is announced, also a remark, and so is its removal', async () => {
  const { queue, scenarios, arm, events } = start()
  const id = await arm([{ await: 'par' }, { await: 'token' }])
  await queue.observe(call('par'), 401)
  await queue.observe(call('par'), 201)
  await scenarios.remove(id)
  const told = events.map(({ status, step }) => `${status} ${step}`)
  expect(told).toEqual(['running 0', 'running 0', 'running 1', 'removed 1'])
})

const armed = (id: string, ...steps: Scenario['steps']) =>
  queuedScenario(id, scenarioSchema.parse({ name: `Scenario ${id}`, steps }))

const passed = (queued: Queued) => passStep(queued) ?? expect.fail('nothing is left')

const use = call('use', { can_create: 'true' })

test('The first scenario whose current step decides the call is matched', () => {
  const scenarios = [
    armed('waits', { await: 'par' }, AS_TEEN),
    passed(armed('passed', AS_TEEN)),
    armed('creates', { decide: { flow: 'create', outcome: 'created' } }),
    passed(armed('first', { await: 'par' }, AS_TEEN)),
    armed('second', AS_TEEN),
  ]
  const source = 'scenario "Scenario first", step 2'
  const decision = { id: 'first', scenario: 'first', index: 1, source, persona: 'teen-16', outcome: undefined }
  expect(matchQueued(scenarios, use)).toEqual({ contradicted: [], decision })
})

test('Scenarios before the matched one that the call contradicts are listed with the reason, later ones are not', () => {
  const expecting = (value: string) => ({ ...AS_TEEN, expect: { can_create: value } })
  const scenarios = [armed('a', expecting('false')), armed('b', expecting('true')), armed('c', expecting('false'))]
  const explanation = { detail: 'can_create: expected "false", came "true"' }
  const contradicted = [{ id: 'a', index: 0, explanation }]
  expect(matchQueued(scenarios, use)).toMatchObject({ decision: { id: 'b' }, contradicted })
})

test('A failed scenario is not matched, and no scenario is changed', () => {
  const failed = failStep(armed('a', AS_TEEN), { detail: 'failed' })
  const before = structuredClone(failed)
  expect([matchQueued([failed], use), failed]).toEqual([{ contradicted: [], decision: undefined }, before])
})
