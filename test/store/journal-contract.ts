import { describe, expect, test, vi } from 'vitest'
import type { Claims } from '../../src/age/claims.ts'
import { explainEvaluation } from '../../src/age/evaluate.ts'
import type { AgeSignal } from '../../src/age/signal.ts'
import type {
  FlowFilter,
  Journal,
  JournalBudget,
  JournalEntry,
  JournalEvent,
} from '../../src/sandbox/journal/journal.ts'
import { allOf } from '../support/journal-entries.ts'

const AT = '2026-06-01T12:00:00.000Z'

const entry = (changes: Partial<JournalEntry> & { endpoint?: string; at?: string } = {}): JournalEntry => {
  const { endpoint = 'E1', at = AT, ...others } = changes
  return {
    correlationIds: [],
    issuedIds: [],
    facts: { flow: 'use', client_id: 'shop', state: 's1' },
    begins: true,
    ends: false,
    call: {
      at,
      endpoint,
      method: 'GET',
      path: '/v1/oidc/use',
      status: 200,
      parameters: { text: 'ü "quoted" \u0000', empty: {}, list: [] },
      findings: [],
      response: { kind: 'text', text: '' },
    },
    ...others,
  }
}

const claims: Claims = { age_thresholds: [16, 18] }
const signal: AgeSignal = {
  method: 'id_doc_scan',
  age: { date_of_birth: '2009-01-01' },
  verified_at: '2026-05-01',
  provenance: '/veratad/roc',
}

/** A call whose record grows with the length of a text. */
const long = (length: number) => ({
  ...entry().call,
  parameters: {},
  response: { kind: 'text', text: 'x'.repeat(length) } as const,
})

/** What every journal promises, wherever it keeps its flows. */
export function describeJournal(
  name: string,
  createJournal: (budget: JournalBudget) => Journal | Promise<Journal>,
): void {
  describe(`The ${name} journal`, () => {
    test('keeps a call as it was recorded', async () => {
      const journal = await createJournal({})
      const facts = {
        flow: 'use',
        persona: 'teen-16',
        decided_by: 'expectation e3',
        age_thresholds: { '13': true, '18': false },
      } as const
      const recorded = entry({ facts, ends: true })
      expect(await journal.record('default', recorded)).toBe('f1')
      const kept = { id: 'f1', tenant: 'default', ...facts, started_at: AT, ended_at: AT, calls: [recorded.call] }
      expect(await journal.find('default', 'f1')).toEqual(kept)
      expect(await allOf(journal.list('default'))).toEqual([kept])
    })

    test('assigns the id of a flow before its first call is recorded, and to no other flow', async () => {
      const journal = await createJournal({})
      const assigned = await journal.assign('default', entry())
      expect(assigned).toBe('f1')
      expect(await journal.record('default', entry())).toBe('f2')
      expect(await journal.record('default', entry({ assigned }))).toBe('f1')
      expect(await journal.record('default', entry())).toBe('f3')
      expect((await allOf(journal.list('default'))).map(({ calls }) => calls.length)).toEqual([1, 1, 1])
    })

    test('assigns the flow that a call continues, and none to a call that begins none', async () => {
      const journal = await createJournal({})
      await journal.record('default', entry({ issuedIds: ['code:a'] }))
      const continuing = entry({ correlationIds: ['code:a'], begins: false })
      const assigned = await journal.assign('default', continuing)
      expect(assigned).toBe('f1')
      expect(await journal.record('default', { ...continuing, assigned })).toBe('f1')
      expect((await journal.find('default', 'f1'))?.calls).toHaveLength(2)
      expect(await journal.assign('default', entry({ correlationIds: ['code:b'], begins: false }))).toBeUndefined()
    })

    test('gives no assigned id again when the tenant was forgotten before the call was recorded', async () => {
      const journal = await createJournal({})
      await journal.record('default', entry())
      const assigned = await journal.assign('default', entry())
      await journal.forget('default')
      expect(await journal.record('default', entry({ assigned }))).toBe('f2')
      expect(await journal.record('default', entry())).toBe('f3')
    })

    test('explains an evaluation when its flow is read, and not in a list', async () => {
      const journal = await createJournal({})
      const now = Date.parse(AT)
      await journal.record('default', entry({ issuedIds: ['code:a'], evaluation: { claims, signals: [signal], now } }))
      await journal.record('default', entry({ correlationIds: ['code:a'] }))
      const [listed] = await allOf(journal.list('default'))
      expect(listed).not.toHaveProperty('trace')
      expect(await journal.find('default', 'f1')).toEqual({
        ...listed,
        trace: explainEvaluation([signal], claims, now),
        signals: [signal],
      })
    })

    test('keeps the last hundred calls of a flow, and counts those before them', async () => {
      const journal = await createJournal({})
      await journal.record('default', entry({ issuedIds: ['a'], endpoint: 'call 1' }))
      const callsOf = async () => {
        const flow = await journal.find('default', 'f1')
        return [flow?.calls.length, flow?.calls[0]?.endpoint, flow?.calls.at(-1)?.endpoint, flow?.dropped_calls]
      }
      for (let n = 2; n <= 100; n++)
        await journal.record('default', entry({ correlationIds: ['a'], endpoint: `call ${n}` }))
      expect(await callsOf()).toEqual([100, 'call 1', 'call 100', undefined])
      for (const n of [101, 102])
        await journal.record('default', entry({ correlationIds: ['a'], endpoint: `call ${n}` }))
      expect(await callsOf()).toEqual([100, 'call 3', 'call 102', 2])
      expect((await allOf(journal.list('default'))).map(({ dropped_calls: dropped }) => dropped)).toEqual([2])
    })

    test('keeps a million characters of the calls of a flow, and its last call however long it is', async () => {
      const journal = await createJournal({})
      const rest = JSON.stringify(long(0)).length
      const keptOf = async (...sizes: readonly number[]) => {
        await journal.clear('default')
        let id: string | undefined
        for (const size of sizes)
          id = await journal.record(
            'default',
            entry({ correlationIds: ['a'], issuedIds: ['a'], call: long(size - rest) }),
          )
        const flow = await journal.find('default', id ?? '')
        return [flow?.calls.length, flow?.dropped_calls]
      }
      expect(await keptOf(400_000, 300_000, 300_000)).toEqual([3, undefined])
      expect(await keptOf(400_000, 300_001, 300_000)).toEqual([2, 1])
      expect(await keptOf(1_000_001)).toEqual([1, undefined])
      expect(await keptOf(400_000, 1_000_001)).toEqual([1, 1])
      expect(await keptOf(1_000_001, 400_000)).toEqual([1, 1])
    })

    test('knows a flow by its first identifier and by the last ninety-nine', async () => {
      const journal = await createJournal({})
      await journal.record('default', entry({ issuedIds: ['request_uri:a'] }))
      for (let n = 2; n <= 101; n++)
        await journal.record('default', entry({ correlationIds: ['request_uri:a'], issuedIds: [`transaction:${n}`] }))
      const flowOf = (identifier: string) =>
        journal.record('default', entry({ correlationIds: [identifier], begins: false }))
      expect(await flowOf('request_uri:a')).toBe('f1')
      expect(await flowOf('transaction:2')).toBeUndefined()
      expect(await flowOf('transaction:3')).toBe('f1')
      expect(await flowOf('transaction:101')).toBe('f1')
    })

    test('puts calls together by the identifiers that they issue and bring back', async () => {
      const journal = await createJournal({})
      await journal.record(
        'default',
        entry({ facts: { flow: 'create' }, endpoint: 'E2', issuedIds: ['request_uri:a'] }),
      )
      await journal.record('default', entry({ endpoint: 'E2' }))
      const last = entry({
        facts: { flow: 'upgrade', persona: 'adult', client_id: undefined },
        correlationIds: ['request_uri:unknown', 'request_uri:a'],
        endpoint: 'E3',
        ends: true,
        at: '2026-06-01T12:00:05.000Z',
      })
      expect(await journal.record('default', last)).toBe('f1')
      const flow = await journal.find('default', 'f1')
      expect(flow?.calls.map(({ endpoint }) => endpoint)).toEqual(['E2', 'E3'])
      expect(flow).toMatchObject({ flow: 'create', persona: 'adult', ended_at: '2026-06-01T12:00:05.000Z' })
    })

    test('keeps the order of many calls of one flow', async () => {
      const journal = await createJournal({})
      await journal.record('default', entry({ issuedIds: ['a'] }))
      for (let n = 2; n <= 12; n++)
        await journal.record('default', entry({ correlationIds: ['a'], endpoint: `call ${n}` }))
      const flow = await journal.find('default', 'f1')
      expect(flow?.calls.map(({ endpoint }) => endpoint).slice(-3)).toEqual(['call 10', 'call 11', 'call 12'])
    })

    test('ends a flow once: what comes later does not move its end', async () => {
      const journal = await createJournal({})
      await journal.record('default', entry({ issuedIds: ['a'], ends: true }))
      await journal.record('default', entry({ correlationIds: ['a'], ends: true, at: '2027-01-01T00:00:00.000Z' }))
      expect((await journal.find('default', 'f1'))?.ended_at).toBe(AT)
    })

    test('records nothing of a call that belongs to no flow and begins none', async () => {
      const journal = await createJournal({})
      expect(await journal.record('default', entry({ correlationIds: ['a'], begins: false }))).toBeUndefined()
      expect(await allOf(journal.list('default'))).toEqual([])
    })

    test('keeps tenants apart, and counts for each', async () => {
      const journal = await createJournal({})
      await journal.record('one', entry({ issuedIds: ['a'] }))
      expect(await journal.record('two', entry({ correlationIds: ['a'] }))).toBe('f1')
      await journal.clear('one')
      expect(await allOf(journal.list('one'))).toEqual([])
      expect(await allOf(journal.list('two'))).toHaveLength(1)
    })

    test('goes on counting after it was cleared, and knows no identifier from before', async () => {
      const journal = await createJournal({})
      await journal.record('default', entry({ issuedIds: ['a'] }))
      await journal.clear('default')
      expect(await journal.record('default', entry({ correlationIds: ['a'] }))).toBe('f2')
    })

    test('lists the newest first, what fits the filter, page by page', async () => {
      const journal = await createJournal({})
      for (const state of ['x', 'y', 'x', 'x'])
        await journal.record('default', entry({ facts: { flow: 'use', state } }))
      const ids = async (filter: FlowFilter = {}) => (await allOf(journal.list('default', filter))).map(({ id }) => id)
      expect(await ids()).toEqual(['f4', 'f3', 'f2', 'f1'])
      expect(await ids({ state: 'x' })).toEqual(['f4', 'f3', 'f1'])
      expect(await ids({ state: 'x', after: 'f1' })).toEqual(['f4', 'f3'])
      expect(await ids({ before: 'f4' })).toEqual(['f3', 'f2', 'f1'])
      expect(await ids({ state: 'x', before: 'f4', after: 'f1' })).toEqual(['f3'])
      expect(await ids({ flow: 'create' })).toEqual([])
      expect(await ids({ isEnded: true })).toEqual([])
      await journal.record('default', entry({ ends: true }))
      expect(await ids({ isEnded: true })).toEqual(['f5'])
    })

    test('lists many flows without a gap, and stops when its reader does', async () => {
      const journal = await createJournal({})
      for (let n = 0; n < 150; n++)
        await journal.record('default', entry({ facts: { flow: 'use', state: `${n % 2}` } }))
      const every = (step: number) => Array.from({ length: 150 / step }, (_, index) => `f${150 - index * step}`)
      const ids = async (filter: FlowFilter) => (await allOf(journal.list('default', filter))).map(({ id }) => id)
      expect(await ids({})).toEqual(every(1))
      expect(await ids({ state: '1' })).toEqual(every(2))
      for await (const { id } of journal.list('default')) {
        expect(id).toBe('f150')
        break
      }
    })

    test('lists what ended in the order of the endings, which no clock decides', async () => {
      const journal = await createJournal({})
      const end = (id: string, at: string) =>
        journal.record('default', entry({ correlationIds: [id], begins: false, ends: true, at }))
      for (const id of ['a', 'b', 'c']) await journal.record('default', entry({ issuedIds: [id] }))
      await journal.record('other', entry({ ends: true }))
      const endedAfter = async (since: string, filter: FlowFilter = {}) =>
        (await allOf(journal.listEnded('default', since, filter))).map(({ id: ended }) => ended)
      expect(await endedAfter('f0')).toEqual([])
      expect(await journal.lastEnded('default')).toBe('f0')
      await end('c', '2030-01-01T00:00:00.000Z')
      await end('a', AT)
      await end('b', AT)
      await end('c', AT)
      expect(await endedAfter('f0')).toEqual(['f3', 'f1', 'f2'])
      expect(await endedAfter('f3')).toEqual(['f1', 'f2'])
      expect(await endedAfter('f2')).toEqual([])
      expect(await endedAfter('f0', { after: 'f1' })).toEqual(['f3', 'f2'])
      expect(await endedAfter('f0', { state: 'other' })).toEqual([])
      expect(await journal.lastEnded('default')).toBe('f2')
      await journal.clear('default')
      expect(await endedAfter('f2')).toEqual([])
      expect(await journal.lastEnded('default')).toBe('f0')
      await journal.record('default', entry({ ends: true }))
      expect(await endedAfter('f2')).toEqual(['f4'])
    })

    test('counts on after it was cleared, and from one again after a tenant was forgotten', async () => {
      const journal = await createJournal({})
      for (const tenant of ['default', 'gone']) await journal.record(tenant, entry({ ends: true }))
      await journal.clear('default')
      await journal.forget('gone')
      expect(await allOf(journal.list('gone'))).toEqual([])
      for (const [tenant, id] of [
        ['default', 'f2'],
        ['gone', 'f1'],
      ] as const) {
        expect(await journal.record(tenant, entry({ ends: true }))).toBe(id)
      }
    })

    test('removes the oldest flows of all tenants, with what they issued', async () => {
      const journal = await createJournal({ maxFlows: 2 })
      await journal.record('one', entry({ issuedIds: ['a'] }))
      await journal.record('two', entry())
      await journal.record('two', entry())
      expect(await allOf(journal.list('one'))).toEqual([])
      expect(await allOf(journal.list('two'))).toHaveLength(2)
      expect(await journal.record('one', entry({ correlationIds: ['a'], begins: false }))).toBeUndefined()
    })

    test('stays within its characters', async () => {
      const journal = await createJournal({ maxCharacters: 3_000 })
      for (let n = 0; n < 100; n++) await journal.record('default', entry())
      const left = await allOf(journal.list('default'))
      expect(left.length).toBeGreaterThan(1)
      expect(JSON.stringify(left.map(({ calls }) => calls)).length).toBeLessThan(4_000)
      expect(left[0]?.id).toBe('f100')
    })

    test('counts what goes as it counted what came', async () => {
      const keptBy = async (journal: Journal) => {
        for (let n = 0; n < 40; n++) await journal.record('default', entry({ issuedIds: [`last ${n}`] }))
        return (await allOf(journal.list('default'))).length
      }
      const budget = { maxCharacters: 5_000 }
      const used = await createJournal(budget)
      for (let n = 0; n < 250; n++) {
        const evaluation = { claims, signals: [signal], now: n }
        const ids = { correlationIds: ['a'], issuedIds: ['a', `b${n}`] }
        const call = long(n % 50)
        await used.record('default', entry({ ...ids, evaluation, call, facts: { flow: 'use', state: 's'.repeat(n) } }))
        if (n % 40 === 0) await used.clear('default')
      }
      const kept = await keptBy(await createJournal(budget))
      expect([await keptBy(used), kept]).toEqual([kept, kept])
      expect(kept).toBeGreaterThan(10)
    })

    test('announces calls, flows that begin and end, and what is published', async () => {
      const journal = await createJournal({})
      const events: JournalEvent[] = []
      const stop = journal.subscribe((event) => events.push(event))
      await journal.record('default', entry({ issuedIds: ['a'] }))
      await journal.record('default', entry({ correlationIds: ['a'] }))
      await journal.record('default', entry({ correlationIds: ['a'], ends: true }))
      await journal.clear('default')
      await vi.waitFor(() => expect(events.some(({ type }) => type === 'reset')).toBe(true))
      expect(events.filter(({ type }) => type === 'call')).toHaveLength(3)
      const changes = events.filter(({ type }) => type === 'flow')
      expect(changes[0]).toMatchObject({ tenant: 'default', flow: 'f1', data: { id: 'f1', client_id: 'shop' } })
      stop()
      const count = events.length
      journal.announce({ type: 'scenario', tenant: 'default', data: {} })
      await allOf(journal.list('default'))
      expect(events).toHaveLength(count)
    })
  })
}
