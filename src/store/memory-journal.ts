import {
  fitsFilter,
  flowId,
  flowNumber,
  JOURNAL_BUDGET,
  type Journal,
  type JournalBudget,
  type JournalEntry,
  type JournalEvent,
} from '../sandbox/journal/journal.ts'
import { addCall, beginFlow, type KeptFlow, listedFlow, summaryOf, wholeFlow } from './memory-flow.ts'

/** Many more than there are tenants at a time. */
const MAX_COUNTERS = 10_000

/** Creates a journal in the memory of the process. */
export function createMemoryJournal(budget: JournalBudget = {}): Journal {
  const { maxFlows, maxCharacters } = { ...JOURNAL_BUDGET, ...budget }
  const entries = new Map<string, KeptFlow>()
  const flowByIdentifier = new Map<string, KeptFlow>()
  const listeners = new Set<(event: JournalEvent) => void>()
  /** Per tenant, so that ids do not depend on what others do; they outlive a reset, so that `after` stays true. */
  const counters = new Map<string, number>()
  let size = 0
  let endings = 0

  const emit = (event: JournalEvent) => {
    for (const listener of listeners) listener(event)
  }
  const drop = (entry: KeptFlow) => {
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
  const begin = (tenant: string, entry: JournalEntry): KeptFlow => {
    const id = (counters.get(tenant) ?? 0) + 1
    // Deleted first, so that the tenant counts as the one used last: names of tenants are without end.
    counters.delete(tenant)
    counters.set(tenant, id)
    const [idle] = counters.keys()
    if (counters.size > MAX_COUNTERS && idle !== undefined) counters.delete(idle)
    const flow = beginFlow(id, tenant, entry)
    entries.set(keyOf(tenant, flowId(id)), flow)
    return flow
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
      const issued = entry.issuedIds.map((identifier) => keyOf(tenant, identifier))
      const before = flow.size
      const forgotten = addCall(flow, entry, issued)
      size += flow.size - before
      for (const key of issued) flowByIdentifier.set(key, flow)
      for (const key of forgotten) flowByIdentifier.delete(key)
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
        if (!found || hasEnded) emit({ type: 'flow', tenant, flow: id, data: summaryOf(flow) })
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
        .map(listedFlow)
    },
    async find(tenant, id) {
      const entry = entries.get(keyOf(tenant, id))
      return entry && wholeFlow(entry)
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
}

const keyOf = (tenant: string, identifier: string) => `${tenant} ${identifier}`
