import { expect, test } from 'vitest'
import { type ClockMemory, clockMemorySchema } from '../../../src/sandbox/clock/clock.ts'
import type { Tables } from '../../../src/sandbox/tables.ts'
import { createTenantState } from '../../../src/sandbox/tenants/tenant-state.ts'
import { createMemoryTables } from '../../../src/server/store/memory-tables.ts'

function startReplica(tables: Tables) {
  const clocks: (ClockMemory | undefined)[] = []
  const state = createTenantState(tables)
  const apply = (memory?: ClockMemory) => clocks.push(memory)
  const changeClock = state.add({ name: 'clock', schema: clockMemorySchema, apply })
  return { state, clocks, changeClock }
}

test('A state applies the change of another process once when it refreshes', async () => {
  const tables = createMemoryTables()
  const [a, b] = [startReplica(tables), startReplica(tables)]
  await a.changeClock(() => ({ advancedMs: 91_000 }))
  expect(a.clocks).toEqual([{ advancedMs: 91_000 }])
  expect(b.clocks).toEqual([])
  await b.state.refresh()
  await b.state.refresh()
  expect(b.clocks).toEqual([{ advancedMs: 91_000 }])
})

test('A state applies the removal of its part when it refreshes', async () => {
  const tables = createMemoryTables()
  const [a, b] = [startReplica(tables), startReplica(tables)]
  await a.changeClock(() => ({ advancedMs: 91_000 }))
  await b.state.refresh()
  await tables.clear()
  await b.state.refresh()
  expect(b.clocks).toEqual([{ advancedMs: 91_000 }, undefined])
})

test('A state does not apply a reading that was overtaken by a later reading', async () => {
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
  await tables.put('state', 'clock', { advancedMs: 5 })
  const late = state.refresh()
  await expect.poll(() => readings.length).toBe(2)
  readings[1]?.()
  await late
  readings[0]?.()
  await early
  expect(clocks).toEqual([{ advancedMs: 5 }])
})

test('A state stays unchanged when a change throws', async () => {
  const tables = createMemoryTables()
  const { state, clocks, changeClock } = startReplica(tables)
  const refused = changeClock(() => {
    throw new RangeError('out of the calendar')
  })
  await expect(refused).rejects.toThrow('out of the calendar')
  await state.refresh()
  expect(clocks).toEqual([])
})

test('A state refuses a damaged part by the name of its member', async () => {
  const tables = createMemoryTables()
  const { state, clocks, changeClock } = startReplica(tables)
  await tables.put('state', 'clock', { advancedMs: 'soon' })
  const damaged = /^store: a clock state record is damaged at advancedMs: /
  await expect(state.refresh()).rejects.toThrow(damaged)
  await expect(changeClock(() => ({ advancedMs: 1 }))).rejects.toThrow(damaged)
  expect(clocks).toEqual([])
})
