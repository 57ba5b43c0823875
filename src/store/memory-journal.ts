import {
  AUDIT_SHARE,
  type FlowFilter,
  fitsFilter,
  flowId,
  flowNumber,
  JOURNAL_BUDGET,
  type Journal,
  type JournalBudget,
  type JournalEntry,
  type JournalEvent,
  NONE_ENDED,
} from '../sandbox/journal/journal.ts'
import { createMemoryBudget, type Kept, type MemoryBudget } from './memory-budget.ts'
import { addCall, beginFlow, type KeptFlow, listedFlow, summaryOf, wholeFlow } from './memory-flow.ts'

/** Many more than there are tenants at a time: a call of a tenant that was forgotten meanwhile begins a count, too. */
const MAX_COUNTERS = 10_000

/** What a flow costs beside its texts, of which a character takes two bytes at most: itself, its calls and its identifiers. */
const bytesOf = ({ size, identifiers }: KeptFlow) => 1_500 + 150 * identifiers.length + 2 * size

/** Flows in the order in which they go, the characters that they take, and their share of the budget. */
interface Ring {
  readonly flows: Set<KeptFlow>
  size: number
  readonly share: number
}

type MemoryJournalOptions = JournalBudget & {
  /** What the process keeps, of which the journal takes a third at most: it is never in the way of the flows that go on. */
  readonly memory?: MemoryBudget
}

/** Creates a journal in the memory of the process. */
export function createMemoryJournal({ memory = createMemoryBudget(), ...budget }: MemoryJournalOptions = {}): Journal {
  const { maxFlows, ...most } = { ...JOURNAL_BUDGET, ...budget }
  const maxCharacters = Math.min(most.maxCharacters, memory.limit / 3 / 2)
  const entries = new Map<string, KeptFlow>()
  const counted = new Map<KeptFlow, Kept>()
  const flowByIdentifier = new Map<string, KeptFlow>()
  const listeners = new Set<(event: JournalEvent) => void>()
  /** Per tenant, so that ids do not depend on what others do; they outlive a reset, so that `after` stays true. */
  const counters = new Map<string, number>()
  const ordinary: Ring = { flows: new Set(), size: 0, share: 1 }
  const audited: Ring = { flows: new Set(), size: 0, share: AUDIT_SHARE }
  const ringOf = ({ facts }: KeptFlow) => (facts.audit ? audited : ordinary)
  let endings = 0

  const emit = (event: JournalEvent) => {
    for (const listener of listeners) listener(event)
  }
  const drop = (entry: KeptFlow) => {
    entries.delete(keyOf(entry.tenant, flowId(entry.id)))
    for (const identifier of entry.identifiers) flowByIdentifier.delete(identifier)
    const ring = ringOf(entry)
    ring.flows.delete(entry)
    ring.size -= entry.size
    memory.release(counted.get(entry))
    counted.delete(entry)
  }
  const shrink = (ring: Ring) => {
    for (const entry of ring.flows) {
      if (ring.flows.size <= maxFlows * ring.share && ring.size <= maxCharacters * ring.share) return
      drop(entry)
    }
  }
  const count = (flow: KeptFlow) => {
    const kept: Kept = { rank: flow.facts.audit ? 'audited' : 'flow', bytes: bytesOf(flow), drop: () => drop(flow) }
    try {
      memory.keep(kept, counted.get(flow))
      counted.set(flow, kept)
    } catch {
      // A call is answered, whether there is room for its record or not.
      drop(flow)
    }
  }
  const clear = (tenant: string) => {
    for (const entry of entries.values()) if (entry.tenant === tenant) drop(entry)
    emit({ type: 'reset', tenant, data: {} })
  }
  const nextId = (tenant: string, assigned = 0): number => {
    const last = counters.get(tenant) ?? 0
    // Deleted first, so that the tenant counts as the one used last: names of tenants are without end.
    counters.delete(tenant)
    counters.set(tenant, Math.max(assigned || last + 1, last))
    const [idle] = counters.keys()
    if (counters.size > MAX_COUNTERS && idle !== undefined) counters.delete(idle)
    return assigned || last + 1
  }
  const begin = (tenant: string, entry: JournalEntry): KeptFlow => {
    const id = nextId(tenant, entry.assigned === undefined ? undefined : flowNumber(entry.assigned))
    const flow = beginFlow(id, tenant, entry)
    entries.set(keyOf(tenant, flowId(id)), flow)
    return flow
  }
  const known = (tenant: string, identifiers: readonly string[]) =>
    identifiers
      .map((identifier) => flowByIdentifier.get(keyOf(tenant, identifier)))
      .find((entry) => entry !== undefined)

  const flowsOf = (tenant: string, filter: FlowFilter) =>
    [...entries.values()].filter(
      (flow) => flow.tenant === tenant && fitsFilter(flowId(flow.id), summaryOf(flow), filter),
    )

  return {
    assign(tenant, { correlationIds, begins }) {
      const found = known(tenant, correlationIds)
      if (!found && !begins) return undefined
      return flowId(found?.id ?? nextId(tenant))
    },
    record(tenant, entry) {
      const assigned = entry.assigned === undefined ? undefined : entries.get(keyOf(tenant, entry.assigned))
      const found = assigned ?? known(tenant, entry.correlationIds)
      if (!found && !entry.begins) return undefined
      const flow = found ?? begin(tenant, entry)
      const issued = entry.issuedIds.map((identifier) => keyOf(tenant, identifier))
      const before = ringOf(flow)
      before.size -= flow.size
      const forgotten = addCall(flow, entry, issued)
      const ring = ringOf(flow)
      ring.size += flow.size
      if (ring !== before) before.flows.delete(flow)
      ring.flows.add(flow)
      for (const key of issued) flowByIdentifier.set(key, flow)
      for (const key of forgotten) flowByIdentifier.delete(key)
      const hasEnded = entry.ends && flow.endedAt === undefined
      if (hasEnded) {
        flow.endedAt = entry.call.at
        flow.ending = endings += 1
      }
      count(flow)
      shrink(ring)
      const id = flowId(flow.id)
      if (listeners.size > 0) {
        const { at, endpoint, method, path, status } = entry.call
        const data = entry.mask({ flow: flow.facts.flow, at, endpoint, method, path, status })
        emit({ type: 'call', tenant, flow: id, data })
        if (!found || hasEnded) emit({ type: 'flow', tenant, flow: id, data: entry.mask(summaryOf(flow)) })
      }
      return { id, ...(ring === audited && { audit: found && ring !== before ? 'late' : 'marked' }) }
    },
    announce: emit,
    async *list(tenant, filter = {}) {
      for (const flow of flowsOf(tenant, filter).reverse()) yield listedFlow(flow)
    },
    async *listEnded(tenant, since, filter = {}) {
      const after = entries.get(keyOf(tenant, since))?.ending ?? 0
      const ended = flowsOf(tenant, filter).map((flow) => ({ flow, ending: flow.ending ?? 0 }))
      ended.sort((one, other) => one.ending - other.ending)
      for (const { flow, ending } of ended) if (ending > after) yield listedFlow(flow)
    },
    async lastEnded(tenant) {
      let last: KeptFlow | undefined
      for (const flow of entries.values()) {
        if (flow.tenant === tenant && (flow.ending ?? 0) > (last?.ending ?? 0)) last = flow
      }
      return last ? flowId(last.id) : NONE_ENDED
    },
    async find(tenant, id) {
      const entry = entries.get(keyOf(tenant, id))
      return entry && wholeFlow(entry)
    },
    countAudited: async (tenant) => flowsOf(tenant, { audit: 'only' }).length,
    clear: async (tenant) => clear(tenant),
    async forget(tenant) {
      clear(tenant)
      counters.delete(tenant)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const keyOf = (tenant: string, identifier: string) => `${tenant} ${identifier}`
