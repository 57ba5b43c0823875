import type { Explanation } from './mismatches.ts'
import { isAbout, type Queued, type ReceivedCall, unmetExpectation } from './queued.ts'

/** The queued decision for a call, and the scenarios that the call contradicts. */
export interface QueueMatch {
  readonly decision: QueuedDecision | undefined
  /** Scenarios whose current step is about this call but expects a different request. */
  readonly contradicted: readonly ContradictedScenario[]
}

export interface ContradictedScenario {
  readonly id: string
  /** The index of the step, from 0. */
  readonly index: number
  readonly explanation: Explanation
}

/** A decision that the queue holds for a call. */
export interface QueuedDecision {
  /** The name in messages: `scenario "Upgrade", step 2`. */
  readonly source: string
  readonly persona: string | undefined
  readonly outcome: string | undefined
  /** Marks the flow as part of an audit, which changes no persona. */
  readonly audit?: true | undefined
  readonly id: string
  /** The index of the step, from 0. */
  readonly index: number
  /** The id of the scenario; absent for an expectation. */
  readonly scenario?: string
}

/**
 * Finds the first matching expectation, or else the first scenario whose current step matches, with
 * the earlier scenarios that the call contradicts.
 */
export function matchQueued(queue: readonly Queued[], call: ReceivedCall): QueueMatch {
  const expectation = queue.find((queued) => queued.expected && isAbout(queued, 'decide', call))
  if (expectation) return { decision: decisionOf(expectation), contradicted: [] }
  const contradicted: ContradictedScenario[] = []
  for (const queued of queue) {
    if (queued.expected || !isAbout(queued, 'decide', call)) continue
    const explanation = unmetExpectation(queued, call)
    if (!explanation) return { decision: decisionOf(queued), contradicted }
    contradicted.push({ id: queued.id, index: queued.current, explanation })
  }
  return { decision: undefined, contradicted }
}

function decisionOf({
  id,
  scenario: { name, steps },
  current: index,
  expected,
}: Queued): QueuedDecision {
  const { persona, outcome } = steps[index]?.decide ?? {}
  const decision = { persona, outcome, id, index }
  if (!expected) {
    const source = `scenario ${JSON.stringify(name)}, step ${index + 1}`
    return { ...decision, source, scenario: id }
  }
  const { audit, times, remaining } = expected
  // A message names this source only when the request cannot have the decision and uses it up.
  const left = remaining > 1 ? `${remaining - 1} of ${times} left` : 'now used up'
  return { ...decision, source: `expectation ${id} (${left})`, audit }
}
