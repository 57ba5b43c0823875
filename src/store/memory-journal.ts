import { readCall } from '../sandbox/journal/call-record.ts'
import { readEvaluation } from '../sandbox/journal/evaluation.ts'
import {
  AUDIT_SHARE,
  type FlowFacts,
  type FlowFilter,
  fitsFilter,
  flowId,
  flowNumber,
  JOURNAL_BUDGET,
  type Journal,
  type JournalBudget,
  type JournalEntry,
  type JournalEvent,
  type ListedFlow,
  MAX_FLOW_CALLS,
  MAX_FLOW_CHARACTERS,
  NONE_ENDED,
} from '../sandbox/journal/journal.ts'
import { createFifo, createMemoryBudget, type Fifo, type Kept, type MemoryBudget } from './memory-budget.ts'

/** Many more than there are tenants at a time: a call of a tenant that was forgotten meanwhile begins a count, too. */
const MAX_COUNTERS = 10_000

/** What a flow costs beside its texts, of which a character takes two bytes at most: itself, its calls and its identifiers. */
const bytesOf = ({ size, identifiers }: KeptFlow) => 1_500 + 150 * identifiers.length + 2 * size

/** Flows in the order in which they go, the characters that they take, and their share of the budget. */
interface Ring {
  readonly order: Fifo<KeptFlow>
  count: number
  size: number
  readonly share: number
}

type MemoryJournalOptions = JournalBudget & {
  /** What the process keeps, of which the journal takes a third at most: it is never in the way of the flows that go on. */
  readonly memory?: MemoryBudget
}

export function createMemoryJournal({ memory = createMemoryBudget(), ...budget }: MemoryJournalOptions = {}): Journal {
  const { maxFlows, ...most } = { ...JOURNAL_BUDGET, ...budget }
  const maxCharacters = Math.min(most.maxCharacters, memory.limit / 3 / 2)
  const entries = new Map<string, KeptFlow>()
  const flowByIdentifier = new Map<string, KeptFlow>()
  const listeners = new Set<(event: JournalEvent) => void>()
  /** Per tenant, so that ids do not depend on what others do; they outlive a reset, so that `after` stays true. */
  const counters = new Map<string, number>()
  const createRing = (share: number): Ring => {
    const isThere = (flow: KeptFlow) => flow.ring === ring
    const ring: Ring = { order: createFifo({ isThere, count: () => ring.count }), count: 0, size: 0, share }
    return ring
  }
  const [ordinary, audited] = [createRing(1), createRing(AUDIT_SHARE)]
  const leave = (flow: KeptFlow) => {
    if (!flow.ring) return
    flow.ring.count -= 1
    flow.ring.size -= flow.size
    flow.ring = undefined
  }
  let endings = 0

  const emit = (event: JournalEvent) => {
    for (const listener of listeners) listener(event)
  }
  const drop = (entry: KeptFlow) => {
    entries.delete(keyOf(entry.tenant, flowId(entry.id)))
    for (const identifier of entry.identifiers) flowByIdentifier.delete(identifier)
    leave(entry)
    memory.release(entry.counted)
  }
  const shrink = (ring: Ring) => {
    while (ring.count > maxFlows * ring.share || ring.size > maxCharacters * ring.share) {
      const oldest = ring.order.shift()
      if (!oldest) return
      drop(oldest)
    }
  }
  const count = (flow: KeptFlow) => {
    const kept: Kept = { rank: flow.facts.audit ? 'audited' : 'flow', bytes: bytesOf(flow), drop: () => drop(flow) }
    try {
      memory.keep(kept, flow.counted)
      flow.counted = kept
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
  const known = (tenant: string, identifiers: readonly string[]) => {
    for (const identifier of identifiers) {
      const flow = flowByIdentifier.get(keyOf(tenant, identifier))
      if (flow) return flow
    }
    return undefined
  }

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
      const before = flow.ring
      const size = flow.size
      const forgotten = addCall(flow, entry, issued)
      const ring = flow.facts.audit ? audited : ordinary
      if (before === ring) ring.size += flow.size - size
      else {
        if (before) before.size += flow.size - size
        leave(flow)
        flow.ring = ring
        ring.count += 1
        ring.size += flow.size
        ring.order.push(flow)
      }
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
      return entry && { ...listedFlow(entry), ...(entry.evaluation === '' ? {} : readEvaluation(entry.evaluation)) }
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

/** A flow in memory. What was sent is kept as text: thousands of live objects would keep the garbage collector busy. */
interface KeptFlow {
  readonly id: number
  readonly tenant: string
  facts: FlowFacts
  readonly startedAt: string
  endedAt: string | undefined
  /** Counts the endings of all flows: instants may be equal, since a clock may be frozen. */
  ending: number | undefined
  /** JSON of what the age key was evaluated from. */
  evaluation: string
  /** JSON of call records. */
  readonly calls: string[]
  droppedCalls: number
  readonly identifiers: string[]
  /** Characters of all that is kept: what `sizeOf` counted last. */
  size: number
  /** Where it is kept; absent when it was dropped. */
  ring: Ring | undefined
  /** What it takes of the memory of the process, as it was counted last. */
  counted: Kept | undefined
}

/** A flow that begins with `call`, which is yet to be added. */
const beginFlow = (id: number, tenant: string, { facts, call }: JournalEntry): KeptFlow => ({
  id,
  tenant,
  facts: { flow: facts.flow },
  startedAt: call.at,
  endedAt: undefined,
  ending: undefined,
  evaluation: '',
  calls: [],
  droppedCalls: 0,
  identifiers: [],
  size: 0,
  ring: undefined,
  counted: undefined,
})

/**
 * Adds a call to its flow; the oldest calls and identifiers go beyond what one flow may keep.
 * @param issued the keys of the identifiers that the call issues
 * @returns the keys by which the flow is known no longer
 */
function addCall(flow: KeptFlow, { facts, evaluation, call }: JournalEntry, issued: readonly string[]): string[] {
  // A token or upgrade call keeps its flow what it was.
  flow.facts = flow.calls.length === 0 ? facts : withAdded(flow.facts, facts)
  if (evaluation) flow.evaluation = JSON.stringify(evaluation)
  flow.calls.push(JSON.stringify(call))
  const dropped = tooMany(flow.calls)
  flow.calls.splice(0, dropped)
  flow.droppedCalls += dropped
  flow.identifiers.push(...issued)
  const forgotten = flow.identifiers.splice(1, Math.max(0, flow.identifiers.length - MAX_FLOW_CALLS))
  flow.size = sizeOf(flow)
  return forgotten
}

/** How many calls are to go, the oldest first. The last one stays, however long it is. */
function tooMany(calls: readonly string[]): number {
  let kept = 1
  let characters = calls.at(-1)?.length ?? 0
  while (kept < Math.min(calls.length, MAX_FLOW_CALLS)) {
    characters += calls.at(-1 - kept)?.length ?? 0
    if (characters > MAX_FLOW_CHARACTERS) break
    kept += 1
  }
  return calls.length - kept
}

/** Characters of a fact that is no text, at most: the answers to each threshold. */
const MAX_FACT = 100

/** The one count of what a flow costs. */
function sizeOf({ facts, evaluation, calls, identifiers }: KeptFlow): number {
  let size = evaluation.length + 1
  // As JSON has them: two names, four quotation marks, a colon, a comma.
  for (const [name, fact] of Object.entries(facts))
    if (fact !== undefined) size += name.length + 6 + (typeof fact === 'string' ? fact.length : MAX_FACT)
  for (const call of calls) size += call.length
  for (const identifier of identifiers) size += identifier.length
  return size
}

const summaryOf = ({ id, tenant, facts, startedAt, endedAt }: KeptFlow) => ({
  id: flowId(id),
  tenant,
  ...facts,
  started_at: startedAt,
  ended_at: endedAt,
})

const listedFlow = (flow: KeptFlow): ListedFlow => ({
  ...summaryOf(flow),
  ...(flow.droppedCalls === 0 ? {} : { dropped_calls: flow.droppedCalls }),
  calls: flow.calls.map((call) => readCall(call)),
})

/** A later call adds what it says, and keeps its flow what it was. */
function withAdded(known: FlowFacts, added: FlowFacts): FlowFacts {
  return {
    flow: known.flow,
    client_id: added.client_id ?? known.client_id,
    state: added.state ?? known.state,
    persona: added.persona ?? known.persona,
    outcome: added.outcome ?? known.outcome,
    decided_by: added.decided_by ?? known.decided_by,
    age_thresholds: added.age_thresholds ?? known.age_thresholds,
    readings: added.readings ?? known.readings,
    audit: added.audit ?? known.audit,
  }
}
