import {
  AUDIT_SHARE,
  type FlowFacts,
  flowId,
  JOURNAL_BUDGET,
  type JournalBudget,
  type JournalEntry,
  MAX_FLOW_CALLS,
  MAX_FLOW_CHARACTERS,
} from '../../sandbox/journal/journal.ts'
import { createFifo, type Fifo, type Kept, type MemoryBudget } from './memory-budget.ts'

/**
 * A flow in memory. Its calls are JSON texts, because thousands of live objects would slow down the
 * garbage collector.
 */
export interface KeptFlow {
  readonly id: number
  readonly tenant: string
  facts: FlowFacts
  readonly startedAt: string
  endedAt: string | undefined
  /** The position among all endings: under a frozen clock their instants may be equal. */
  ending: number | undefined
  /** The input of the evaluation as JSON; empty without an evaluation. */
  evaluation: string
  /** The calls as JSON. */
  readonly calls: string[]
  droppedCalls: number
  readonly identifiers: string[]
  /** Characters of the flow at the last `sizeOf`. */
  size: number
  /** The ring of the flow; absent when the flow was dropped. */
  ring: Ring | undefined
  /** The flow's entry in the memory budget. */
  counted: Kept | undefined
}

/** The flows of all tenants in memory, within the budgets of the journal and of the process. */
export interface MemoryFlows {
  /** Oldest first. */
  list(): Iterable<KeptFlow>
  find(tenant: string, id: string): KeptFlow | undefined
  /** Finds the flow of the first identifier that is known. */
  findByIdentifiers(tenant: string, identifiers: readonly string[]): KeptFlow | undefined
  /** Adds a flow without calls; `addCall` adds the first one. */
  begin(id: number, tenant: string, entry: JournalEntry): KeptFlow
  /** Adds a call to a flow. Drops the oldest flows when a budget is exceeded. */
  addCall(flow: KeptFlow, entry: JournalEntry): void
  /** Removes the flows of a tenant. */
  clear(tenant: string): void
}

/** Flows that share a part of the budget, oldest first. */
interface Ring {
  readonly order: Fifo<KeptFlow>
  count: number
  /** Characters of the flows. */
  size: number
  /** The share of the budget of the journal. */
  readonly share: number
}

/** Creates the flows of a journal. They use at most a third of the memory budget. */
export function createMemoryFlows(memory: MemoryBudget, budget: JournalBudget): MemoryFlows {
  const { maxFlows, ...most } = { ...JOURNAL_BUDGET, ...budget }
  const maxCharacters = Math.min(most.maxCharacters, memory.limit / 3 / 2)
  const flows = new Map<string, KeptFlow>()
  const flowByIdentifier = new Map<string, KeptFlow>()
  const ordinary = createRing(1)
  const audited = createRing(AUDIT_SHARE)

  const drop = (flow: KeptFlow) => {
    flows.delete(keyOf(flow.tenant, flowId(flow.id)))
    for (const identifier of flow.identifiers) flowByIdentifier.delete(identifier)
    leaveRing(flow)
    memory.release(flow.counted)
  }
  const shrink = (ring: Ring) => {
    while (ring.count > maxFlows * ring.share || ring.size > maxCharacters * ring.share) {
      const oldest = ring.order.shift()
      if (!oldest) return
      drop(oldest)
    }
  }
  const countBytes = (flow: KeptFlow) => {
    const kept: Kept = {
      rank: flow.facts.audit ? 'audited' : 'flow',
      bytes: bytesOf(flow),
      drop: () => drop(flow),
    }
    try {
      memory.keep(kept, flow.counted)
      flow.counted = kept
    } catch {
      // The flow is dropped if there is no room: the call must be answered all the same.
      drop(flow)
    }
  }

  return {
    list: () => flows.values(),
    find: (tenant, id) => flows.get(keyOf(tenant, id)),
    findByIdentifiers(tenant, identifiers) {
      for (const identifier of identifiers) {
        const flow = flowByIdentifier.get(keyOf(tenant, identifier))
        if (flow) return flow
      }
      return undefined
    },
    begin(id, tenant, entry) {
      const flow = newFlow(id, tenant, entry)
      flows.set(keyOf(tenant, flowId(id)), flow)
      return flow
    },
    addCall(flow, entry) {
      const issued = entry.issuedIds.map((identifier) => keyOf(flow.tenant, identifier))
      const before = flow.ring
      leaveRing(flow)
      addCall(flow, entry)
      const forgotten = addIdentifiers(flow, issued)
      flow.size = sizeOf(flow)
      const ring = flow.facts.audit ? audited : ordinary
      enterRing(flow, ring)
      if (ring !== before) ring.order.push(flow)
      for (const key of issued) flowByIdentifier.set(key, flow)
      for (const key of forgotten) flowByIdentifier.delete(key)
      countBytes(flow)
      shrink(ring)
    },
    clear(tenant) {
      for (const flow of flows.values()) if (flow.tenant === tenant) drop(flow)
    },
  }
}

const keyOf = (tenant: string, identifier: string) => `${tenant} ${identifier}`

function createRing(share: number): Ring {
  const ring: Ring = {
    order: createFifo({ isThere: (flow) => flow.ring === ring, count: () => ring.count }),
    count: 0,
    size: 0,
    share,
  }
  return ring
}

function leaveRing(flow: KeptFlow): void {
  if (!flow.ring) return
  flow.ring.count -= 1
  flow.ring.size -= flow.size
  flow.ring = undefined
}

function enterRing(flow: KeptFlow, ring: Ring): void {
  flow.ring = ring
  ring.count += 1
  ring.size += flow.size
}

const newFlow = (id: number, tenant: string, { facts, call }: JournalEntry): KeptFlow => ({
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

/** Adds a call to its flow. Drops the oldest calls when a limit is exceeded. */
function addCall(flow: KeptFlow, { facts, evaluation, call }: JournalEntry): void {
  // Later calls only add facts; the kind of the flow stays.
  flow.facts = flow.calls.length === 0 ? facts : withAdded(flow.facts, facts)
  if (evaluation) flow.evaluation = JSON.stringify(evaluation)
  flow.calls.push(JSON.stringify(call))
  const dropped = tooMany(flow.calls)
  flow.calls.splice(0, dropped)
  flow.droppedCalls += dropped
}

/**
 * Adds identifiers to a flow. Beyond the limit it removes the oldest except the first.
 * @returns the removed identifiers
 */
function addIdentifiers({ identifiers }: KeptFlow, issued: readonly string[]): string[] {
  identifiers.push(...issued)
  return identifiers.splice(1, Math.max(0, identifiers.length - MAX_FLOW_CALLS))
}

/** Adds the facts of a later call. The kind of the flow stays. */
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

/** The number of oldest calls to drop. The last call always stays. */
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

/** Maximum number of characters of a fact that is not a text: the answers to all thresholds. */
const MAX_FACT = 100

/** Characters of a flow. All limits use this number. */
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

/**
 * Estimated bytes of a flow: a base amount, an amount for each identifier, and two bytes for each
 * character.
 */
const bytesOf = ({ size, identifiers }: KeptFlow) => 1_500 + 150 * identifiers.length + 2 * size
