import { expect, test } from 'vitest'
import { createMask } from '../../../src/sandbox/clients/mask.ts'
import {
  checkExpectation,
  expectationSchema,
  isHeld,
  newExpectationSchema,
} from '../../../src/sandbox/queue/expectation.ts'
import { createQueue } from '../../../src/sandbox/queue/queue.ts'
import { parsedParameters, type ReceivedCall } from '../../../src/sandbox/queue/queued.ts'
import { scenarioSchema } from '../../../src/sandbox/queue/scenario-schema.ts'
import { createIds } from '../../../src/sandbox/tenants/ids.ts'
import { createMemoryTables } from '../../../src/store/memory.ts'
import { refusalOf } from '../../support/service.ts'
import { createTestTenant } from '../../support/tenant.ts'

/** The expectations of a tenant, and its flow that ended last. */
function start() {
  const tenant = { ended: 'f0' }
  const tables = createMemoryTables()
  const queue = createQueue({
    idsFor: (scope) => createIds({ seed: 1, scope }),
    tables,
    lastEnded: async () => tenant.ended,
    moveClock: async () => {},
    announce: () => {},
  })
  const find = async (received: ReceivedCall) => (await queue.match(received)).decision
  const follow = async (received: ReceivedCall, match = queue.match(received)) =>
    queue.settle(await match, { isFollowed: true, call: received })
  return { queue, ...queue.expectations, tenant, tables, find, follow }
}

const call = (flow: ReceivedCall['flow'], changes: Partial<ReceivedCall> = {}): ReceivedCall => ({
  ...{ flow, client_id: 'shop', state: 's', nonce: 'n' },
  sentParameters: () => ({}),
  mask: createMask([]),
  ...changes,
})

test('Expectations are found first in, first out, and each is spent as often as it says', async () => {
  const { queue, add, list, remove, clear, tables, find, follow } = start()
  const first = await add({ flow: 'use', persona: 'teen-16', times: 2 })
  const second = await add({ flow: 'use', outcome: 'access_denied' })
  const id = expect.stringMatching(/^x-[\w-]{12}$/)
  expect(first).toEqual({ id, flow: 'use', persona: 'teen-16', times: 2, remaining: 2 })
  const decision = { id: first.id, persona: 'teen-16', source: `expectation ${first.id} (1 of 2 left)` }
  expect(await find(call('use'))).toMatchObject(decision)
  expect(await follow(call('use'))).toBe(true)
  expect([await list(), await tables.count('queue')]).toEqual([[{ ...first, remaining: 1 }, second], 2])
  const match = queue.match(call('use'))
  expect([await follow(call('use'), match), await follow(call('use'), match)]).toEqual([true, false])
  expect(await find(call('use'))).toMatchObject({ id: second.id, source: `expectation ${second.id} (now used up)` })
  expect([await remove(second.id), await remove(second.id)]).toEqual([true, false])
  await add({ flow: 'par', outcome: 'par.500' })
  await clear()
  expect(await list()).toEqual([])
})

test('An expectation decides before a scenario that was armed earlier, and neither is removed as the other', async () => {
  const { queue, add, remove, clear, find } = start()
  const armed = await queue.scenarios.arm(
    scenarioSchema.parse({ name: 'A', steps: [{ decide: { flow: 'use', persona: 'teen-16' } }] }),
  )
  const { id } = await add({ flow: 'use', outcome: 'access_denied' })
  expect(await find(call('use'))).toMatchObject({ id })
  expect([await remove(armed.id), await queue.scenarios.remove(id)]).toEqual([false, false])
  await clear()
  expect(await find(call('use'))).toMatchObject({ id: armed.id })
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

test.each(['discovery', 'jwks'] as const)('What is queued for %s holds until a flow has ended', async (flow) => {
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
})

const JWKS_FAILS = { name: 'A', steps: [{ decide: { flow: 'jwks', outcome: 'jwks.500' } }] } as const

test('What a scenario has decided for a read holds until a flow has ended', async () => {
  const { queue, list, follow, tenant } = start()
  await queue.scenarios.arm(scenarioSchema.parse(JWKS_FAILS))
  await follow(call('jwks'))
  const id = expect.stringMatching(/^x-/)
  const held = { id, flow: 'jwks', outcome: 'jwks.500', times: 1, remaining: 1, held_since: 'f0' }
  expect(await list()).toEqual([held])
  tenant.ended = 'f1'
  expect(await list()).toEqual([])
  expect((['use', 'par', 'discovery', 'jwks'] as const).map(isHeld)).toEqual([false, false, true, true])
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
  [{ flow: 'token', persona: 'teen-16' }, 'persona: a token call has no persona; give outcome only'],
  [{ flow: 'use', persona: 'teen-61' }, /^persona: there is no persona "teen-61"\. Did you mean "teen-16"/],
  [{ flow: 'par', outcome: 'par.501' }, /^outcome: there is no outcome .*"par\.501"\. Did you mean "par\.50/],
  [{ flow: 'use', persona: 'teen-16' }, undefined],
  [{ flow: 'create', persona: 'teen-16', outcome: 'created' }, undefined],
  [{ flow: 'token', outcome: 'token.500' }, undefined],
])('The expectation %j is taken, or refused with what is wrong: %s', async (expectation, message) => {
  const checked = checkExpectation(newExpectationSchema.parse(expectation), await createTestTenant())
  const refused = { status: 400, message: message && expect.stringMatching(message) }
  expect(await checked.catch((refusal) => refusal)).toEqual(message && expect.objectContaining(refused))
})

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

test('The schema of an expectation says of three members what they are for', () => {
  const schema = expectationSchema.extend({ times: newExpectationSchema.shape.times })
  const described = Object.entries(schema.shape).filter(([, { description = '' }]) => /^\w.{50,}/.test(description))
  expect(described.map(([name]) => name)).toEqual(['match', 'times', 'held_since'])
})

test('Of what was sent, claims and authorization_details are read as JSON, when they are', () => {
  const parameters = { claims: '{"a":1}', authorization_details: '[1]', state: '{"a":1}', n: 1 }
  expect(parsedParameters(parameters)).toEqual({ claims: { a: 1 }, authorization_details: [1], state: '{"a":1}', n: 1 })
  const others = { claims: '{', authorization_details: ['1'] }
  expect(parsedParameters(others)).toEqual(others)
})
