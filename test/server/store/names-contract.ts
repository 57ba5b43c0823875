import { expect, test } from 'vitest'
import {
  type Journal,
  type JournalBudget,
  type JournalEntry,
  MAX_SEEN_BYTES,
  MAX_SEEN_TENANTS,
  NO_ROOM,
  type SeenName,
} from '../../../src/sandbox/journal/journal.ts'
import { useFlowEntry } from '../../support/journal-entries.ts'

const VERIFIED: SeenName = ['ending verified', '']
const seeing = (changes: Partial<Omit<JournalEntry, 'call'>> = {}, ...seen: SeenName[]) =>
  useFlowEntry({ seen: seen.length === 0 ? [VERIFIED] : seen, ...changes })
const AUDIT = { facts: { flow: 'use', audit: true } } as const
const ISSUING = { issuedIds: ['code:a'] }
const OF_CODE = { correlationIds: ['code:a'] }

/** What every journal promises about the names of what clients have seen. */
export function describeNames(
  name: string,
  createJournal: (budget: JournalBudget) => Journal | Promise<Journal>,
): void {
  const start = async (budget: JournalBudget = {}) => {
    const { record, seen, ...journal } = await createJournal(budget)
    return {
      ...journal,
      add: seen.add,
      clearNames: seen.clear,
      record: async (entry: JournalEntry, tenant = 'default') => record(tenant, entry),
      names: async (tenant = 'default') => [...(await seen.read(tenant)).keys()].sort(),
      textOf: async (one: string) => (await seen.read('default')).get(one),
    }
  }

  test(`The ${name} journal keeps the names of what a call shows to its client`, async () => {
    const { record, names } = await start()
    await record(seeing({}, VERIFIED, ['asked use', '']))
    expect(await names()).toEqual(['asked use', 'ending verified'])
  })

  test(`The ${name} journal keeps the text of a name`, async () => {
    const { record, textOf } = await start()
    await record(seeing({}, ['claims 1a2b3c4d', '{"ü":1}']))
    expect(await textOf('claims 1a2b3c4d')).toBe('{"ü":1}')
  })

  test(`The ${name} journal keeps the first text of a name`, async () => {
    const { record, textOf } = await start()
    await record(seeing({}, ['claims 1a2b3c4d', 'first']))
    await record(seeing({}, ['claims 1a2b3c4d', 'second']))
    expect(await textOf('claims 1a2b3c4d')).toBe('first')
  })

  test(`The ${name} journal keeps names of a call outside any flow`, async () => {
    const { add, names } = await start()
    await add('default', [VERIFIED])
    expect(await names()).toEqual(['ending verified'])
  })

  test(`The ${name} journal keeps names of a call that belongs to no flow and begins none`, async () => {
    const { record, names } = await start()
    expect(await record(seeing({ begins: false }))).toBeUndefined()
    expect(await names()).toEqual(['ending verified'])
  })

  test(`The ${name} journal keeps no names of a flow of an audit`, async () => {
    const { record, names } = await start()
    await record(seeing(AUDIT))
    expect(await names()).toEqual([])
  })

  test(`The ${name} journal keeps no names of an unmarked call that continues a flow of an audit`, async () => {
    const { record, names } = await start()
    await record(seeing({ ...AUDIT, ...ISSUING }))
    await record(seeing(OF_CODE))
    expect(await names()).toEqual([])
  })

  test(`The ${name} journal keeps no names of the call that marks its flow as one of an audit`, async () => {
    const { record, names } = await start()
    await record(useFlowEntry(ISSUING))
    await record(seeing({ ...AUDIT, ...OF_CODE }))
    expect(await names()).toEqual([])
  })

  test(`The ${name} journal keeps names when their flow is dropped`, async () => {
    const { record, names, find } = await start({ maxFlows: 1 })
    await record(seeing())
    await record(useFlowEntry())
    expect(await find('default', 'f1')).toBeUndefined()
    expect(await names()).toEqual(['ending verified'])
  })

  test(`The ${name} journal keeps names when its flows are cleared`, async () => {
    const { record, names, clear } = await start()
    await record(seeing())
    await clear('default')
    expect(await names()).toEqual(['ending verified'])
  })

  test(`The ${name} journal keeps the names of each tenant apart`, async () => {
    const { record, names } = await start()
    await record(seeing(), 'one')
    expect(await names('two')).toEqual([])
    expect(await names('one')).toEqual(['ending verified'])
  })

  test(`The ${name} journal keeps the names of all tenants for the root tenant`, async () => {
    const { record, names } = await start()
    await record(seeing(), 'one')
    await record(seeing({}, ['asked use', '']), 'two')
    expect(await names()).toEqual(['asked use', 'ending verified'])
  })

  test(`The ${name} journal keeps the names of a forgotten tenant for the root tenant alone`, async () => {
    const { record, names, forget } = await start()
    await record(seeing(), 'one')
    await forget('one')
    expect(await names('one')).toEqual([])
    expect(await names()).toEqual(['ending verified'])
  })

  test(`The ${name} journal clears the names of one tenant`, async () => {
    const { record, names, clearNames } = await start()
    await record(seeing(), 'one')
    await clearNames('one')
    expect(await names('one')).toEqual([])
    expect(await names()).toEqual(['ending verified'])
  })

  test(`The ${name} journal clears the names of all tenants with those of the root tenant`, async () => {
    const { record, names, clearNames } = await start()
    await record(seeing(), 'one')
    await clearNames('default')
    expect(await names('one')).toEqual([])
    expect(await names()).toEqual([])
  })

  test(`The ${name} journal keeps names again after they were cleared`, async () => {
    const { record, names, clearNames } = await start()
    await record(seeing(), 'one')
    await clearNames('default')
    await record(seeing(), 'one')
    expect(await names('one')).toEqual(['ending verified'])
    expect(await names()).toEqual(['ending verified'])
  })

  test(`The ${name} journal has room for a limited number of bytes of names`, async () => {
    const { record, names } = await start()
    const half = 'ж'.repeat(MAX_SEEN_BYTES / 4 - 10)
    for (const letter of ['a', 'b', 'c']) await record(seeing({}, [`claims ${letter}`, half]))
    expect(await names()).toEqual(['claims a', 'claims b', NO_ROOM])
  })

  test(`The ${name} journal keeps a small name after a large one that had no room`, async () => {
    const { record, names } = await start()
    await record(seeing({}, ['claims a', 'x'.repeat(MAX_SEEN_BYTES)], VERIFIED))
    expect(await names()).toEqual(['ending verified', NO_ROOM])
  })

  test(`The ${name} journal has the room of cleared names again`, async () => {
    const { record, names, clearNames } = await start()
    const large: SeenName = ['claims a', 'x'.repeat(MAX_SEEN_BYTES - 100)]
    await record(seeing({}, large))
    await clearNames('default')
    await record(seeing({}, large))
    expect(await names()).toEqual(['claims a'])
  })

  test(`The ${name} journal keeps the names of the tenants that were used last`, async () => {
    const { add, names } = await start()
    await add('first', [VERIFIED])
    await add('again', [VERIFIED])
    for (let n = 3; n < MAX_SEEN_TENANTS; n++) await add(`t${n}`, [VERIFIED])
    await add('again', [VERIFIED])
    await add('one-more', [VERIFIED])
    expect(await names('first')).toEqual([])
    expect(await names('again')).toEqual(['ending verified'])
    expect(await names('one-more')).toEqual(['ending verified'])
    expect(await names()).toEqual(['ending verified'])
  })
}
