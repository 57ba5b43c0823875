import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TenantStore } from '../../src/sandbox/tenants/shared-parts.ts'
import type { Tables } from '../../src/sandbox/tenants/tables.ts'
import { keepText } from '../../src/store/kept-text.ts'
import { createMemoryStore, createMemoryTables } from '../../src/store/memory.ts'
import { bytesOf, createMemoryBudget } from '../../src/store/memory-budget.ts'
import { createMemoryDirectory } from '../../src/store/memory-directory.ts'
import { createMemoryJournal } from '../../src/store/memory-journal.ts'
import { allOf, useFlowEntry } from '../support/journal-entries.ts'
import { usedBytes } from '../support/used-bytes.ts'

const KB = 1024
const clock = { now: () => 0 }
const NEVER = 1
/** A value whose entry, under an id of one character, takes so many kilobytes. */
const sized = (kilobytes: number) => 'x'.repeat(kilobytes * KB - BESIDE)
const BESIDE = bytesOf('a', keepText(' '.repeat(KB))) - KB + '""'.length

/** Two tenants that share a budget of which one megabyte is for what is kept, of that three fifths for what is declared. */
function startTenants() {
  const budget = createMemoryBudget(3)
  const createTenant = () => ({ store: createMemoryStore({ clock, budget }), tables: createMemoryTables({ budget }) })
  return { budget, one: createTenant(), other: createTenant() }
}

const put = (store: TenantStore, id: string, kilobytes: number, isUnfinished = false) =>
  store.put('things', id, sized(kilobytes), NEVER, { isUnfinished })

const left = async (store: TenantStore, ids: string) => {
  const values = await Promise.all([...ids].map((id) => store.get('things', id)))
  return [...ids].filter((_, index) => values[index] !== undefined).join('')
}

describe('When the memory budget is used up', () => {
  test('the oldest unfinished records go first, of all tenants', async () => {
    const { one, other } = startTenants()
    await put(one.store, 'a', 300)
    await put(one.store, 'b', 300, true)
    await put(other.store, 'c', 300, true)
    await put(other.store, 'd', 300)
    expect([await left(one.store, 'ab'), await left(other.store, 'cd')]).toEqual(['a', 'cd'])
    await put(other.store, 'e', 300, true)
    expect([await left(one.store, 'ab'), await left(other.store, 'cde')]).toEqual(['a', 'de'])
  })

  test('the oldest other records go when no unfinished one is left', async () => {
    const { one, other } = startTenants()
    await put(one.store, 'a', 300)
    await put(other.store, 'b', 300)
    await put(one.store, 'c', 300, true)
    await put(one.store, 'd', 700)
    expect([await left(one.store, 'acd'), await left(other.store, 'b')]).toEqual(['d', 'b'])
  })

  test('a record that is written again is the newest', async () => {
    const { one } = startTenants()
    for (const id of 'abca') await put(one.store, id, 300)
    await put(one.store, 'd', 300)
    expect(await left(one.store, 'abcd')).toBe('acd')
  })

  test('records go for rows, and rows go for nothing', async () => {
    const { budget, one, other } = startTenants()
    await put(one.store, 'a', 500)
    await one.tables.put('personas', 'b', sized(600))
    expect(await left(one.store, 'a')).toBe('')
    await expect(other.tables.put('personas', 'c', sized(600))).rejects.toMatchObject({
      status: 503,
      code: 'temporarily_unavailable',
      message:
        'memory: the budget of 3 MB has no room for more that is declared (personas, expectations, scenarios, tenants and their settings); ' +
        'reset or DELETE a tenant, or start the sandbox with a larger memory_budget',
    })
    await expect(put(other.store, 'd', 600)).rejects.toMatchObject({ status: 503 })
    expect(await one.tables.get('personas', 'b')).toBe(sized(600))
    expect(budget.used()).toBe(600 * KB)
  })

  test('a refused write leaves everything as it was', async () => {
    const { budget, one } = startTenants()
    await one.tables.put('personas', 'a', sized(200))
    await one.tables.put('personas', 'b', sized(400))
    await put(one.store, 'c', 100)
    const before = budget.used()
    await expect(one.tables.put('personas', 'a', sized(215))).rejects.toMatchObject({ status: 503 })
    await expect(one.tables.update('personas', 'a', () => sized(215))).rejects.toMatchObject({ status: 503 })
    await expect(one.tables.add('personas', 'd', sized(15))).rejects.toMatchObject({ status: 503 })
    await expect(put(one.store, 'c', 425)).rejects.toMatchObject({
      status: 503,
      message:
        'memory: this is too large for the budget of 3 MB; send less, or start the sandbox with a larger memory_budget',
    })
    expect(await one.tables.get('personas', 'a')).toBe(sized(200))
    expect(await left(one.store, 'c')).toBe('c')
    expect(budget.used()).toBe(before)
  })

  test('three fifths are for what is declared, and the rest stays for flows', async () => {
    const { one, other } = startTenants()
    await one.tables.put('personas', 'a', sized(614))
    await expect(other.tables.put('personas', 'b', sized(1))).rejects.toMatchObject({ status: 503 })
    await put(other.store, 'c', 410)
    expect(await left(other.store, 'c')).toBe('c')
  })

  test('what is as large as the budget fits, and a byte more does not', async () => {
    const { one } = startTenants()
    await put(one.store, 'a', 1_024)
    await expect(one.store.put('things', 'b', `${sized(1_024)}x`, NEVER)).rejects.toMatchObject({ status: 503 })
    expect(await left(one.store, 'ab')).toBe('a')
  })

  test('a tenant that is cleared gives its room back', async () => {
    const { budget, one, other } = startTenants()
    for (const { store, tables } of [one, other]) {
      await put(store, 'a', 200)
      await put(store, 'b', 200, true)
      await tables.put('personas', 'c', sized(100))
    }
    await one.store.clear()
    await one.tables.clear()
    expect(budget.used()).toBe(500 * KB)
  })
})

describe('The memory budget', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd')
  const tenant = fc.constantFrom('one', 'other')
  const kilobytes = fc.integer({ min: 1, max: 500 })
  const operation = fc.oneof(
    fc.record({ kind: fc.constantFrom('put', 'unfinished', 'row', 'add', 'update'), tenant, id, kilobytes }),
    fc.record({ kind: fc.constantFrom('take', 'remove', 'empty', 'expire'), tenant, id, kilobytes }),
    fc.record({ kind: fc.constantFrom('clear', 'clear tables'), tenant, id, kilobytes }),
  )
  type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never

  const perform = ({ kind, id, kilobytes }: Operation, { store, tables }: { store: TenantStore; tables: Tables }) => {
    const value = sized(kilobytes)
    const performed: Readonly<Record<string, () => Promise<unknown>>> = {
      put: () => put(store, id, kilobytes),
      unfinished: () => put(store, id, kilobytes, true),
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
    return performed[kind]?.().catch((error: unknown) => expect(error).toMatchObject({ status: 503 }))
  }
  const sum = async ({ store, tables }: { store: TenantStore; tables: Tables }) => {
    const values = await Promise.all(['a', 'b', 'c', 'd'].map((id) => store.get('things', id)))
    const rows = (await tables.list('rows')).map(([, value]) => value)
    return [...values, ...rows]
      .filter((value) => value !== undefined)
      .reduce((bytes: number, value) => bytes + bytesOf('a', keepText(JSON.stringify(value))), 0)
  }

  test('counts what is kept, whatever was done, and never more than its limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
        const tenants = startTenants()
        for (const one of operations) {
          await perform(one, one.tenant === 'one' ? tenants.one : tenants.other)
          expect(tenants.budget.used()).toBeLessThanOrEqual(1024 * KB)
        }
        expect((await sum(tenants.one)) + (await sum(tenants.other))).toBe(tenants.budget.used())
      }),
      { numRuns: 100 },
    )
  })

  test.each([
    ['small ones', () => true],
    ['long ones', () => 'x'.repeat(4_000)],
    ['long ones of two bytes a character', () => 'ж'.repeat(4_000)],
  ])('counts no less than what records and rows really take: %s', async (_case, value) => {
    const budget = createMemoryBudget(1_000)
    const kept = { store: createMemoryStore({ clock, budget, limit: 100_000 }), tables: createMemoryTables({ budget }) }
    const before = await usedBytes()
    for (let n = 0; n < 6_000; n++) {
      const id = `an-id-of-22-characters-${n}`
      if (n % 2 === 0) await kept.store.put('things', id, value(), NEVER)
      else await kept.tables.put('rows', id, value())
    }
    const taken = (await usedBytes()) - before
    expect(await kept.store.get('things', 'an-id-of-22-characters-0')).toBe(value())
    expect(taken).toBeLessThan(budget.used())
    expect(taken).toBeGreaterThan(budget.used() / 4)
  })
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
  expect([await directory.list(), budget.used()]).toEqual([['b', 'c'], 2 * ofOne])
  for (const name of ['b', 'c', 'never-there']) await directory.remove(name)
  expect(budget.used()).toBe(0)
})

describe('The journal in memory', () => {
  const call = (length: number) => useFlowEntry({ call: { response: { kind: 'text', text: 'x'.repeat(length) } } })

  test('counts in the budget, is bounded by a third of it, and gives its room back', async () => {
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

  test('keeps its flows until nothing else that may go is left, the newest to the end', async () => {
    const memory = createMemoryBudget(3)
    const store = createMemoryStore({ clock, budget: memory })
    const journal = createMemoryJournal({ memory })
    const flows = async () => (await allOf(journal.list('one'))).map(({ id }) => id)
    for (let n = 0; n < 3; n++) await journal.record('one', call(10_000))
    await put(store, 'a', 800)
    await put(store, 'b', 800)
    expect([await left(store, 'ab'), await flows()]).toEqual(['b', ['f3', 'f2', 'f1']])
    await put(store, 'c', 980)
    expect([await left(store, 'bc'), await flows()]).toEqual(['c', ['f3']])
  })

  test('lets a call be answered that it has no room for', async () => {
    const memory = createMemoryBudget(3)
    const tables = createMemoryTables({ budget: memory })
    const journal = createMemoryJournal({ memory })
    await tables.put('personas', 'a', sized(600))
    expect(await journal.record('one', call(300_000))).toBe('f1')
    expect(await allOf(journal.list('one'))).toEqual([])
    expect(memory.used()).toBe(600 * KB)
  })

  test.each([
    ['of one short call', 1_000, 1, 10],
    ['of one long call', 300, 1, 5_000],
    ['of a hundred calls that issue an identifier each', 100, 100, 10],
  ])('counts no less than what flows really take: %s', async (_case, flows, calls, length) => {
    const memory = createMemoryBudget(1_000)
    const before = await usedBytes()
    const journal = createMemoryJournal({ memory, maxCharacters: 100_000_000 })
    const issued = (flow: number, n: number) => [`code:an-id-of-22-characters-${flow}-${n}`]
    for (let flow = 0; flow < flows; flow++) {
      for (let n = 0; n < calls; n++) {
        const correlationIds = n === 0 ? [] : issued(flow, 0)
        await journal.record('one', { ...call(length), correlationIds, issuedIds: issued(flow, n) })
      }
    }
    const taken = (await usedBytes()) - before
    expect(await journal.find('one', 'f1')).toBeDefined()
    expect(taken).toBeLessThan(memory.used())
    expect(taken).toBeGreaterThan(memory.used() / 4)
  })
})
