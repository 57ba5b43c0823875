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
  for (let id = 0; id < 20_000; id++) await store.put('code', String(id), { id }, 1)
  expect(await store.get('code', '9999')).toBeUndefined()
  expect(await store.get('code', '10000')).toEqual({ id: 10_000 })
  expect(await store.get('code', '19999')).toEqual({ id: 19_999 })
})
