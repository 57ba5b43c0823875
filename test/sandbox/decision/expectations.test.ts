import { expect, test } from 'vitest'
import { createMask } from '../../../src/sandbox/clients/mask.ts'
import { parsedParameters, type ReceivedCall } from '../../../src/sandbox/decision/call.ts'
import {
  checkExpectation,
  createExpectations,
  expectationSchema,
  isHeld,
  newExpectationSchema,
} from '../../../src/sandbox/decision/expectations.ts'
import { createIds } from '../../../src/sandbox/tenants/ids.ts'
import { createMemoryTables } from '../../../src/store/memory.ts'
import { refusalOf } from '../../support/service.ts'
import { createTestTenant } from '../../support/tenant.ts'

/** A queue, and the flow of its tenant that ended last. */
function start() {
  const tenant = { ended: 'f0' }
  const ids = createIds({ seed: 1, scope: 'test' })
  const tables = createMemoryTables()
  const queue = createExpectations({ ids, tables, lastEnded: async () => tenant.ended })
  return { queue, tenant, tables }
}

const call = (flow: ReceivedCall['flow'], changes: Partial<ReceivedCall> = {}): ReceivedCall => ({
  ...{ flow, client_id: 'shop', state: 's', nonce: 'n' },
  sentParameters: () => ({}),
  mask: createMask([]),
  ...changes,
})

test('Expectations are found first in, first out, and each is spent as often as it says', async () => {
  const { queue, tables } = start()
  const first = await queue.add({ flow: 'use', persona: 'teen-16', times: 2 })
  const second = await queue.addLater({ flow: 'use', outcome: 'access_denied' })
  const id = expect.stringMatching(/^x-[\w-]{12}$/)
  expect(first).toEqual({ id, flow: 'use', persona: 'teen-16', times: 2, remaining: 2 })
  expect([await queue.find(call('use')), await queue.spend(first.id, 'use')]).toEqual([first, true])
  expect([await queue.list(), await tables.count('expectation')]).toEqual([[{ ...first, remaining: 1 }, second], 2])
  expect([await queue.spend(first.id, 'use'), await queue.spend(first.id, 'use')]).toEqual([true, false])
  expect(await queue.find(call('use'))).toEqual(second)
  expect([await queue.remove(second.id), await queue.remove(second.id)]).toEqual([true, false])
  await queue.add({ flow: 'par', outcome: 'par.500' })
  await queue.clear()
  expect(await queue.list()).toEqual([])
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
  const { queue } = start()
  await queue.add({ flow: 'use', outcome: 'access_denied', ...(match && { match }) })
  expect((await queue.find(call('use', changes))) !== undefined).toBe(fits)
})

test.each(['discovery', 'jwks'] as const)('What is queued for %s holds until a flow has ended', async (flow) => {
  const { queue, tenant } = start()
  const { id } = await queue.add({ flow, outcome: `${flow}.500`, times: 2 })
  tenant.ended = 'f1'
  expect(await queue.find(call(flow))).toMatchObject({ id, remaining: 2 })
  for (let read = 0; read < 3; read++) expect(await queue.spend(id, flow)).toBe(true)
  expect(await queue.list()).toMatchObject([{ id, remaining: 2, held_since: 'f1' }])
  tenant.ended = 'f2'
  const [[left]] = await Promise.all([queue.list(), queue.list()])
  expect(left).toEqual({ id, flow, outcome: `${flow}.500`, times: 2, remaining: 1 })
  await queue.spend(id, flow)
  tenant.ended = 'f3'
  expect(await queue.list()).toEqual([])
})

test('What a scenario has decided for a read holds until a flow has ended', async () => {
  const { queue, tenant } = start()
  await queue.hold({ flow: 'jwks', outcome: 'jwks.500' })
  const id = expect.stringMatching(/^x-/)
  const held = { id, flow: 'jwks', outcome: 'jwks.500', times: 1, remaining: 1, held_since: 'f0' }
  expect(await queue.list()).toEqual([held])
  tenant.ended = 'f1'
  expect(await queue.list()).toEqual([])
  expect((['use', 'par', 'discovery', 'jwks'] as const).map(isHeld)).toEqual([false, false, true, true])
})

test('A queue of 10,000 takes no more, but what held until a flow ended makes room', async () => {
  const { queue, tenant } = start()
  await queue.hold({ flow: 'jwks', outcome: 'jwks.500' })
  for (let n = 1; n < 10_000; n++) await queue.add({ flow: 'use', outcome: 'access_denied' })
  const message = 'expectations: 10000 are queued already; DELETE them, or reset the tenant'
  const refusal = await refusalOf(() => queue.add({ flow: 'use', outcome: 'access_denied' }))
  expect(refusal).toMatchObject({ code: 'conflict', message })
  tenant.ended = 'f1'
  expect(await queue.add({ flow: 'use', outcome: 'access_denied' })).toMatchObject({ flow: 'use' })
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
