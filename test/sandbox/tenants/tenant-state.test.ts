import { expect, test } from 'vitest'
import type { ClockMemory } from '../../../src/sandbox/clock/clock.ts'
import type { Tables } from '../../../src/sandbox/tenants/tables.ts'
import { createTenantState } from '../../../src/sandbox/tenants/tenant-state.ts'
import { createMemoryTables } from '../../../src/store/memory-tables.ts'

/** The state of one tenant as one process sees it. */
function startReplica(tables: Tables) {
  const clocks: (ClockMemory | undefined)[] = []
  const state = createTenantState(tables, { clock: (told) => clocks.push(told), settings() {}, keys() {} })
  return { state, clocks }
}

test('what one process is told another one takes over when it refreshes, once', async () => {
  const tables = createMemoryTables()
  const [a, b] = [startReplica(tables), startReplica(tables)]
  await a.state.update('clock', () => ({ advancedMs: 91_000 }))
  expect(a.clocks).toEqual([{ advancedMs: 91_000 }])
  expect(b.clocks).toEqual([])
  await b.state.refresh()
  await b.state.refresh()
  expect(b.clocks).toEqual([{ advancedMs: 91_000 }])
})

test('what is forgotten is taken over too', async () => {
  const tables = createMemoryTables()
  const [a, b] = [startReplica(tables), startReplica(tables)]
  await a.state.update('clock', () => ({ advancedMs: 1 }))
  await b.state.refresh()
  await tables.clear()
  await b.state.refresh()
  expect(b.clocks).toEqual([{ advancedMs: 1 }, undefined])
})

test('a change that throws changes nothing', async () => {
  const { state, clocks } = startReplica(createMemoryTables())
  const refused = state.update('clock', () => {
    throw new RangeError('out of the calendar')
  })
  await expect(refused).rejects.toThrow('out of the calendar')
  await state.refresh()
  expect(clocks).toEqual([])
})

test('a reading that was begun earlier and ends later does not bring the past back', async () => {
  const tables = createMemoryTables()
  const readings: (() => void)[] = []
  const slow: Tables = {
    ...tables,
    async list(table) {
      const rows = await tables.list(table)
      await new Promise<void>((resolve) => readings.push(resolve))
      return rows
    },
  }
  const { state, clocks } = startReplica(slow)
  const early = state.refresh()
  await tables.put('told', 'clock', { advancedMs: 5 })
  const late = state.refresh()
  await expect.poll(() => readings.length).toBe(2)
  readings[1]?.()
  await late
  readings[0]?.()
  await early
  expect(clocks).toEqual([{ advancedMs: 5 }])
})
