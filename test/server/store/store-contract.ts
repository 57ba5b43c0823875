import { expect, test } from 'vitest'
import { createClock } from '../../../src/sandbox/clock/clock.ts'
import type { Tables, TenantStore } from '../../../src/sandbox/tables.ts'
import type { TenantDirectory } from '../../../src/sandbox/tenants/shared-parts.ts'
import type { Tenant } from '../../../src/sandbox/tenants/tenant.ts'
import { createTenants } from '../../../src/sandbox/tenants/tenants.ts'
import { createMemoryDirectory, type Stores } from '../../../src/server/store/stores.ts'
import type { Clock, RecordChange } from '../../../src/service/oidc/ports.ts'
import { allOf, useFlowEntry } from '../../support/journal-entries.ts'
import { createTestParts, TEST_ADDRESSES } from '../../support/tenant.ts'

/** A store under test. `limit`, when given, is the most records that a collection may hold. */
type CreateStore = (options: { clock: Clock; limit?: number }) => TenantStore | Promise<TenantStore>

const NOW = Date.parse('2026-06-01T12:00:00Z')
const LATER = NOW + 60_000
const UNKNOWN = [
  'unknown',
  '',
  '__proto__',
  'constructor',
  'a\u0000b',
  'a b/c:d*',
  'ü',
  'x'.repeat(10_000),
]

/** What every adapter of the port `Store` promises, whatever keeps its records. */
export function describeStore(name: string, createStore: CreateStore): void {
  /** A store with a clock that the test moves, and what tests do with its collection of codes. */
  const startStore = async (options: { limit?: number } = {}) => {
    let now = NOW
    const store = await createStore({ ...options, clock: { now: () => now } })
    const get = (id = 'a') => store.get('code', id)
    return {
      store,
      moveTo: (instant: number) => (now = instant),
      put: (value: unknown, { id = 'a', until = LATER } = {}) =>
        store.put('code', id, value, until),
      get,
      take: (id = 'a') => store.take('code', id),
      /** Puts records whose values are their ids. */
      async putAll(ids: string) {
        for (const id of ids) await store.put('code', id, id, LATER)
      },
      /** Those of the ids that have a record. */
      left: async (ids: string) =>
        (await Promise.all([...ids].map(get))).filter((value) => value !== undefined).join(''),
    }
  }

  test.each([
    { text: 'ü 漢 \u0000 \ud83d\udd11', number: 1.5, list: [1, [2]], flag: true, nothing: null },
    ...[true, false, 0, '', null, [], {}],
  ])(`The ${name} store gives the value %j back until one caller takes it`, async (value) => {
    const { put, get, take } = await startStore()
    await put(value)
    expect(await get()).toEqual(value)
    expect(await get()).toEqual(value)
    expect(await take()).toEqual(value)
    expect(await take()).toBeUndefined()
  })

  test.each(UNKNOWN)(
    `The ${name} store has nothing under %.20j until a record is put there`,
    async (id) => {
      const { put, get, take } = await startStore()
      expect(await get(id)).toBeUndefined()
      expect(await take(id)).toBeUndefined()
      await put({ id }, { id })
      expect(await get(id)).toEqual({ id })
    },
  )

  test(`The ${name} store keeps the later of two values under one id`, async () => {
    const { put, get, take } = await startStore()
    await put(1, { until: NOW + 1 })
    await put(2)
    expect(await take()).toBe(2)
    expect(await get()).toBeUndefined()
  })

  test(`The ${name} store keeps collections apart`, async () => {
    const { store, put, get, take } = await startStore()
    await put(2)
    await store.put('access_token', 'a', 'token', LATER)
    expect(await take()).toBe(2)
    expect(await get()).toBeUndefined()
    expect(await store.get('access_token', 'a')).toBe('token')
  })

  test(`The ${name} store gives a record to exactly one of many callers that take it at once`, async () => {
    const { put, take } = await startStore()
    await put('right')
    const taken = await Promise.all(Array.from({ length: 100 }, () => take()))
    expect(taken.filter((value) => value !== undefined)).toEqual(['right'])
  })

  test(`The ${name} store keeps a record until it expires by the given clock`, async () => {
    const { putAll, get, take, moveTo } = await startStore()
    await putAll('ab')
    moveTo(LATER - 1)
    expect(await get('a')).toBe('a')
    moveTo(LATER)
    expect(await get('a')).toBeUndefined()
    expect(await take('b')).toBeUndefined()
  })

  test.each([2099, 1999])(
    `The ${name} store keeps a record that is put in the year %i`,
    async (year) => {
      const { put, get, moveTo } = await startStore()
      moveTo(Date.parse(`${year}-01-01`))
      await put('far', { until: Date.parse(`${year}-01-02`) })
      expect(await get()).toBe('far')
    },
  )

  test(`The ${name} store keeps what was put, but no empty member, whatever becomes of the object`, async () => {
    const { put, get } = await startStore()
    const record = { signals: ['first'], none: undefined }
    await put(record)
    record.signals.push('second')
    const read = (await get()) as typeof record
    read.signals.push('third')
    expect(await get()).toStrictEqual({ signals: ['first'] })
  })

  test(`The ${name} store drops the oldest record of a full collection`, async () => {
    const { store, putAll, left } = await startStore({ limit: 3 })
    await putAll('abcad')
    await store.put('access_token', 'x', 'x', LATER)
    expect(await left('abcd')).toBe('acd')
    expect(await store.get('access_token', 'x')).toBe('x')
  })

  test(`The ${name} store lets none go for a record that is written again, nor for one that was taken`, async () => {
    const { putAll, take, left } = await startStore({ limit: 3 })
    await putAll('abcb')
    expect(await left('abc')).toBe('abc')
    for (const id of 'bc') await take(id)
    await putAll('de')
    expect(await left('ade')).toBe('ade')
  })

  test(`The ${name} store goes on when it was cleared`, async () => {
    const { store, put, get, take } = await startStore()
    await put('a')
    await store.clear()
    expect(await get()).toBeUndefined()
    await put('again')
    expect(await take()).toBe('again')
  })
}

/** What every adapter of the port `Tables` promises, whatever keeps its rows. */
export function describeTables(name: string, createTables: () => Tables | Promise<Tables>): void {
  /** Tables, and what tests do with the one of the personas. */
  const start = async () => {
    const tables = await createTables()
    return {
      tables,
      put: (id: string, value: unknown) => tables.put('personas', id, value),
      update: (id: string, change: (value: unknown) => unknown) =>
        tables.update('personas', id, change),
      remove: (id: string) => tables.remove('personas', id),
      get: (id: string) => tables.get('personas', id),
      list: () => tables.list('personas'),
    }
  }

  test(`The ${name} tables give back a row that was put`, async () => {
    const { put, get } = await start()
    await put('a', { title: 'ü' })
    expect(await get('a')).toEqual({ title: 'ü' })
  })

  test(`The ${name} tables give nothing for a row that was not put`, async () => {
    const { tables, get } = await start()
    expect(await get('__proto__')).toBeUndefined()
    expect(await tables.get('unheard-of', 'a')).toBeUndefined()
    expect(await tables.list('unheard-of')).toEqual([])
  })

  test(`The ${name} tables list rows in the order in which their ids were first put`, async () => {
    const { put, remove, list } = await start()
    for (const [index, id] of ['b', 'a', 'b'].entries()) await put(id, index)
    expect((await list()).flat()).toEqual(['b', 2, 'a', 1])
    await remove('b')
    await put('b', 4)
    expect((await list()).map(([id]) => id)).toEqual(['a', 'b'])
  })

  test(`The ${name} tables count the rows that they list`, async () => {
    const { tables, put, update, remove, list } = await start()
    const held = async () => [await tables.count('personas'), Object.fromEntries(await list())]
    expect(await held()).toEqual([0, {}])
    await put('a', { n: 1 })
    expect(await held()).toEqual([1, { a: { n: 1 } }])
    await tables.add('personas', 'b', { n: 2 })
    await update('a', () => ({ n: 3 }))
    expect(await held()).toEqual([2, { a: { n: 3 }, b: { n: 2 } }])
    expect(await remove('a')).toBe(true)
    expect(await remove('a')).toBe(false)
    expect(await held()).toEqual([1, { b: { n: 2 } }])
  })

  test(`The ${name} tables are cleared together`, async () => {
    const { tables, put, list } = await start()
    const held = async () => [await tables.count('personas'), Object.fromEntries(await list())]
    await put('a', { n: 1 })
    await tables.put('settings', 'a', 1)
    await tables.clear()
    expect(await held()).toEqual([0, {}])
    expect(await tables.list('settings')).toEqual([])
  })

  test(`The ${name} tables let one of many callers add an id`, async () => {
    const { tables } = await start()
    const added = await Promise.all(
      [1, 2, 3, 4, 5].map((value) => tables.add('personas', 'a', value)),
    )
    expect(added.filter((isFirst) => isFirst)).toHaveLength(1)
  })

  test(`The ${name} tables lose no update of many at once`, async () => {
    const { update, get } = await start()
    const increment = (value: unknown) => (typeof value === 'number' ? value + 1 : 1)
    await Promise.all(Array.from({ length: 20 }, () => update('a', increment)))
    expect(await get('a')).toBe(20)
  })

  test(`The ${name} tables change nothing when an update throws`, async () => {
    const { put, update, get } = await start()
    await put('a', 1)
    const failing = async () =>
      update('a', () => {
        throw new RangeError('not possible')
      })
    await expect(failing).rejects.toThrow('not possible')
    expect(await get('a')).toBe(1)
  })

  test(`The ${name} tables remove a row that an update makes undefined`, async () => {
    const { put, update, list } = await start()
    await put('a', 1)
    expect(await update('a', () => undefined)).toBeUndefined()
    expect(await list()).toEqual([])
  })
}

/** What every directory of tenants promises. */
export function describeDirectory(
  name: string,
  createDirectory: (options: { max?: number }) => TenantDirectory,
): void {
  /**
   * A directory in which so many of each kind have room, and which tenants go when others are
   * touched or declared in turn.
   */
  const start = (max?: number) => {
    const directory = createDirectory(max === undefined ? {} : { max })
    const goneFor = (kind: 'touch' | 'declare') => async (tenants: string) => {
      const gone: string[] = []
      for (const tenant of tenants) gone.push(...(await directory[kind](tenant)))
      return gone
    }
    return { ...directory, touchAll: goneFor('touch'), declareAll: goneFor('declare') }
  }

  test(`The ${name} directory lists the touched tenants by their last use`, async () => {
    const { touchAll, list, has, remove } = start()
    expect(await touchAll('aba')).toEqual([])
    expect(await list()).toEqual(['b', 'a'])
    expect(await has('a')).toBe(true)
    expect(await has('c')).toBe(false)
    expect(await remove('a')).toBe(true)
    expect(await remove('a')).toBe(false)
    expect(await list()).toEqual(['b'])
  })

  test(`The ${name} directory removes the least recently used of too many tenants`, async () => {
    const { touchAll, list } = start(2)
    expect(await touchAll('aba')).toEqual([])
    expect(await touchAll('c')).toEqual(['b'])
    expect(await list()).toEqual(['a', 'c'])
    expect(await touchAll('b')).toEqual(['a'])
    expect(await list()).toEqual(['c', 'b'])
  })

  test(`The ${name} directory keeps a declared tenant however many others are touched`, async () => {
    const { declareAll, touchAll, list } = start(2)
    await declareAll('m')
    expect(await touchAll('ab')).toEqual([])
    expect(await touchAll('c')).toEqual(['a'])
    expect(await list()).toEqual(['b', 'c', 'm'])
  })

  test(`The ${name} directory removes for a declared tenant the least recently used declared one`, async () => {
    const { declareAll, touchAll, list } = start(2)
    expect(await touchAll('t')).toEqual([])
    expect(await declareAll('ab')).toEqual([])
    expect(await touchAll('a')).toEqual([])
    expect(await declareAll('c')).toEqual(['b'])
    expect(await list()).toEqual(['t', 'a', 'c'])
  })

  test(`The ${name} directory makes a touched tenant a declared one, also when it is touched again`, async () => {
    const { declareAll, touchAll, list } = start(1)
    expect(await touchAll('a')).toEqual([])
    expect(await declareAll('a')).toEqual([])
    expect(await touchAll('ab')).toEqual([])
    expect(await list()).toEqual(['b', 'a'])
  })

  test(`The ${name} directory forgets a removed tenant`, async () => {
    const { declareAll, touchAll, has, remove } = start(1)
    await declareAll('a')
    expect(await has('a')).toBe(true)
    expect(await remove('a')).toBe(true)
    expect(await has('a')).toBe(false)
    expect(await touchAll('ab')).toEqual(['a'])
  })
}

const FAR = Date.parse('2100-01-01')
const KINDS = ['stateTables', 'tables'] as const
const CALL = useFlowEntry({ issuedIds: ['state:a'] })

/**
 * What all stores together promise to the tenants of a sandbox: nothing of one is ever seen in
 * another.
 */
export function describeStores(name: string, storesOfSuite: () => Stores): void {
  let tests = 0
  /** Two tenants of each test's own; the name of one begins with that of the other. */
  const nameTenants = () => [`t${++tests}`, `t${tests}-2`] as const

  const createRecords = (tenant: string = nameTenants()[0]) =>
    storesOfSuite().createRecords(tenant, createClock())

  test(`The records of two tenants in ${name} are kept apart`, async () => {
    const [one, other] = nameTenants().map((tenant) => createRecords(tenant).store)
    await one?.put('code', 'a', 'of one', FAR)
    expect(await other?.get('code', 'a')).toBeUndefined()
    expect(await other?.take('code', 'a')).toBeUndefined()
    await other?.put('code', 'a', 'of the other', FAR)
    expect(await one?.get('code', 'a')).toBe('of one')
    await one?.clear()
    expect(await one?.get('code', 'a')).toBeUndefined()
    expect(await other?.take('code', 'a')).toBe('of the other')
  })

  test(`Each tenant in ${name} has its own tables`, async () => {
    const all = nameTenants().flatMap((tenant) => {
      const records = createRecords(tenant)
      return KINDS.map((kind) => ({ owner: `${tenant} ${kind}`, tables: records[kind] }))
    })
    const owners = () => Promise.all(all.map(({ tables }) => tables.get('settings', 'a')))
    for (const { owner, tables } of all) {
      expect(await tables.list('settings')).toEqual([])
      expect(await tables.add('settings', 'a', owner)).toBe(true)
    }
    const left: (string | undefined)[] = all.map(({ owner }) => owner)
    expect(await owners()).toEqual(left)
    for (const [index, { tables }] of all.entries()) {
      await tables.clear()
      left[index] = undefined
      expect(await owners()).toEqual(left)
    }
  })

  test(`The records of a tenant in ${name} stay when the tables are cleared`, async () => {
    const { store, tables } = createRecords()
    await store.put('code', 'a', 'record', FAR)
    await tables.put('code', 'a', 'row')
    await tables.clear()
    expect(await store.get('code', 'a')).toBe('record')
    expect(await tables.get('code', 'a')).toBeUndefined()
  })

  test(`The tables of a tenant in ${name} stay when the records are cleared`, async () => {
    const { store, tables } = createRecords()
    await store.put('code', 'a', 'record', FAR)
    await tables.put('code', 'a', 'row')
    await store.clear()
    expect(await store.get('code', 'a')).toBeUndefined()
    expect(await tables.get('code', 'a')).toBe('row')
  })

  test(`The stores in ${name} write all changes of a call, or none when one of them comes too late`, async () => {
    const { store, tables } = createRecords()
    await store.put('code', 'a', 'right', FAR)
    await tables.put('queue', 'x', { left: 2, text: 'a: b' })
    const put: RecordChange = {
      kind: 'put',
      collection: 'token',
      id: 't',
      value: 'token',
      expiresAt: FAR,
    }
    const take: RecordChange = { kind: 'take', collection: 'code', id: 'a' }
    const row = (was: unknown): RecordChange => {
      const place = { kind: 'row', table: 'queue', id: 'x' } as const
      return { ...place, value: { left: 1 }, was: { value: was } }
    }
    const clock = { kind: 'row', table: 'state', id: 'clock', value: 1 } as const
    const content = async () => [
      ...[await store.get('code', 'a'), await tables.get('queue', 'x')],
      ...[await store.get('token', 't'), await tables.get('state', 'clock')],
    ]
    const before = await content()
    for (const late of [
      [put, take, row({ left: 3 }), clock],
      [put, take, row(undefined), clock],
      [put, { ...take, id: 'b' }, clock],
    ]) {
      expect(await store.write(late)).toBe(false)
      expect(await content()).toEqual(before)
    }
    expect(await store.write([put, take, row({ left: 2, text: 'a: b' }), clock])).toBe(true)
    expect(await content()).toEqual([undefined, { left: 1 }, 'token', 1])
    expect(await store.write([{ ...clock, value: undefined }, take])).toBe(false)
    expect(await store.write([{ ...clock, value: undefined }])).toBe(true)
    expect(await tables.list('state')).toEqual([])
  })

  test(`The stores in ${name} let one of many calls win what all of them take`, async () => {
    const { store } = createRecords()
    await store.put('code', 'a', 'right', FAR)
    const take = { kind: 'take', collection: 'code', id: 'a' } as const
    const won = await Promise.all(Array.from({ length: 20 }, () => store.write([take])))
    expect(won.filter((isWon) => isWon)).toHaveLength(1)
  })

  /** Gives a tenant something of every kind that is kept. */
  const fill = async ({
    name: tenant,
    provider,
    personas,
    journal,
    expectations,
    ...others
  }: Tenant) => {
    await provider.store.put('code', 'a', 'record', FAR)
    await personas.put({ name: 'own', title: 'Own', purpose: 'Put by a test.' })
    await expectations.add({ flow: 'use', outcome: 'access_denied' })
    await others.configure({ defaults: { outcome: 'access_denied' } })
    await others.moveClock({ advance: 1_000 })
    await journal.record(tenant, CALL)
  }
  const contentOf = async ({
    name: tenant,
    provider,
    personas,
    journal,
    expectations,
    settings,
    clock,
  }: Tenant) => [
    await provider.store.get('code', 'a'),
    (await personas.find('own'))?.title,
    (await expectations.list()).length,
    settings.defaults.outcome,
    clock.state().advanced_seconds,
    (await allOf(journal.list(tenant))).length,
  ]
  const FULL = ['record', 'Own', 1, 'access_denied', 1_000, 1]

  test.each([
    ['is removed', 1_000],
    ['gives way to one that is used later', 1],
  ])(`The stores in ${name} hold nothing of a tenant that %s`, async (_case, max) => {
    const parts = {
      ...(await createTestParts(storesOfSuite())),
      directory: createMemoryDirectory({ max }),
    }
    const tenants = createTenants(parts, { addresses: TEST_ADDRESSES })
    const [gone, kept] = nameTenants()
    await fill(await tenants.touch(gone))
    expect(await contentOf(tenants.at(gone))).toEqual(FULL)
    await fill(await tenants.touch(kept))
    if (max > 1) expect(await tenants.remove(gone)).toBe(true)
    expect(await contentOf(tenants.at(kept))).toEqual(FULL)
    expect(await contentOf(await tenants.touch(gone))).toEqual([
      undefined,
      undefined,
      0,
      undefined,
      0,
      0,
    ])
  })
}
