import { expect, test } from 'vitest'
import * as z from 'zod'
import { table } from '../../src/sandbox/tables.ts'
import { createMemoryTables } from '../../src/server/store/memory-tables.ts'

function start() {
  const tables = createMemoryTables()
  return {
    tables,
    counters: table(tables, { name: 'counter', schema: z.object({ count: z.int() }) }),
  }
}

test('A table parses a row of the store once', async () => {
  const tables = createMemoryTables()
  let parsed = 0
  const schema = z.object({
    count: z.int().refine(() => {
      parsed += 1
      return true
    }),
  })
  const counters = table(tables, { name: 'counter', schema })
  for (const id of ['a', 'b']) await tables.put('counter', id, { count: 1 })
  for (let n = 0; n < 5; n++) await counters.list()
  expect(parsed).toBe(2)
  expect(await counters.get('a')).toEqual({ count: 1 })
})

test('A table does not parse a row that was put through the table', async () => {
  const tables = createMemoryTables()
  let parsed = 0
  const schema = z.object({
    count: z.int().refine(() => {
      parsed += 1
      return true
    }),
  })
  const counters = table(tables, { name: 'counter', schema })
  for (const id of ['a', 'b']) await tables.put('counter', id, { count: 1 })
  for (let n = 0; n < 5; n++) await counters.list()
  await counters.update('a', () => ({ count: 2 }))
  await counters.put('b', { count: 3 })
  expect((await counters.list()).map(([, row]) => row)).toEqual([{ count: 2 }, { count: 3 }])
  expect(parsed).toBe(2)
})

test('A table refuses a damaged row by the name of its member', async () => {
  const { tables, counters } = start()
  await tables.put('counter', 'a', { count: 'many' })
  const reads = [
    () => counters.get('a'),
    () => counters.list(),
    () => counters.update('a', () => ({ count: 1 })),
  ]
  for (const read of reads)
    await expect(async () => read()).rejects.toThrow(
      /^store: a counter record is damaged at count: .*reset the tenant/,
    )
  expect(await tables.get('counter', 'a')).toEqual({ count: 'many' })
})
