import { expect, test } from 'vitest'
import { Refusal } from '../../../src/oidc/refusal.ts'
import { createTestTenant } from '../../support/tenant.ts'

const LATER = Date.parse('2100-01-01')

test('A call sees its own changes, others do not before it has its answer', async () => {
  const tenant = await createTestTenant()
  const seen = await tenant.inOneStep(async (view) => {
    await view.provider.store.put('code', 'a', 'right', LATER)
    await view.moveClock({ advance: 91 })
    await view.expectations.add({ flow: 'use', outcome: 'access_denied' })
    const content = async ({ provider, clock, expectations }: typeof view) => [
      await provider.store.get('code', 'a'),
      clock.state().advanced_seconds,
      (await expectations.list()).length,
    ]
    return [await content(view), await content(tenant)]
  })
  expect(seen).toEqual([
    ['right', 91, 1],
    [undefined, 0, 0],
  ])
  expect(await tenant.provider.store.get('code', 'a')).toBe('right')
  expect([tenant.clock.state().advanced_seconds, (await tenant.expectations.list()).length]).toEqual([91, 1])
})

test('A call that was overtaken is made again on what is kept by then, and of many at once each is counted', async () => {
  const tenant = await createTestTenant()
  await tenant.expectations.add({ flow: 'use', outcome: 'access_denied', times: 50 })
  const [{ id = '' } = {}] = await tenant.expectations.list()
  let runs = 0
  const calls = Array.from({ length: 50 }, () =>
    tenant.inOneStep((view) => {
      runs++
      return view.expectations.spend(id, 'use')
    }),
  )
  expect(await Promise.all(calls)).toEqual(Array(50).fill(true))
  expect(await tenant.expectations.list()).toEqual([])
  // The first is not repeated; the others are so once, because repeats take turns.
  expect(runs).toBe(99)
})

test.each([
  ['a refusal keeps what it changed', Refusal.invalidRequest('refused'), true],
  ['a store that is away changes nothing', Refusal.unavailable('away'), false],
  ['a defect changes nothing', new TypeError('defect'), false],
])('Of a call that ends by an error: %s', async (_case, error, isKept) => {
  const tenant = await createTestTenant()
  const call = tenant.inOneStep(async (view) => {
    await view.provider.store.put('code', 'a', 'right', LATER)
    throw error
  })
  await expect(call).rejects.toBe(error)
  expect(await tenant.provider.store.get('code', 'a')).toBe(isKept ? 'right' : undefined)
})

test('A scenario announces how far it has come when that is kept', async () => {
  const tenant = await createTestTenant()
  const events: unknown[] = []
  tenant.journal.subscribe(({ data }) => events.push(data['revision']))
  await tenant.inOneStep(async (view) => {
    await view.scenarios.arm({ name: 'A', steps: [{ clock: { advance: 91 } }, { await: 'par' }] })
    expect(events).toEqual([])
  })
  expect([events, tenant.clock.state().advanced_seconds]).toEqual([[0, 1], 91])
})
