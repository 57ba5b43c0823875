import { callRecordSchema } from '../sandbox/journal/call-record.ts'
import {
  type Flow,
  type FlowFacts,
  fitsFilter,
  flowId,
  flowNumber,
  JOURNAL_BUDGET,
  type Journal,
  type JournalBudget,
  type JournalEntry,
  type JournalEvent,
} from '../sandbox/journal/journal.ts'

/** Calls are kept as text: thousands of live objects would keep the garbage collector busy. */
interface Entry {
  readonly id: number
  readonly tenant: string
  facts: FlowFacts
  /** What it holds on to is small: the claims, which the call has too, and the signals of one age key. */
  explain: JournalEntry['explain']
  startedAt: string
  endedAt: string | undefined
  /** Counts the endings of all flows: instants may be equal, since a clock may be frozen. */
  ending: number | undefined
  /** JSON of call records. */
  readonly calls: string[]
  readonly identifiers: string[]
  /** UTF-16 code units of the texts. */
  size: number
}

/** Many more than there are tenants at a time. */
const MAX_COUNTERS = 10_000

/** Creates a journal in the memory of the process. */
export function createMemoryJournal(budget: JournalBudget = {}): Journal {
  const { maxFlows, maxCharacters } = { ...JOURNAL_BUDGET, ...budget }
  const entries = new Map<string, Entry>()
  const flowByIdentifier = new Map<string, Entry>()
  const listeners = new Set<(event: JournalEvent) => void>()
  /** Per tenant, so that ids do not depend on what others do; they outlive a reset, so that `after` stays true. */
  const counters = new Map<string, number>()
  let size = 0
  let endings = 0

  const emit = (event: JournalEvent) => {
    for (const listener of listeners) listener(event)
  }
  const drop = (entry: Entry) => {
    entries.delete(keyOf(entry.tenant, flowId(entry.id)))
    for (const identifier of entry.identifiers) flowByIdentifier.delete(identifier)
    size -= entry.size
  }
  const shrink = () => {
    for (const entry of entries.values()) {
      if (entries.size <= maxFlows && size <= maxCharacters) return
      drop(entry)
    }
  }
  const begin = (tenant: string, { facts, call }: JournalEntry): Entry => {
    const id = (counters.get(tenant) ?? 0) + 1
    // Deleted first, so that the tenant counts as the one used last: names of tenants are without end.
    counters.delete(tenant)
    counters.set(tenant, id)
    const [idle] = counters.keys()
    if (counters.size > MAX_COUNTERS && idle !== undefined) counters.delete(idle)
    const entry: Entry = {
      id,
      tenant,
      facts: { flow: facts.flow },
      explain: undefined,
      startedAt: call.at,
      endedAt: undefined,
      ending: undefined,
      calls: [],
      identifiers: [],
      size: 0,
    }
    entries.set(keyOf(tenant, flowId(id)), entry)
    return entry
  }
  const known = (tenant: string, identifiers: readonly string[]) =>
    identifiers
      .map((identifier) => flowByIdentifier.get(keyOf(tenant, identifier)))
      .find((entry) => entry !== undefined)

  return {
    async record(tenant, entry) {
      const found = known(tenant, entry.correlationIds)
      if (!found && !entry.begins) return undefined
      const flow = found ?? begin(tenant, entry)
      add(flow, entry)
      const call = JSON.stringify(entry.call)
      flow.calls.push(call)
      flow.size += call.length
      size += call.length
      for (const identifier of entry.issuedIds) {
        const key = keyOf(tenant, identifier)
        flow.identifiers.push(key)
        flowByIdentifier.set(key, flow)
      }
      const hasEnded = entry.ends && flow.endedAt === undefined
      if (hasEnded) {
        flow.endedAt = entry.call.at
        flow.ending = endings += 1
      }
      shrink()
      const id = flowId(flow.id)
      if (listeners.size > 0) {
        const { at, endpoint, method, path, status } = entry.call
        emit({ type: 'call', tenant, flow: id, data: { flow: flow.facts.flow, at, endpoint, method, path, status } })
        if (!found || hasEnded) emit({ type: 'flow', tenant, flow: id, data: { ...summary(flow) } })
      }
      return id
    },
    announce: emit,
    async list(tenant, filter = {}, { limit, before: first } = {}) {
      const after = filter.after === undefined ? 0 : flowNumber(filter.after)
      const before = first === undefined ? Number.POSITIVE_INFINITY : flowNumber(first)
      return [...entries.values()]
        .filter(
          ({ id, tenant: owner, facts }) => owner === tenant && id > after && id < before && fitsFilter(facts, filter),
        )
        .reverse()
        .slice(0, limit)
        .map(toFlow)
    },
    async find(tenant, id) {
      const entry = entries.get(keyOf(tenant, id))
      return entry && toFlow(entry)
    },
    async listEnded(tenant, since = '') {
      const after = entries.get(keyOf(tenant, since))?.ending ?? 0
      return [...entries.values()]
        .flatMap(({ tenant: owner, id, ending = 0 }) => (owner === tenant && ending > after ? [{ id, ending }] : []))
        .sort((one, other) => one.ending - other.ending)
        .map(({ id }) => flowId(id))
    },
    async clear(tenant) {
      for (const entry of entries.values()) if (entry.tenant === tenant) drop(entry)
      emit({ type: 'reset', tenant, data: {} })
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }

  function add(flow: Entry, { facts, explain }: JournalEntry): void {
    // A token or upgrade call keeps its flow what it was.
    if (flow.calls.length === 0) flow.facts = facts
    else flow.facts = withAdded(flow.facts, facts)
    if (explain) flow.explain = explain
  }
}

const keyOf = (tenant: string, identifier: string) => `${tenant} ${identifier}`

const summary = ({ id, tenant, facts, startedAt, endedAt }: Entry) => ({
  id: flowId(id),
  tenant,
  ...facts,
  started_at: startedAt,
  ended_at: endedAt,
})

const toFlow = (entry: Entry): Flow => ({
  ...summary(entry),
  ...(entry.explain === undefined ? {} : { trace: entry.explain() }),
  calls: entry.calls.map((call) => callRecordSchema.parse(JSON.parse(call))),
})

/** A later call adds what it says, and keeps its flow what it was. */
function withAdded(known: FlowFacts, added: FlowFacts): FlowFacts {
  return {
    flow: known.flow,
    client_id: added.client_id ?? known.client_id,
    state: added.state ?? known.state,
    persona: added.persona ?? known.persona,
    outcome: added.outcome ?? known.outcome,
    age_thresholds: added.age_thresholds ?? known.age_thresholds,
  }
}
