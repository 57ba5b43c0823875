import { syncBuiltinESMExports } from 'node:module'
import v8 from 'node:v8'
import * as fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Tables, TenantStore } from '../../../src/sandbox/tables.ts'
import { createMemoryRecords, createMemoryStore } from '../../../src/server/store/memory.ts'
import {
  bytesOf,
  createMemoryBudget,
  type MemoryBudget,
} from '../../../src/server/store/memory-budget.ts'
import { createMemoryJournal } from '../../../src/server/store/memory-journal.ts'
import { createMemoryTables } from '../../../src/server/store/memory-tables.ts'
import { createMemoryDirectory } from '../../../src/server/store/stores.ts'
import { allOf, useFlowEntry } from '../../support/journal-entries.ts'
import { usedBytes } from '../../support/used-bytes.ts'

const KB = 1024
const clock = { now: () => 0 }
const NEVER = 1
/** A value whose entry, under an id of one character, takes so many kilobytes. */
const sized = (kilobytes: number) => 'x'.repeat(kilobytes * KB - BESIDE)
const BESIDE = bytesOf('a', ' '.repeat(KB)) - KB + '""'.length

type Kept = Readonly<{ store: TenantStore; tables: Tables }>

/**
 * Two tenants that share a budget of which one megabyte is for what is kept, of that three fifths
 * for what is declared.
 */
function startTenants() {
  const budget = createMemoryBudget(3)
  const open = (): Kept => ({
    store: createMemoryStore({ clock, budget }),
    tables: createMemoryTables({ budget }),
  })
  return { budget, one: open(), other: open() }
}

const put = ({ store }: Pick<Kept, 'store'>, id: string, kilobytes: number, isUnfinished = false) =>
  store.put('things', id, sized(kilobytes), NEVER, { isUnfinished })
const declare = ({ tables }: Kept, id: string, kilobytes: number) =>
  tables.put('personas', id, sized(kilobytes))

const left = async ({ store }: Pick<Kept, 'store'>, ids: string) => {
  const values = await Promise.all([...ids].map((id) => store.get('things', id)))
  return [...ids].filter((_, index) => values[index] !== undefined).join('')
}
const refuses = (write: () => unknown, message = '') =>
  expect(async () => write()).rejects.toMatchObject({
    status: 503,
    code: 'temporarily_unavailable',
    message: expect.stringContaining(message),
  })

test('A full memory budget drops the oldest unfinished records of all tenants, then the oldest others', async () => {
  const { one, other } = startTenants()
  await put(one, 'a', 300)
  await put(one, 'b', 300, true)
  await put(other, 'c', 300, true)
  await put(other, 'd', 300)
  expect(await left(one, 'ab')).toBe('a')
  expect(await left(other, 'cd')).toBe('cd')
  await put(other, 'e', 300, true)
  expect(await left(one, 'ab')).toBe('a')
  expect(await left(other, 'cde')).toBe('de')
  await put(other, 'f', 700)
  expect(await left(one, 'a')).toBe('')
  expect(await left(other, 'def')).toBe('df')
})

test('A record that is written again is the newest to a full memory budget', async () => {
  const { one } = startTenants()
  for (const id of 'abca') await put(one, id, 300)
  await put(one, 'd', 300)
  expect(await left(one, 'abcd')).toBe('acd')
})

test('A full memory budget drops records for rows', async () => {
  const { one, other } = startTenants()
  await put(one, 'a', 500)
  await declare(one, 'b', 600)
  expect(await left(one, 'a')).toBe('')
  await refuses(
    () => declare(other, 'c', 600),
    'memory: the budget of 3 MB has no room for more that is declared (personas, expectations, scenarios, tenants and their settings); ' +
      'reset or DELETE a tenant, or start the sandbox with a larger memory_budget',
  )
})

test('A full memory budget of rows refuses a record', async () => {
  const { budget, one, other } = startTenants()
  await declare(one, 'b', 600)
  await refuses(() => put(other, 'd', 600))
  expect(await one.tables.get('personas', 'b')).toEqual(sized(600))
  expect(budget.used()).toEqual(600 * KB)
})

test('A write that a full memory budget refuses leaves everything as it was', async () => {
  const { budget, one } = startTenants()
  await declare(one, 'a', 200)
  await declare(one, 'b', 400)
  await put(one, 'c', 100)
  const before = budget.used()
  await refuses(() => declare(one, 'a', 215))
  await refuses(() => one.tables.update('personas', 'a', () => sized(215)))
  await refuses(() => one.tables.add('personas', 'd', sized(15)))
  await refuses(
    () => put(one, 'c', 425),
    'memory: this is too large for the budget of 3 MB; send less, or start the sandbox with a larger memory_budget',
  )
  expect(await one.tables.get('personas', 'a')).toEqual(sized(200))
  expect(await left(one, 'c')).toBe('c')
  expect(budget.used()).toBe(before)
})

test('A full memory budget has room for what takes the place of as much that is declared', async () => {
  const { one } = startTenants()
  await declare(one, 'a', 600)
  await declare(one, 'a', 610)
  expect(await one.tables.get('personas', 'a')).toBe(sized(610))
})

test('Changes of a call that a full memory budget has no room for take nothing', async () => {
  const { store } = createMemoryRecords({ clock: clock, budget: createMemoryBudget(3) })
  await store.put('codes', 'a', 'unspent', NEVER)
  const take = { kind: 'take', collection: 'codes', id: 'a' } as const
  await refuses(() =>
    store.write([take, { kind: 'row', table: 'personas', id: 'b', value: sized(700) }]),
  )
  expect(await store.get('codes', 'a')).toBe('unspent')
})

test('A record may be as large as the memory budget', async () => {
  const { one } = startTenants()
  await put(one, 'a', 1_024)
  await refuses(() => one.store.put('things', 'b', `${sized(1_024)}x`, NEVER))
  expect(await left(one, 'ab')).toBe('a')
})

test('The memory budget is half of the heap, at most 256 MB', () => {
  onTestFinished(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })
  const ofHeap = (megabytes: number) => {
    const statistics = { ...v8.getHeapStatistics(), heap_size_limit: megabytes * KB * KB }
    vi.spyOn(v8, 'getHeapStatistics').mockReturnValue(statistics)
    syncBuiltinESMExports()
    return createMemoryBudget().limit
  }
  expect(ofHeap(101)).toBe(createMemoryBudget(50).limit)
  expect(ofHeap(10_000)).toBe(createMemoryBudget(256).limit)
})

const IDS = ['a', 'b', 'c', 'd']
const KINDS = ['put', 'unfinished', 'row', 'add', 'update', 'take', 'remove', 'empty', 'expire']
const ENDS = ['clear', 'clear tables']
const operation = fc.record({
  kind: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...KINDS) }, fc.constantFrom(...ENDS)),
  tenant: fc.constantFrom('one' as const, 'other' as const),
  id: fc.constantFrom(...IDS),
  kilobytes: fc.integer({ min: 1, max: 500 }),
})
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never

const perform = ({ kind, id, kilobytes }: Operation, kept: Kept) => {
  const { store, tables } = kept
  const value = sized(kilobytes)
  const performed: Readonly<Record<string, () => unknown>> = {
    put: () => put(kept, id, kilobytes),
    unfinished: () => put(kept, id, kilobytes, true),
    expire: () => store.put('things', id, value, 0),
    take: () => store.take('things', id),
    clear: () => store.clear(),
    row: () => tables.put('rows', id, value),
    add: () => tables.add('rows', id, value),
    update: () => tables.update('rows', id, () => value),
    empty: () => tables.update('rows', id, () => undefined),
    remove: () => tables.remove('rows', id),
    'clear tables': () => tables.clear(),
  }
  try {
    return performed[kind]?.()
  } catch (error) {
    return expect(error).toMatchObject({ status: 503 })
  }
}
const sum = async ({ store, tables }: Kept) => {
  const values = await Promise.all(IDS.map((id) => store.get('things', id)))
  const rows = (await tables.list('rows')).map(([, value]) => value)
  return [...values, ...rows]
    .filter((value) => value !== undefined)
    .reduce((bytes: number, value) => bytes + bytesOf('a', JSON.stringify(value)), 0)
}

test('The memory budget never counts more than its limit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
      const tenants = startTenants()
      for (const one of operations) {
        await perform(one, tenants[one.tenant])
        expect(tenants.budget.used()).toBeLessThanOrEqual(1024 * KB)
      }
      expect((await sum(tenants.one)) + (await sum(tenants.other))).toBe(tenants.budget.used())
    }),
    { numRuns: 100 },
  )
})

test('A tenant counts in the memory budget from the time it is called until it is removed', async () => {
  const budget = createMemoryBudget(3)
  const directory = createMemoryDirectory({ budget, max: 2 })
  await directory.touch('a')
  const ofOne = budget.used()
  expect(ofOne).toBeGreaterThan(20_000)
  for (const name of ['a', 'b', 'c']) await directory.touch(name)
  expect(budget.used()).toBe(2 * ofOne)
  await directory.declare('c')
  expect(await directory.list()).toEqual(['b', 'c'])
  expect(budget.used()).toEqual(2 * ofOne)
  for (const name of ['b', 'c', 'never-there']) await directory.remove(name)
  expect(budget.used()).toBe(0)
})

const call = (length: number) =>
  useFlowEntry({ call: { response: { kind: 'text', text: 'x'.repeat(length) } } })

test('The journal in memory is bounded by a third of the memory budget', async () => {
  const memory = createMemoryBudget(3)
  const journal = createMemoryJournal({ memory })
  await journal.record('one', call(10_000))
  const ofOne = memory.used()
  expect(ofOne).toBeGreaterThan(20_000)
  for (let n = 0; n < 100; n++) await journal.record('other', call(10_000))
  expect(memory.used()).toBeGreaterThan(200 * KB)
  expect(memory.used()).toBeLessThan(400 * KB)
  await journal.clear('other')
  await journal.clear('one')
  expect(memory.used()).toBe(0)
})

test('The journal in memory keeps its flows until nothing else may go, the newest to the end', async () => {
  const memory = createMemoryBudget(3)
  const kept = { store: createMemoryStore({ clock, budget: memory }) }
  const journal = createMemoryJournal({ memory })
  const flows = async () => (await allOf(journal.list('one'))).map(({ id }) => id)
  for (let n = 0; n < 3; n++) await journal.record('one', call(10_000))
  await put(kept, 'a', 800)
  await put(kept, 'b', 800)
  expect(await left(kept, 'ab')).toBe('b')
  expect(await flows()).toEqual(['f3', 'f2', 'f1'])
  await put(kept, 'c', 980)
  expect(await left(kept, 'bc')).toBe('c')
  expect(await flows()).toEqual(['f3'])
})

test('The journal in memory lets a call be answered that it has no room for', async () => {
  const memory = createMemoryBudget(3)
  const tables = createMemoryTables({ budget: memory })
  const journal = createMemoryJournal({ memory })
  await tables.put('personas', 'a', sized(600))
  expect(await journal.record('one', call(300_000))).toEqual({ id: 'f1' })
  expect(await allOf(journal.list('one'))).toEqual([])
  expect(memory.used()).toBe(600 * KB)
})

/** Keeps so many records and rows. Returns how to read one. */
const keepRecords = (text: string) => async (budget: MemoryBudget) => {
  const store = createMemoryStore({ clock, budget, limit: 100_000 })
  const tables = createMemoryTables({ budget })
  for (let n = 0; n < 6_000; n++) {
    const id = `an-id-of-22-characters-${n}`
    await (n % 2 === 0 ? store.put('things', id, text, NEVER) : tables.put('rows', id, text))
  }
  return () => store.get('things', 'an-id-of-22-characters-0')
}
/** Keeps flows of so many calls, each of which issues an identifier. Returns how to read one. */
const keepFlows = (flows: number, calls: number) => async (memory: MemoryBudget) => {
  const journal = createMemoryJournal({ memory, maxCharacters: 100_000_000 })
  const issued = (flow: number, n: number) => [`code:an-id-of-22-characters-${flow}-${n}`]
  for (let flow = 0; flow < flows; flow++)
    for (let n = 0; n < calls; n++) {
      const correlationIds = n === 0 ? [] : issued(flow, 0)
      await journal.record('one', { ...useFlowEntry(), correlationIds, issuedIds: issued(flow, n) })
    }
  return () => journal.find('one', 'f1')
}

test.each([
  ['short records and rows', keepRecords('true')],
  ['long records and rows of two bytes a character', keepRecords('ж'.repeat(4_000))],
  ['flows of one call', keepFlows(1_000, 1)],
  ['flows of a hundred calls', keepFlows(100, 100)],
])('The memory budget counts at most four times what %s take', async (_case, keep) => {
  const budget = createMemoryBudget(1_000)
  const before = await usedBytes()
  const first = await keep(budget)
  const taken = (await usedBytes()) - before
  expect(await first()).toBeDefined()
  expect(taken).toBeLessThan(budget.used())
  expect(taken).toBeGreaterThan(budget.used() / 4)
})

test('Records that a full memory budget drops are gone, also from the order in which they go', async () => {
  const { budget, one } = startTenants()
  const record = (n: number) =>
    one.store.put('things', `${n}`, `${n}${sized(4)}`, NEVER, { isUnfinished: true })
  const before = await usedBytes()
  for (let n = 0; n < 500; n++) await record(n)
  expect((await usedBytes()) - before).toBeLessThan(1.5 * budget.limit)
})
