import { describe, expect, test } from 'vitest'
import { createMask } from '../../../src/sandbox/clients/mask.ts'
import { createClock } from '../../../src/sandbox/clock/clock.ts'
import { moveClock } from '../../../src/sandbox/clock/clock-move.ts'
import type { ReceivedCall } from '../../../src/sandbox/decision/call.ts'
import { outcomesFor } from '../../../src/sandbox/outcomes/catalogue.ts'
import { progressOf } from '../../../src/sandbox/scenarios/armed-scenario.ts'
import { type Scenario, scenarioSchema } from '../../../src/sandbox/scenarios/scenario-schema.ts'
import { createScenarios, type ScenarioEvent } from '../../../src/sandbox/scenarios/scenarios.ts'
import { createIds } from '../../../src/sandbox/tenants/ids.ts'
import { createMemoryTables } from '../../../src/store/memory.ts'

function start() {
  const events: ScenarioEvent[] = []
  const clock = createClock()
  const scenarios = createScenarios({
    ids: createIds({ seed: 1, scope: 'test' }),
    tables: createMemoryTables(),
    moveClock: async (move) => moveClock(clock, move),
    announce: (event) => events.push(event),
  })
  const arm = async (steps: Scenario['steps'], more: Partial<Scenario> = {}) =>
    (await scenarios.arm(scenarioSchema.parse({ name: 'A', steps, ...more }))).id
  const statusOf = async (id: string) => (await scenarios.find(id))?.steps.map(({ status }) => status)
  /** Matches a call and records that the match was not followed, as for a request that is decided otherwise. */
  const overrule = async (received: ReceivedCall) => {
    const match = await scenarios.match(received)
    await scenarios.settle(match, { isFollowed: false, call: received })
    return match.step
  }
  /** Matches a call and follows the match. */
  const follow = async (received: ReceivedCall) =>
    scenarios.settle(await scenarios.match(received), { isFollowed: true, call: received })
  return { scenarios, clock, events, arm, statusOf, overrule, follow }
}

const call = (
  flow: ReceivedCall['flow'],
  parameters: Readonly<Record<string, unknown>> = {},
  client = 'shop',
): ReceivedCall => ({
  flow,
  client_id: client,
  state: undefined,
  nonce: undefined,
  sentParameters: () => parameters,
  mask: createMask([]),
})

describe('decide', () => {
  test('consecutive decisions are used up one per request', async () => {
    const { scenarios, arm, overrule } = start()
    const id = await arm([
      { decide: { flow: 'use', persona: 'teen-16' } },
      { decide: { flow: 'use', persona: 'adult-passport' } },
    ])
    const first = await scenarios.match(call('use'))
    expect(first.step).toMatchObject({ persona: 'teen-16', outcome: undefined, name: 'A', index: 0 })
    expect(await scenarios.settle(first, { isFollowed: true, call: call('use') })).toBe(true)
    expect(await scenarios.find(id)).toMatchObject({
      status: 'running',
      steps: [{ status: 'passed', summary: 'use as teen-16' }, { status: 'current' }],
    })
    const second = await scenarios.match(call('use'))
    expect(second.step).toMatchObject({ persona: 'adult-passport' })
    await scenarios.settle(second, { isFollowed: true, call: call('use') })
    expect((await scenarios.find(id))?.status).toBe('passed')
    expect(await overrule(call('use'))).toBeUndefined()
  })

  test('of two requests at once one is decided', async () => {
    const { scenarios, arm } = start()
    await arm([{ decide: { flow: 'use', persona: 'teen-16' } }])
    const matches = await Promise.all([scenarios.match(call('use')), scenarios.match(call('use'))])
    const followed = matches.map((match) => scenarios.settle(match, { isFollowed: true, call: call('use') }))
    expect(await Promise.all(followed)).toEqual([true, false])
  })

  test('a request of another flow or another client is none of its business', async () => {
    const { arm, statusOf, overrule } = start()
    const id = await arm([{ decide: { flow: 'use', persona: 'teen-16' } }], { client: 'shop' })
    expect(await overrule(call('create'))).toBeUndefined()
    expect(await overrule(call('use', {}, 'other'))).toBeUndefined()
    expect(await statusOf(id)).toEqual(['current'])
  })

  test('a request that is not as expected fails the scenario and is not decided', async () => {
    const { scenarios, arm, overrule } = start()
    const id = await arm([
      { decide: { flow: 'use', persona: 'teen-16' }, expect: { can_create: 'true', claims: { age_thresholds: [18] } } },
      { await: 'par' },
    ])
    expect(await overrule(call('use', { claims: { age_thresholds: [21] } }))).toBeUndefined()
    expect(await scenarios.find(id)).toMatchObject({
      status: 'failed',
      steps: [
        {
          status: 'failed',
          detail: 'can_create: expected "true", came nothing; claims.age_thresholds[0]: expected 18, came 21',
          mismatches: [{ path: 'can_create' }, { path: 'claims.age_thresholds[0]', expected: '18', came: '21' }],
        },
        { status: 'waiting' },
      ],
    })
  })

  test('a decision that was not taken leaves a remark that says why', async () => {
    const { scenarios, arm, overrule } = start()
    const id = await arm([{ decide: { flow: 'use', persona: 'teen-16' } }])
    await overrule(call('use'))
    expect((await scenarios.find(id))?.steps[0]).toMatchObject({
      status: 'current',
      detail: expect.stringMatching(/did not take/),
    })
  })
})

describe('await', () => {
  test('is met by a successful call, not by a refused one', async () => {
    const { scenarios, arm } = start()
    const id = await arm([{ await: 'par' }])
    await scenarios.observe(call('par'), 401)
    expect((await scenarios.find(id))?.steps[0]).toMatchObject({
      status: 'current',
      detail: expect.stringContaining('401'),
    })
    await scenarios.observe(call('token'), 200)
    expect((await scenarios.find(id))?.status).toBe('running')
    await scenarios.observe(call('par'), 201)
    expect((await scenarios.find(id))?.status).toBe('passed')
  })

  test('fails when the call is not as expected', async () => {
    const { scenarios, arm } = start()
    const id = await arm([{ await: 'par', expect: { authorization_details: [{ method: 'id_doc_scan' }] } }])
    await scenarios.observe(call('par', { authorization_details: [{ method: 'email_age_estimation' }] }), 201)
    expect((await scenarios.find(id))?.steps[0]).toMatchObject({
      status: 'failed',
      detail: 'authorization_details[0].method: expected "id_doc_scan", came "email_age_estimation"',
    })
  })

  test('is not met by the very call that was decided before', async () => {
    const { scenarios, arm, statusOf, follow } = start()
    const outcome = outcomesFor('par')[0]?.name ?? ''
    const id = await arm([{ decide: { flow: 'par', outcome } }, { await: 'par' }])
    const decided = call('par')
    await follow(decided)
    await scenarios.observe(decided, 201, id)
    expect(await statusOf(id)).toEqual(['passed', 'current'])
    await scenarios.observe(call('par'), 201)
    expect(await statusOf(id)).toEqual(['passed', 'passed'])
  })

  test('counts the keys and discovery for any client: they are read without saying by whom', async () => {
    const { scenarios, arm } = start()
    const id = await arm([{ await: 'jwks' }], { client: 'shop' })
    await scenarios.observe({ ...call('jwks'), client_id: undefined }, 200)
    expect((await scenarios.find(id))?.status).toBe('passed')
  })
})

describe('clock', () => {
  test('steps at the beginning run at arming, later ones when they are reached', async () => {
    const { scenarios, arm, clock, follow } = start()
    await arm([
      { clock: { set: '2030-01-01', freeze: true } },
      { decide: { flow: 'use', persona: 'teen-16' } },
      { clock: { advance: 91 } },
    ])
    expect(clock.state().now).toBe('2030-01-01T00:00:00.000Z')
    await follow(call('use'))
    // What the request is given is still of the time at which it came.
    expect(clock.state().now).toBe('2030-01-01T00:00:00.000Z')
    await scenarios.runClockSteps()
    expect(clock.state().now).toBe('2030-01-01T00:01:31.000Z')
  })

  test('a step out of the calendar fails the scenario', async () => {
    const { scenarios, arm } = start()
    const id = await arm([{ clock: { set: '9999-12-31' } }, { clock: { advance: 1e9 } }])
    expect(await scenarios.find(id)).toMatchObject({
      status: 'failed',
      steps: [{ status: 'passed' }, { status: 'failed', detail: expect.stringMatching(/9999/) }],
    })
  })

  test('a scenario of clock steps alone has passed when it is armed', async () => {
    const { scenarios, arm } = start()
    expect((await scenarios.find(await arm([{ clock: { advance: 1 } }])))?.status).toBe('passed')
  })
})

describe('several scenarios', () => {
  test('are asked in the order in which they were armed, and a call counts once', async () => {
    const { scenarios, arm, statusOf } = start()
    const [first, second] = [await arm([{ await: 'par' }]), await arm([{ await: 'par' }])]
    await scenarios.observe(call('par'), 201)
    expect([await statusOf(first), await statusOf(second)]).toEqual([['passed'], ['current']])
  })

  test('a hundred may run; one that has ended makes room', async () => {
    const { scenarios, arm } = start()
    for (let n = 0; n < 100; n++) await arm([{ await: 'par' }])
    await expect(arm([{ await: 'par' }])).rejects.toThrow('100 are running already')
    await scenarios.observe(call('par'), 201)
    await arm([{ await: 'par' }])
    expect(await scenarios.list()).toHaveLength(100)
    expect((await scenarios.list()).every((armed) => progressOf(armed).status === 'running')).toBe(true)
  })
})

test('every change is announced, and so is a removal', async () => {
  const { scenarios, arm, events } = start()
  const id = await arm([{ await: 'par' }, { await: 'token' }])
  await scenarios.observe(call('par'), 201)
  await scenarios.remove(id)
  expect(events.map(({ status, step }) => [status, step])).toEqual([
    ['running', 0],
    ['running', 1],
    ['removed', 1],
  ])
})

test('a scenario that was removed decides nothing more', async () => {
  const { scenarios, arm } = start()
  await arm([{ decide: { flow: 'use', persona: 'teen-16' } }])
  const match = await scenarios.match(call('use'))
  await scenarios.clear()
  expect(await scenarios.settle(match, { isFollowed: true, call: call('use') })).toBe(false)
})
