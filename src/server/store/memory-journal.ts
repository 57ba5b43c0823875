import { readCall } from '../../sandbox/journal/call-record.ts'
import { readEvaluation } from '../../sandbox/journal/evaluation.ts'
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
} from '../../sandbox/journal/journal.ts'
import {
  createFifo,
  createMemoryBudget,
  type Fifo,
  type Kept,
  type MemoryBudget,
} from './memory-budget.ts'

/** Well above the tenant limit: late calls of evicted tenants start counters too. */
const MAX_COUNTERS = 10_000

/** Bytes of a flow: the flow itself, its calls and identifiers, and two for each character. */
const bytesOf = ({ size, identifiers }: KeptFlow) => 1_500 + 150 * identifiers.length + 2 * size

/** Flows in the order in which they go, with their characters and their share of the budget. */
interface Ring {
  readonly order: Fifo<KeptFlow>
  count: number
  size: number
  readonly share: number
}

type MemoryJournalOptions = JournalBudget & {
  /**
   * The budget of the process. The journal takes at most a third, so that it never displaces
   * waiting flows.
   */
  readonly memory?: MemoryBudget
}

export function createMemoryJournal({
  memory = createMemoryBudget(),
  ...budget
}: MemoryJournalOptions = {}): Journal {
  const { maxFlows, ...most } = { ...JOURNAL_BUDGET, ...budget }
  const maxCharacters = Math.min(most.maxCharacters, memory.limit / 3 / 2)
  const entries = new Map<string, KeptFlow>()
  const flowByIdentifier = new Map<string, KeptFlow>()
  const listeners = new Set<(event: JournalEvent) => void>()
  /**
   * One counter per tenant, so that ids do not depend on other tenants. It outlives a reset, so
   * that `after` stays true.
   */
  const counters = new Map<string, number>()
  const createRing = (share: number): Ring => {
    const isThere = (flow: KeptFlow) => flow.ring === ring
    const ring: Ring = {
      order: createFifo({ isThere, count: () => ring.count }),
      count: 0,
      size: 0,
      share,
    }
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
    const kept: Kept = {
      rank: flow.facts.audit ? 'audited' : 'flow',
      bytes: bytesOf(flow),
      drop: () => drop(flow),
    }
    try {
      memory.keep(kept, flow.counted)
      flow.counted = kept
    } catch {
      // A call is answered even if there is no room for its record.
      drop(flow)
    }
  }
  const clear = (tenant: string) => {
    for (const entry of entries.values()) if (entry.tenant === tenant) drop(entry)
    emit({ type: 'reset', tenant, data: {} })
  }
  const nextId = (tenant: string, assigned = 0): number => {
    const last = counters.get(tenant) ?? 0
    // Deleted first, so that the tenant becomes the most recently used: tenants may have any number
    // of names.
    counters.delete(tenant)
    counters.set(tenant, Math.max(assigned || last + 1, last))
    const [idle] = counters.keys()
    if (counters.size > MAX_COUNTERS && idle !== undefined) counters.delete(idle)
    return assigned || last + 1
  }
  /** A new flow, to which the call has yet to be added. */
  const begin = (tenant: string, { assigned, facts, call }: JournalEntry): KeptFlow => {
    const id = nextId(tenant, assigned === undefined ? undefined : flowNumber(assigned))
    const flow: KeptFlow = {
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
    }
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
      const assigned =
        entry.assigned === undefined ? undefined : entries.get(keyOf(tenant, entry.assigned))
      const found = assigned ?? known(tenant, entry.correlationIds)
      if (!found && !entry.begins) return undefined
      const flow = found ?? begin(tenant, entry)
      const issued = entry.issuedIds.map((identifier) => keyOf(tenant, identifier))
      const before = flow.ring
      leave(flow)
      const forgotten = addCall(flow, entry, issued)
      const ring = flow.facts.audit ? audited : ordinary
      flow.ring = ring
      ring.count += 1
      ring.size += flow.size
      if (ring !== before) ring.order.push(flow)
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
        if (!found || hasEnded)
          emit({ type: 'flow', tenant, flow: id, data: entry.mask(summaryOf(flow)) })
      }
      return {
        id,
        ...(ring === audited && { audit: found && ring !== before ? 'late' : 'marked' }),
      }
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
      return (
        entry && {
          ...listedFlow(entry),
          ...(entry.evaluation === '' ? {} : readEvaluation(entry.evaluation)),
        }
      )
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

/**
 * A flow in memory. Calls are kept as text: thousands of live objects would burden the garbage
 * collector.
 */
interface KeptFlow {
  readonly id: number
  readonly tenant: string
  facts: FlowFacts
  readonly startedAt: string
  endedAt: string | undefined
  /** Numbers the endings of all flows, whose instants may be equal under a frozen clock. */
  ending: number | undefined
  /** The input of the evaluation as JSON. */
  evaluation: string
  /** The calls as JSON. */
  readonly calls: string[]
  droppedCalls: number
  readonly identifiers: string[]
  /** Characters of the flow, as `sizeOf` counted them last. */
  size: number
  /** The ring of the flow; absent when it was dropped. */
  ring: Ring | undefined
  /** The bytes of the flow, as they were counted last. */
  counted: Kept | undefined
}

/**
 * Adds a call to its flow; beyond the limits the oldest calls and identifiers go.
 * @param issued the keys of the identifiers that the call issues
 * @returns the keys that no longer identify the flow
 */
function addCall(
  flow: KeptFlow,
  { facts, evaluation, call }: JournalEntry,
  issued: readonly string[],
): string[] {
  // A token or upgrade call does not change the facts of its flow.
  flow.facts = flow.calls.length === 0 ? facts : withAdded(flow.facts, facts)
  if (evaluation) flow.evaluation = JSON.stringify(evaluation)
  flow.calls.push(JSON.stringify(call))
  const dropped = tooMany(flow.calls)
  flow.calls.splice(0, dropped)
  flow.droppedCalls += dropped
  flow.identifiers.push(...issued)
  const forgotten = flow.identifiers.splice(
    1,
    Math.max(0, flow.identifiers.length - MAX_FLOW_CALLS),
  )
  flow.size = sizeOf(flow)
  return forgotten
}

/** The number of calls that must go, oldest first. The last call always stays. */
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

/** Characters of a fact that is no text, at most: the answers to all thresholds. */
const MAX_FACT = 100

/** Characters of a flow; all limits count by this function. */
function sizeOf({ facts, evaluation, calls, identifiers }: KeptFlow): number {
  let size = evaluation.length + 1
  // As in JSON: a name, a value, four quotation marks, a colon, a comma.
  for (const [name, fact] of Object.entries(facts))
    if (fact !== undefined)
      size += name.length + 6 + (typeof fact === 'string' ? fact.length : MAX_FACT)
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

/** A later call adds facts, and keeps the kind of its flow. */
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
