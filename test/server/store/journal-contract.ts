import { expect, test, vi } from 'vitest'
import { readCall } from '../../../src/sandbox/journal/call-record.ts'
import type {
  FlowFilter,
  Journal,
  JournalBudget,
  JournalEntry,
} from '../../../src/sandbox/journal/journal.ts'
import type { Claims } from '../../../src/service/age/claims.ts'
import { explainEvaluation } from '../../../src/service/age/evaluate.ts'
import type { AgeSignal } from '../../../src/service/age/signal.ts'
import { allOf, useFlowEntry } from '../../support/journal-entries.ts'

const AT = '2026-06-01T12:00:00.000Z'
const LATER = '2030-01-01T00:00:00.000Z'

type EntryChanges = Parameters<typeof useFlowEntry>[0] & { endpoint?: string; at?: string }

const entry = ({ endpoint = 'E1', at = AT, call, ...others }: EntryChanges = {}): JournalEntry => {
  const parameters = { text: 'ü "quoted" \u0000', empty: {}, list: [] }
  const facts = { flow: 'use', client_id: 'shop', state: 's1' } as const
  return useFlowEntry({
    facts,
    ends: false,
    ...others,
    call: { at, endpoint, parameters, ...call },
  })
}

const claims: Claims = { age_thresholds: [16, 18] }
const dated = { age: { date_of_birth: '2009-01-01' }, verified_at: '2026-05-01' }
const signal: AgeSignal = { ...dated, method: 'id_doc_scan', provenance: '/veratad/roc' }

/** A call whose record grows with the length of a text. */
const long = (length: number) =>
  ({ call: { parameters: {}, response: { kind: 'text', text: 'x'.repeat(length) } } }) as const
/** A call of a flow that is known by an identifier; alone, no call begins a flow by it. */
const of = (identifier: string) => ({ correlationIds: [identifier] })
const alone = (identifier: string) => ({ ...of(identifier), begins: false })
const issuing = (...issuedIds: string[]) => ({ issuedIds })
const ENDS = { ends: true }

/** What every journal promises, wherever it keeps its flows. */
export function describeJournal(
  name: string,
  createJournal: (budget: JournalBudget) => Journal | Promise<Journal>,
): void {
  /** A journal, and what tests do with the flows of its tenant `default`. */
  const start = async (budget: JournalBudget = {}) => {
    const journal = await createJournal(budget)
    const flows = (filter: FlowFilter = {}, tenant = 'default') =>
      allOf(journal.list(tenant, filter))
    return {
      ...journal,
      flows,
      ids: async (filter?: FlowFilter) => (await flows(filter)).map(({ id }) => id),
      add: async (changes?: EntryChanges, tenant = 'default') =>
        (await journal.record(tenant, entry(changes)))?.id,
      first: () => journal.find('default', 'f1'),
    }
  }

  test(`The ${name} journal keeps a call as it was recorded`, async () => {
    const { record, first, flows } = await start()
    const age_thresholds = { '13': true, '18': false }
    const facts = {
      flow: 'use',
      persona: 'teen-16',
      decided_by: 'expectation e3',
      age_thresholds,
    } as const
    const recorded = entry({ facts, ...ENDS })
    expect(await record('default', recorded)).toEqual({ id: 'f1' })
    const kept = {
      id: 'f1',
      tenant: 'default',
      ...facts,
      started_at: AT,
      ended_at: AT,
      calls: [readCall(JSON.stringify(recorded.call))],
    }
    expect(await first()).toEqual(kept)
    expect(await flows()).toEqual([kept])
  })

  test(`The ${name} journal assigns to a call the flow that it alone begins, or continues, or none`, async () => {
    const { assign, add, flows } = await start()
    const begun = await assign('default', entry())
    expect(begun).toBe('f1')
    expect(await add(issuing('code:a'))).toBe('f2')
    expect(await add({ assigned: begun })).toBe('f1')
    const continued = await assign('default', entry(alone('code:a')))
    expect(continued).toBe('f2')
    expect(await add({ ...alone('code:a'), assigned: continued })).toBe('f2')
    expect(await add()).toBe('f3')
    expect(await assign('default', entry(alone('code:b')))).toBeUndefined()
    expect(await add(alone('code:b'))).toBeUndefined()
    expect((await flows()).map(({ calls }) => calls.length).sort()).toEqual([1, 1, 2])
  })

  test(`The ${name} journal gives no assigned id again when the tenant was forgotten before the call`, async () => {
    const { assign, add, forget } = await start()
    await add()
    const assigned = await assign('default', entry())
    await forget('default')
    expect(await add({ assigned })).toBe('f2')
    expect(await add()).toBe('f3')
  })

  test(`The ${name} journal explains an evaluation only when its flow is read`, async () => {
    const { add, first, flows } = await start()
    const now = Date.parse(AT)
    await add({ ...issuing('code:a'), evaluation: { claims, signals: [signal], now } })
    await add(of('code:a'))
    const [listed] = await flows()
    expect(listed).not.toHaveProperty('trace')
    expect(await first()).toEqual({
      ...listed,
      trace: explainEvaluation([signal], claims, now),
      signals: [signal],
    })
  })

  test(`The ${name} journal keeps the last hundred calls of a flow`, async () => {
    const { add, first, flows } = await start()
    const calls = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, n) => `call ${from + n}`)
    const keptAfter = async (endpoints: readonly string[]) => {
      for (const endpoint of endpoints) await add({ ...of('a'), endpoint })
      const flow = await first()
      return [flow?.calls.map(({ endpoint }) => endpoint), flow?.dropped_calls]
    }
    await add({ ...issuing('a'), endpoint: 'call 1' })
    expect(await keptAfter(calls(2, 100))).toEqual([calls(1, 100), undefined])
    expect(await keptAfter(calls(101, 102))).toEqual([calls(3, 102), 2])
    expect((await flows()).map(({ dropped_calls: dropped }) => dropped)).toEqual([2])
  })

  test(`The ${name} journal keeps a million characters of the calls of a flow`, async () => {
    const { add, find, clear } = await start()
    const rest = JSON.stringify(entry(long(0)).call).length
    const keptOf = async (...sizes: readonly number[]) => {
      await clear('default')
      let id: string | undefined
      for (const size of sizes)
        id = await add({ ...of('a'), ...issuing('a'), ...long(size - rest) })
      const flow = await find('default', id ?? '')
      return [flow?.calls.length, flow?.dropped_calls]
    }
    expect(await keptOf(400_000, 300_000, 300_000)).toEqual([3, undefined])
    expect(await keptOf(400_000, 300_001, 300_000)).toEqual([2, 1])
    expect(await keptOf(1_000_001)).toEqual([1, undefined])
    expect(await keptOf(400_000, 1_000_001)).toEqual([1, 1])
    expect(await keptOf(1_000_001, 400_000)).toEqual([1, 1])
  })

  test(`The ${name} journal knows a flow by its last ninety-nine identifiers`, async () => {
    const { add } = await start()
    await add(issuing('request_uri:a'))
    for (let n = 2; n <= 101; n++)
      await add({ ...of('request_uri:a'), ...issuing(`transaction:${n}`) })
    const found = ['request_uri:a', 'transaction:2', 'transaction:3', 'transaction:101'].map((id) =>
      add(alone(id)),
    )
    expect(await Promise.all(found)).toEqual(['f1', undefined, 'f1', 'f1'])
  })

  test(`The ${name} journal joins calls by the identifiers that they share`, async () => {
    const { add, first } = await start()
    const readings = ['refused_token_status=403']
    await add({ facts: { flow: 'create', readings }, endpoint: 'E2', ...issuing('request_uri:a') })
    await add({ endpoint: 'E2' })
    const facts = { flow: 'upgrade', persona: 'adult', client_id: undefined } as const
    const correlationIds = ['request_uri:unknown', 'request_uri:a']
    const at = '2026-06-01T12:00:05.000Z'
    expect(await add({ facts, correlationIds, endpoint: 'E3', ...ENDS, at })).toBe('f1')
    await add({ correlationIds, ...ENDS, at: LATER })
    const calls = ['E2', 'E3', 'E1'].map((endpoint) => ({ endpoint }))
    expect(await first()).toMatchObject({
      flow: 'create',
      persona: 'adult',
      readings,
      ended_at: at,
      calls,
    })
  })

  test(`The ${name} journal keeps tenants apart`, async () => {
    const { add, clear, forget, flows } = await start()
    const addTo = (...tenants: string[]) =>
      Promise.all(tenants.map((tenant) => add(of('a'), tenant)))
    for (const tenant of ['default', 'other', 'gone'])
      expect(await add(issuing('a'), tenant)).toBe('f1')
    await clear('default')
    await forget('gone')
    const counts = ['default', 'other', 'gone'].map(
      async (tenant) => (await flows({}, tenant)).length,
    )
    expect(await Promise.all(counts)).toEqual([0, 1, 0])
    expect(await addTo('default', 'other', 'gone')).toEqual(['f2', 'f1', 'f1'])
  })

  test(`The ${name} journal lists the newest first, what fits the filter, page by page`, async () => {
    const { add, ids } = await start()
    for (const state of ['x', 'y', 'x', 'x']) await add({ facts: { flow: 'use', state } })
    expect(await ids()).toEqual(['f4', 'f3', 'f2', 'f1'])
    expect(await ids({ state: 'x' })).toEqual(['f4', 'f3', 'f1'])
    expect(await ids({ state: 'x', after: 'f1' })).toEqual(['f4', 'f3'])
    expect(await ids({ before: 'f4' })).toEqual(['f3', 'f2', 'f1'])
    expect(await ids({ state: 'x', before: 'f4', after: 'f1' })).toEqual(['f3'])
    expect(await ids({ flow: 'create' })).toEqual([])
    expect(await ids({ isEnded: true })).toEqual([])
    await add(ENDS)
    expect(await ids({ isEnded: true })).toEqual(['f5'])
  })

  test(`The ${name} journal lists many flows without a gap`, async () => {
    const { add, ids } = await start()
    for (let n = 0; n < 150; n++) await add({ facts: { flow: 'use', state: `${n % 2}` } })
    const every = (step: number) =>
      Array.from({ length: 150 / step }, (_, index) => `f${150 - index * step}`)
    expect(await ids()).toEqual(every(1))
    expect(await ids({ state: '1' })).toEqual(every(2))
  })

  test(`The ${name} journal stops to list when its reader stops`, async () => {
    const { add, list } = await start()
    for (let n = 0; n < 150; n++) await add({ facts: { flow: 'use', state: `${n % 2}` } })
    for await (const { id } of list('default')) {
      expect(id).toBe('f150')
      break
    }
  })

  test(`The ${name} journal lists what ended in the order of the endings, which no clock decides`, async () => {
    const { add, clear, lastEnded, listEnded } = await start()
    for (const id of ['a', 'b', 'c']) await add(issuing(id))
    await add(ENDS, 'other')
    const endedAfter = async (since: string, filter: FlowFilter = {}) =>
      (await allOf(listEnded('default', since, filter))).map(({ id }) => id)
    expect(await endedAfter('f0')).toEqual([])
    expect(await lastEnded('default')).toBe('f0')
    await add({ ...alone('c'), ...ENDS, at: LATER })
    for (const id of ['a', 'b', 'c']) await add({ ...alone(id), ...ENDS })
    expect(await endedAfter('f0')).toEqual(['f3', 'f1', 'f2'])
    expect(await endedAfter('f3')).toEqual(['f1', 'f2'])
    expect(await endedAfter('f2')).toEqual([])
    expect(await endedAfter('f0', { after: 'f1' })).toEqual(['f3', 'f2'])
    expect(await endedAfter('f0', { state: 'other' })).toEqual([])
    expect(await lastEnded('default')).toBe('f2')
    await clear('default')
    expect(await endedAfter('f2')).toEqual([])
    expect(await lastEnded('default')).toBe('f0')
    await add(ENDS)
    expect(await endedAfter('f2')).toEqual(['f4'])
  })

  test(`The ${name} journal removes the oldest flows of all tenants, with what they issued`, async () => {
    const { add, flows } = await start({ maxFlows: 2 })
    await add(issuing('a'), 'one')
    for (let n = 0; n < 2; n++) await add({}, 'two')
    expect(await flows({}, 'one')).toHaveLength(0)
    expect(await flows({}, 'two')).toHaveLength(2)
    expect(await add(alone('a'), 'one')).toBeUndefined()
  })

  test(`The ${name} journal keeps half as many flows of audits beside the others`, async () => {
    const { add, ids, countAudited } = await start({ maxFlows: 4 })
    const marked = { facts: { flow: 'use', audit: true } } as const
    for (const id of ['a', 'b', 'c', 'd']) await add(issuing(id))
    for (let n = 0; n < 3; n++) await add(marked)
    const kept = async () => [
      await ids(),
      await ids({ audit: 'only' }),
      (await ids({ audit: 'also' })).length,
    ]
    expect(await kept()).toEqual([['f4', 'f3', 'f2', 'f1'], ['f7', 'f6'], 6])
    await add({ ...of('a'), ...marked })
    expect(await kept()).toEqual([['f4', 'f3', 'f2'], ['f7', 'f1'], 5])
    expect(await countAudited('default')).toBe(2)
    await add(of('a'))
    await add()
    expect(await kept()).toEqual([['f8', 'f4', 'f3', 'f2'], ['f7', 'f1'], 6])
  })

  test(`The ${name} journal stays within its characters`, async () => {
    const { add, flows } = await start({ maxCharacters: 3_000 })
    for (let n = 0; n < 100; n++) await add()
    const left = await flows()
    expect(left.length).toBeGreaterThan(1)
    expect(JSON.stringify(left.map(({ calls }) => calls)).length).toBeLessThan(4_000)
    expect(left[0]?.id).toBe('f100')
  })

  test(`The ${name} journal counts what goes as it counted what came`, async () => {
    const budget = { maxCharacters: 5_000 }
    const keptBy = async ({ add, flows }: Awaited<ReturnType<typeof start>>) => {
      for (let n = 0; n < 40; n++) await add(issuing(`last ${n}`))
      return (await flows()).length
    }
    const used = await start(budget)
    for (let n = 0; n < 250; n++) {
      const evaluation = { claims, signals: [signal], now: n }
      const facts = { flow: 'use', state: 's'.repeat(n) } as const
      await used.add({ ...of('a'), ...issuing('a', `b${n}`), evaluation, ...long(n % 50), facts })
      if (n % 40 === 0) await used.clear('default')
    }
    const kept = await keptBy(await start(budget))
    expect(await keptBy(used)).toEqual(kept)
    expect(kept).toBeGreaterThan(10)
  })

  test(`The ${name} journal announces the calls of a flow`, async () => {
    const { add, clear, flows, subscribe, announce } = await start()
    const events: { readonly type: string }[] = []
    const stop = subscribe((event) => events.push(event))
    for (const changes of [issuing('a'), of('a'), { ...of('a'), ...ENDS }]) await add(changes)
    await clear('default')
    await vi.waitFor(() => expect(events.map(({ type }) => type)).toContain('reset'))
    expect(events.filter(({ type }) => type === 'call')).toHaveLength(3)
    const changes = events.filter(({ type }) => type === 'flow')
    expect(changes[0]).toMatchObject({
      tenant: 'default',
      flow: 'f1',
      data: { id: 'f1', client_id: 'shop' },
    })
    expect(JSON.stringify(changes[0])).not.toContain('ended_at')
    stop()
    const count = events.length
    announce({ type: 'scenario', tenant: 'default', data: {} })
    await flows()
    expect(events).toHaveLength(count)
  })
}
