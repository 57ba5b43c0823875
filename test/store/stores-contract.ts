import { expect, test } from 'vitest'
import type { RecordChange } from '../../src/oidc/ports.ts'
import { createClock } from '../../src/sandbox/clock/clock.ts'
import type { Tenant } from '../../src/sandbox/tenants/tenant.ts'
import { createTenants } from '../../src/sandbox/tenants/tenants.ts'
import type { Stores } from '../../src/store/stores.ts'
import { createMemoryDirectory } from '../../src/store/stores.ts'
import { allOf, useFlowEntry } from '../support/journal-entries.ts'
import { createTestParts, TEST_ADDRESSES } from '../support/tenant.ts'

const LATER = Date.parse('2100-01-01')
const KINDS = ['stateTables', 'tables'] as const
const CALL = useFlowEntry({ issuedIds: ['state:a'] })

/** What all stores together promise to the tenants of a sandbox: nothing of one is ever seen in another. */
export function describeStores(name: string, storesOfSuite: () => Stores): void {
  let tests = 0
  /** Two tenants of each test's own; the name of one begins with that of the other. */
  const nameTenants = () => [`t${++tests}`, `t${tests}-2`] as const

  const createRecords = (tenant: string = nameTenants()[0]) => storesOfSuite().createRecords(tenant, createClock())

  test(`The records of two tenants in ${name} are kept apart`, async () => {
    const [one, other] = nameTenants().map((tenant) => createRecords(tenant).store)
    await one?.put('code', 'a', 'of one', LATER)
    expect([await other?.get('code', 'a'), await other?.take('code', 'a')]).toEqual([undefined, undefined])
    await other?.put('code', 'a', 'of the other', LATER)
    expect(await one?.get('code', 'a')).toBe('of one')
    await one?.clear()
    expect([await one?.get('code', 'a'), await other?.take('code', 'a')]).toEqual([undefined, 'of the other'])
  })

  test(`The tables of two tenants in ${name} are kept apart, as are those that a reset keeps and clears`, async () => {
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

  test(`The records and the tables of a tenant in ${name} are kept apart when either is cleared`, async () => {
    const { store, tables } = createRecords()
    await store.put('code', 'a', 'record', LATER)
    await tables.put('code', 'a', 'row')
    await tables.clear()
    expect([await store.get('code', 'a'), await tables.get('code', 'a')]).toEqual(['record', undefined])
    await tables.put('code', 'a', 'row')
    await store.clear()
    expect([await store.get('code', 'a'), await tables.get('code', 'a')]).toEqual([undefined, 'row'])
  })

  test(`The stores in ${name} write all changes of a call, or none when one of them comes too late`, async () => {
    const { store, tables } = createRecords()
    await store.put('code', 'a', 'right', LATER)
    await tables.put('queue', 'x', { left: 2, text: 'a: b' })
    const put: RecordChange = { kind: 'put', collection: 'token', id: 't', value: 'token', expiresAt: LATER }
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
    ])
      expect([await store.write(late), await content()]).toEqual([false, before])
    expect(await store.write([put, take, row({ left: 2, text: 'a: b' }), clock])).toBe(true)
    expect(await content()).toEqual([undefined, { left: 1 }, 'token', 1])
    expect(await store.write([{ ...clock, value: undefined }, take])).toBe(false)
    expect(await store.write([{ ...clock, value: undefined }])).toBe(true)
    expect(await tables.list('state')).toEqual([])
  })

  test(`The stores in ${name} let one of many calls win what all of them take`, async () => {
    const { store } = createRecords()
    await store.put('code', 'a', 'right', LATER)
    const take = { kind: 'take', collection: 'code', id: 'a' } as const
    const won = await Promise.all(Array.from({ length: 20 }, () => store.write([take])))
    expect(won.filter((isWon) => isWon)).toHaveLength(1)
  })

  /** Gives a tenant something of every kind that is kept. */
  const fill = async ({ name: tenant, provider, personas, journal, expectations, ...others }: Tenant) => {
    await provider.store.put('code', 'a', 'record', LATER)
    await personas.put({ name: 'own', title: 'Own', purpose: 'Put by a test.' })
    await expectations.add({ flow: 'use', outcome: 'access_denied' })
    await others.configure({ defaults: { outcome: 'access_denied' } })
    await others.moveClock({ advance: 1_000 })
    await journal.record(tenant, CALL)
  }
  const contentOf = async ({ name: tenant, provider, personas, journal, expectations, settings, clock }: Tenant) => [
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
  ])(`The stores in ${name} hold nothing of a tenant that %s, and all of the other`, async (_case, max) => {
    const parts = { ...(await createTestParts(storesOfSuite())), directory: createMemoryDirectory({ max }) }
    const tenants = createTenants(parts, { addresses: TEST_ADDRESSES })
    const [gone, kept] = nameTenants()
    await fill(await tenants.touch(gone))
    expect(await contentOf(tenants.at(gone))).toEqual(FULL)
    await fill(await tenants.touch(kept))
    if (max > 1) expect(await tenants.remove(gone)).toBe(true)
    expect(await contentOf(tenants.at(kept))).toEqual(FULL)
    expect(await contentOf(await tenants.touch(gone))).toEqual([undefined, undefined, 0, undefined, 0, 0])
  })
}
