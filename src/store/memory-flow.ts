import { readCall } from '../sandbox/journal/call-record.ts'
import { readEvaluation } from '../sandbox/journal/evaluation.ts'
import {
  type Flow,
  type FlowFacts,
  flowId,
  type JournalEntry,
  type ListedFlow,
  MAX_FLOW_CALLS,
  MAX_FLOW_CHARACTERS,
} from '../sandbox/journal/journal.ts'
import { type KeptText, keepText, readText } from './kept-text.ts'

/** A flow in memory. What was sent is kept as text: thousands of live objects would keep the garbage collector busy. */
export interface KeptFlow {
  readonly id: number
  readonly tenant: string
  facts: FlowFacts
  readonly startedAt: string
  endedAt: string | undefined
  /** Counts the endings of all flows: instants may be equal, since a clock may be frozen. */
  ending: number | undefined
  /** JSON of what the age key was evaluated from. */
  evaluation: KeptText
  /** JSON of call records. */
  readonly calls: KeptText[]
  droppedCalls: number
  readonly identifiers: string[]
  /** Characters of all that is kept, bytes where it is long: what `sizeOf` counted last. */
  size: number
}

/** A flow that begins with `call`, which is yet to be added. */
export const beginFlow = (id: number, tenant: string, { facts, call }: JournalEntry): KeptFlow => ({
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
})

/**
 * Adds a call to its flow; the oldest calls and identifiers go beyond what one flow may keep.
 * @param issued the keys of the identifiers that the call issues
 * @returns the keys by which the flow is known no longer
 */
export function addCall(
  flow: KeptFlow,
  { facts, evaluation, call }: JournalEntry,
  issued: readonly string[],
): string[] {
  // A token or upgrade call keeps its flow what it was.
  flow.facts = flow.calls.length === 0 ? facts : withAdded(flow.facts, facts)
  if (evaluation) flow.evaluation = keepText(JSON.stringify(evaluation))
  flow.calls.push(keepText(JSON.stringify(call)))
  const dropped = tooMany(flow.calls)
  flow.calls.splice(0, dropped)
  flow.droppedCalls += dropped
  flow.identifiers.push(...issued)
  const forgotten = flow.identifiers.splice(1, Math.max(0, flow.identifiers.length - MAX_FLOW_CALLS))
  flow.size = sizeOf(flow)
  return forgotten
}

/** How many calls are to go, the oldest first. The last one stays, however long it is. */
function tooMany(calls: readonly KeptText[]): number {
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

/** What events say of a flow. */
export const summaryOf = ({ id, tenant, facts, startedAt, endedAt }: KeptFlow) => ({
  id: flowId(id),
  tenant,
  ...facts,
  started_at: startedAt,
  ended_at: endedAt,
})

export const listedFlow = (flow: KeptFlow): ListedFlow => ({
  ...summaryOf(flow),
  ...(flow.droppedCalls === 0 ? {} : { dropped_calls: flow.droppedCalls }),
  calls: flow.calls.map((call) => readCall(readText(call))),
})

export const wholeFlow = (flow: KeptFlow): Flow => ({
  ...listedFlow(flow),
  ...(flow.evaluation === '' ? {} : readEvaluation(readText(flow.evaluation))),
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
