import { readCall } from '../../sandbox/journal/call-record.ts'
import { readEvaluation } from '../../sandbox/journal/evaluation.ts'
import {
  type FlowFilter,
  fitsFilter,
  flowId,
  flowNumber,
  type Journal,
  type JournalBudget,
  type JournalEvent,
  type ListedFlow,
  NONE_ENDED,
} from '../../sandbox/journal/journal.ts'
import { createMemoryBudget, type MemoryBudget } from './memory-budget.ts'
import { createMemoryFlows, type KeptFlow } from './memory-flows.ts'
import { createMemoryNames } from './memory-names.ts'

type MemoryJournalOptions = JournalBudget & {
  /**
   * The budget of the process. The journal uses at most a third of it, so that flows never displace
   * the records of pending requests.
   */
  readonly memory?: MemoryBudget
}

/** Creates a journal in the memory of the process. */
export function createMemoryJournal({
  memory = createMemoryBudget(),
  ...budget
}: MemoryJournalOptions = {}): Journal {
  const flows = createMemoryFlows(memory, budget)
  const counters = createCounters()
  const listeners = new Set<(event: JournalEvent) => void>()
  const seen = createMemoryNames()
  let endings = 0

  const emit = (event: JournalEvent) => {
    for (const listener of listeners) listener(event)
  }
  const clear = (tenant: string) => {
    flows.clear(tenant)
    emit({ type: 'reset', tenant, data: {} })
  }
  const fitting = (tenant: string, filter: FlowFilter) =>
    [...flows.list()].filter(
      (flow) => flow.tenant === tenant && fitsFilter(flowId(flow.id), summaryOf(flow), filter),
    )

  return {
    assign(tenant, { correlationIds, begins }) {
      const found = flows.findByIdentifiers(tenant, correlationIds)
      if (!found && !begins) return undefined
      return flowId(found?.id ?? counters.next(tenant))
    },
    record(tenant, entry) {
      const { assigned, correlationIds, begins, call, mask } = entry
      const found =
        (assigned === undefined ? undefined : flows.find(tenant, assigned)) ??
        flows.findByIdentifiers(tenant, correlationIds)
      if (!found && !begins) {
        seen.add(tenant, entry.seen)
        return undefined
      }
      const flow = found ?? flows.begin(counters.next(tenant, assigned), tenant, entry)
      flows.addCall(flow, entry)
      if (!flow.facts.audit) seen.add(tenant, entry.seen)
      const hasEnded = entry.ends && flow.endedAt === undefined
      if (hasEnded) {
        endings += 1
        flow.endedAt = call.at
        flow.ending = endings
      }
      const id = flowId(flow.id)
      if (listeners.size > 0) {
        const { at, endpoint, method, path, status } = call
        const data = mask({ flow: flow.facts.flow, at, endpoint, method, path, status })
        emit({ type: 'call', tenant, flow: id, data })
        if (!found || hasEnded)
          emit({ type: 'flow', tenant, flow: id, data: mask(summaryOf(flow)) })
      }
      return { id }
    },
    announce: emit,
    seen,
    async *list(tenant, filter = {}) {
      for (const flow of fitting(tenant, filter).reverse()) yield listedFlow(flow)
    },
    async *listEnded(tenant, since, filter = {}) {
      const after = endingOf(flows.find(tenant, since))
      const ended = fitting(tenant, filter).sort((one, other) => endingOf(one) - endingOf(other))
      for (const flow of ended) if (endingOf(flow) > after) yield listedFlow(flow)
    },
    async lastEnded(tenant) {
      let last: KeptFlow | undefined
      for (const flow of flows.list()) {
        if (flow.tenant === tenant && endingOf(flow) > endingOf(last)) last = flow
      }
      return last ? flowId(last.id) : NONE_ENDED
    },
    async find(tenant, id) {
      const flow = flows.find(tenant, id)
      if (!flow) return undefined
      const evaluated = flow.evaluation === '' ? {} : readEvaluation(flow.evaluation)
      return { ...listedFlow(flow), ...evaluated }
    },
    countAudited: async (tenant) => fitting(tenant, { audit: 'only' }).length,
    clear: async (tenant) => clear(tenant),
    async forget(tenant) {
      clear(tenant)
      counters.forget(tenant)
      await seen.clear(tenant)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Well above the limit of tenants, because late calls of evicted tenants also create counters. */
const MAX_COUNTERS = 10_000

/**
 * The numbers of flows. Each tenant has its own counter, so that its ids do not depend on other
 * tenants. A counter survives a reset, so that an id never names two flows.
 */
interface Counters {
  /**
   * The number of a new flow.
   * @param assigned the id that the flow was assigned before
   */
  next(tenant: string, assigned?: string): number
  forget(tenant: string): void
}

function createCounters(): Counters {
  const counters = new Map<string, number>()
  return {
    next(tenant, assigned) {
      const last = counters.get(tenant) ?? 0
      const number = assigned === undefined ? last + 1 : flowNumber(assigned)
      // Deleted first, so that the tenant becomes the most recently used one. The number of tenant
      // names is unlimited.
      counters.delete(tenant)
      counters.set(tenant, Math.max(number, last))
      const [idle] = counters.keys()
      if (counters.size > MAX_COUNTERS && idle !== undefined) counters.delete(idle)
      return number
    },
    forget: (tenant) => void counters.delete(tenant),
  }
}

/** The position of a flow among all endings; 0 when the flow has not ended. */
const endingOf = (flow: KeptFlow | undefined): number => flow?.ending ?? 0

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
