import { expect, test } from 'vitest'
import { createMemoryStore, createMemoryTables } from '../../src/store/memory.ts'
import { createMemoryDirectory } from '../../src/store/memory-directory.ts'
import { createMemoryJournal } from '../../src/store/memory-journal.ts'
import { createMemoryStores } from '../../src/store/stores.ts'
import { describeDirectory } from './directory-contract.ts'
import { describeJournal } from './journal-contract.ts'
import { describeStore } from './store-contract.ts'
import { describeStores } from './stores-contract.ts'
import { describeTables } from './tables-contract.ts'

describeStore('memory', createMemoryStore)
describeTables('memory', createMemoryTables)
describeJournal('memory', createMemoryJournal)
describeDirectory('memory', createMemoryDirectory)
const stores = createMemoryStores()
describeStores('memory', () => stores)

test('The memory store holds 10,000 records per collection however many are put', async () => {
  const store = createMemoryStore({ clock: { now: () => 0 } })
  for (let id = 0; id < 10_000; id++) await store.put('code', String(id), { id }, 1)
  expect(await store.get('code', '0')).toEqual({ id: 0 })
  await store.put('code', 'one more', {}, 1)
  expect([await store.get('code', '0'), await store.get('code', '1')]).toEqual([undefined, { id: 1 }])
})

const ROWS = 2_000

/** Tables with a list that takes much longer to read than a turn. */
async function startLongList() {
  const tables = createMemoryTables()
  const value = { texts: Array(1_000).fill('a text') }
  for (let n = 0; n < ROWS; n++) await tables.put('rows', `row-${n}`, value)
  return tables
}

test('Other events come between while a long list is read', async () => {
  const tables = await startLongList()
  let others = 0
  const other = () => {
    others += 1
    next = setImmediate(other)
  }
  let next = setImmediate(other)
  expect(await tables.list('rows')).toHaveLength(ROWS)
  clearImmediate(next)
  expect(others).toBeGreaterThan(0)
})

test('A row that changes while a list is read is in the next one', async () => {
  const tables = await startLongList()
  const reading = tables.list('rows')
  await tables.put('rows', 'late', 'value')
  await tables.remove('rows', 'row-0')
  expect(await reading).toHaveLength(ROWS)
  const ids = (await tables.list('rows')).map(([id]) => id)
  expect([ids.length, ids.includes('late'), ids.includes('row-0')]).toEqual([ROWS, true, false])
})
