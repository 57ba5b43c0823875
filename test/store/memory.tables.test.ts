import { expect, test } from 'vitest'
import { createMemoryTables } from '../../src/store/memory.ts'

/** Tables with a list that takes much longer to read than a turn. */
async function startLongList() {
  const tables = createMemoryTables()
  const value = { texts: Array(1_000).fill('a text') }
  for (let n = 0; n < 2_000; n++) await tables.put('rows', `row-${n}`, value)
  return tables
}

test('Other events come between while a long list is read', async () => {
  const tables = await startLongList()
  let others = 0
  const other = setInterval(() => others++, 0)
  expect(await tables.list('rows')).toHaveLength(2_000)
  clearInterval(other)
  expect(others).toBeGreaterThan(0)
})

test('A row that changes while a list is read is in the next one', async () => {
  const tables = await startLongList()
  const reading = tables.list('rows')
  await tables.put('rows', 'late', 'value')
  await tables.remove('rows', 'row-0')
  expect(await reading).toHaveLength(2_000)
  const ids = (await tables.list('rows')).map(([id]) => id)
  expect([ids.length, ids.includes('late'), ids.includes('row-0')]).toEqual([2_000, true, false])
})
