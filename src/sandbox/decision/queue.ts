import type { MatchedStep, ScenarioMatch, Scenarios } from '../scenarios/scenarios.ts'
import type { ReceivedCall } from './call.ts'
import { type Expectation, type Expectations, isHeld } from './expectations.ts'

/** The queued decision that matches a call: an expectation, else a step of a scenario. */
export interface QueueMatch {
  readonly decision: QueuedDecision | undefined
  /** What the scenarios said; absent when an expectation matched and no scenario was asked. */
  readonly scenarios?: ScenarioMatch
}

export interface QueuedDecision {
  readonly source: string
  readonly persona?: string | undefined
  readonly outcome?: string | undefined
  /** Marks the flow that it decides as one of an audit, which changes no persona. */
  readonly audit?: true | undefined
  readonly queued: { readonly expectation: Expectation } | { readonly step: MatchedStep }
}

interface Queue {
  readonly expectations: Expectations
  readonly scenarios: Scenarios
}

/** Finds the queued decision for a call. Only looks: nothing is used up before `settleQueue`. */
export async function matchQueue(call: ReceivedCall, { expectations, scenarios }: Queue): Promise<QueueMatch> {
  const expectation = await expectations.find(call)
  if (expectation) {
    const { id, persona, outcome, audit, times, remaining } = expectation
    // Named only when this request cannot have it, and uses it up.
    const left = remaining > 1 ? `${remaining - 1} of ${times} left` : 'now used up'
    return { decision: { source: `expectation ${id} (${left})`, persona, outcome, audit, queued: { expectation } } }
  }
  const match = await scenarios.match(call)
  const { step } = match
  if (!step) return { decision: undefined, scenarios: match }
  const { persona, outcome } = step
  const source = `scenario ${JSON.stringify(step.name)}, step ${step.index + 1}`
  return { decision: { source, persona, outcome, queued: { step } }, scenarios: match }
}

/**
 * Records what became of a match: a followed decision is used up, and a scenario that the call contradicts fails.
 * @param result.problem why the call cannot have the decision, which is then used up; a scenario fails by it
 * @returns `false` when another request used the decision up first.
 */
export async function settleQueue(
  { decision, scenarios: match }: QueueMatch,
  { queue, ...result }: { isFollowed: boolean; problem?: string | undefined; call: ReceivedCall; queue: Queue },
): Promise<boolean> {
  if (match) {
    const isSettled = await queue.scenarios.settle(match, result)
    const { flow } = result.call
    if (isSettled && result.isFollowed && isHeld(flow))
      await queue.expectations.hold({ flow, outcome: decision?.outcome })
    return isSettled
  }
  const isUsedUp = result.isFollowed || result.problem !== undefined
  if (!isUsedUp || !decision || !('expectation' in decision.queued)) return true
  return queue.expectations.spend(decision.queued.expectation.id, result.call.flow)
}

/** The scenario that a decision comes from. */
export const scenarioOf = ({ queued }: QueuedDecision): string | undefined =>
  'step' in queued ? queued.step.id : undefined
