import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/server/store/memory.ts'
import { createMemoryJournal } from '../../../src/server/store/memory-journal.ts'
import { createMemoryTables } from '../../../src/server/store/memory-tables.ts'
import { createMemoryDirectory, createMemoryStores } from '../../../src/server/store/stores.ts'
import { allOf, useFlowEntry } from '../../support/journal-entries.ts'
import { describeJournal } from './journal-contract.ts'
import { describeNames } from './names-contract.ts'
import {
  describeDirectory,
  describeStore,
  describeStores,
  describeTables,
} from './store-contract.ts'

describeStore('memory', createMemoryStore)
describeTables('memory', createMemoryTables)
describeJournal('memory', createMemoryJournal)
describeNames('memory', createMemoryJournal)
describeDirectory('memory', createMemoryDirectory)
const stores = createMemoryStores()
describeStores('memory', () => stores)

test('The memory store holds 10,000 records per collection however many are put', async () => {
  const store = createMemoryStore({ clock: { now: () => 0 } })
  for (let id = 0; id < 10_000; id++) await store.put('code', String(id), { id }, 1)
  expect(await store.get('code', '0')).toEqual({ id: 0 })
  await store.put('code', 'one more', {}, 1)
  expect(await store.get('code', '0')).toBeUndefined()
  expect(await store.get('code', '1')).toEqual({ id: 1 })
})

test('The least recently used of 1,000 tenants goes for one more', async () => {
  const directory = createMemoryDirectory()
  for (const kind of ['touch', 'declare'] as const)
    for (let n = 0; n < 1_000; n++) expect(await directory[kind](`${kind}-${n}`)).toEqual([])
  expect(await directory.touch('one-more')).toEqual(['touch-0'])
  expect(await directory.declare('made-too')).toEqual(['declare-0'])
})

test('The journal in memory holds 2,000 flows', async () => {
  const callOf = (text: string) => useFlowEntry({ call: { response: { kind: 'text', text } } })
  const oldestOf = async (flows: number, text: string) => {
    const journal = createMemoryJournal()
    for (let n = 0; n < flows; n++) await journal.record('default', callOf(text))
    return (await allOf(journal.list('default'))).at(-1)?.id
  }
  expect(await oldestOf(2_000, '')).toBe('f1')
  expect(await oldestOf(2_001, '')).toBe('f2')
})

test('The journal in memory holds 12 million characters', async () => {
  const callOf = (text: string) => useFlowEntry({ call: { response: { kind: 'text', text } } })
  const oldestOf = async (flows: number, text: string) => {
    const journal = createMemoryJournal()
    for (let n = 0; n < flows; n++) await journal.record('default', callOf(text))
    return (await allOf(journal.list('default'))).at(-1)?.id
  }
  const rest = [callOf('').call, callOf('').facts]
    .map((kept) => JSON.stringify(kept))
    .join('').length
  const oldestOfTwelve = (size: number) => oldestOf(12, 'x'.repeat(size - rest))
  expect(await oldestOfTwelve(1_000_000)).toBe('f1')
  expect(await oldestOfTwelve(1_000_001)).toBe('f2')
})

test('A list of rows in memory stays as it was read', async () => {
  const ROWS = 2_000
  const tables = createMemoryTables()
  for (let n = 0; n < ROWS; n++) tables.put('rows', `row-${n}`, { n })
  const read = await tables.list('rows')
  tables.put('rows', 'late', 'value')
  tables.remove('rows', 'row-0')
  expect(read).toHaveLength(ROWS)
  const ids = (await tables.list('rows')).map(([id]) => id)
  expect(ids).toHaveLength(ROWS)
  expect(ids).toContain('late')
  expect(ids).not.toContain('row-0')
})
