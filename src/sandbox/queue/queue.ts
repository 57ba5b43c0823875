import { type Awaitable, type Ids, whenThere } from '../../service/oidc/ports.ts'
import { isHeld } from './expectation.ts'
import { createExpectations, type Expectations, newExpectationId } from './expectations.ts'
import { matchQueued, type QueuedDecision, type QueueMatch } from './queue-match.ts'
import { createQueueRows, type QueueRows, type QueueRowsOptions } from './queue-rows.ts'
import {
  failStep,
  isAbout,
  noteAtStep,
  passStep,
  type Queued,
  queuedExpectation,
  type ReceivedCall,
  unmetExpectation,
} from './queued.ts'
import {
  createScenarios,
  runAllClockSteps,
  type Scenarios,
  type ScenariosOptions,
} from './scenarios.ts'

/**
 * The queue of one tenant decides coming requests by expectations and scenarios. An expectation is
 * a scenario of one step. Expectations decide before scenarios; both decide in the order of
 * queueing.
 */
export interface Queue {
  readonly expectations: Expectations
  readonly scenarios: Scenarios
  /**
   * Finds the decision for a call, and the scenarios that the call contradicts. Nothing is used up
   * before `settle`.
   */
  match(call: ReceivedCall): Awaitable<QueueMatch>
  /**
   * Records what happened to a match: contradicted scenarios fail, a followed decision is used up,
   * and a scenario whose decision was not followed keeps a remark.
   * @returns `false` when a concurrent request used up the decision first
   */
  settle(match: QueueMatch, settlement: Settlement): Awaitable<boolean>
  /**
   * Counts an answered server-to-server call for the first scenario that awaits it.
   * @param decidedBy the id of the scenario that decided this call; its next step does not count
   * the call
   */
  observe(call: ReceivedCall, status: number, decidedBy?: string): Awaitable<void>
  /** Runs the current clock steps of all scenarios. Called after a decision was carried out. */
  runClockSteps(): Promise<void>
}

/** What happened to the match of a call. */
export interface Settlement {
  readonly call: ReceivedCall
  /** Whether the queued decision was applied to the call. */
  readonly isFollowed: boolean
  /** Why the call cannot have the decision. The decision is used up, and its scenario fails. */
  readonly problem?: string | undefined
}

export interface QueueOptions extends QueueRowsOptions, Pick<ScenariosOptions, 'moveClock'> {
  idsFor(purpose: 'expectations' | 'scenarios'): Ids
}

/** The match of every call when the queue is empty. */
const NO_MATCH: QueueMatch = { decision: undefined, contradicted: [] }

/** Creates the queue of one tenant. */
export function createQueue(options: QueueOptions): Queue {
  const { idsFor, lastEnded, moveClock } = options
  const rows = createQueueRows(options)
  const expectationIds = idsFor('expectations')
  const observeCall = async (queue: readonly Queued[], call: ReceivedCall, answered: Answered) => {
    const isAwaited = await passAwaited(queue, call, { ...answered, rows })
    if (isAwaited || answered.decidedBy !== undefined) await runAllClockSteps({ rows, moveClock })
  }
  return {
    expectations: createExpectations(rows, expectationIds),
    scenarios: createScenarios(rows, { ids: idsFor('scenarios'), moveClock }),
    match: (call) =>
      whenThere(rows.listCurrent(), (queue) =>
        queue.length === 0 ? NO_MATCH : matchQueued(queue, call),
      ),
    settle: (match, settlement) =>
      match === NO_MATCH ? true : settle(match, settlement, { rows, lastEnded, expectationIds }),
    observe: (call, status, decidedBy) =>
      whenThere(rows.list(), (queue) =>
        queue.length === 0 ? undefined : observeCall(queue, call, { status, decidedBy }),
      ),
    runClockSteps: () => runAllClockSteps({ rows, moveClock }),
  }
}

/** The HTTP status of a call, and the id of the scenario that decided it. */
interface Answered {
  readonly status: number
  readonly decidedBy: string | undefined
}

interface SettleParts extends Pick<QueueOptions, 'lastEnded'> {
  readonly rows: QueueRows
  readonly expectationIds: Ids
}

async function settle(
  { decision, contradicted }: QueueMatch,
  settlement: Settlement,
  parts: SettleParts,
): Promise<boolean> {
  const { rows } = parts
  for (const { id, index, explanation } of contradicted) {
    await rows.change(id, (queued) =>
      queued.current === index ? failStep(queued, explanation) : queued,
    )
  }
  if (!decision) return true
  if (settlement.isFollowed || settlement.problem !== undefined)
    return useUp(decision, settlement, parts)
  if (decision.scenario) await noteNotFollowed(decision, settlement, rows)
  return true
}

/**
 * Passes or fails the step of a decision. Returns `false` when a concurrent request used the
 * decision up first.
 */
async function useUp(
  { id, index, scenario, outcome }: QueuedDecision,
  { call, isFollowed, problem }: Settlement,
  { rows, lastEnded, expectationIds }: SettleParts,
): Promise<boolean> {
  const { flow } = call
  const ended = isHeld(flow) ? await lastEnded() : undefined
  const isAtStep = (queued: Queued) => queued.current === index && isAbout(queued, 'decide', call)
  const before = await rows.change(id, (queued) => {
    if (!isAtStep(queued)) return queued
    if (isFollowed || !scenario) return passStep(queued, ended)
    return failStep(queued, { detail: problem })
  })
  if (before === undefined || !isAtStep(before)) return false
  if (isFollowed && scenario && ended !== undefined) {
    // A scenario's decision about discovery or the key set is held in the same way as an
    // expectation.
    const held = { times: 1, remaining: 1, held_since: ended }
    await rows.put(queuedExpectation(newExpectationId(expectationIds), { flow, outcome }, held))
  }
  return true
}

async function noteNotFollowed(
  { id, index }: QueuedDecision,
  { call: { flow } }: Settlement,
  rows: QueueRows,
): Promise<void> {
  const remark = `a ${flow} request came that did not take this decision: its answer says why`
  await rows.change(id, (queued) =>
    queued.current === index ? noteAtStep(queued, remark) : queued,
  )
}

/**
 * Counts a call for the first scenario that awaits it: the scenario advances, fails or keeps a
 * remark.
 * @returns whether a scenario awaits the call
 */
async function passAwaited(
  queue: readonly Queued[],
  call: ReceivedCall,
  { rows, status, decidedBy }: Answered & { readonly rows: QueueRows },
): Promise<boolean> {
  for (const { id } of queue.filter((queued) => isAbout(queued, 'await', call))) {
    if (id === decidedBy) continue
    const before = await rows.change(id, (queued) => afterAwaited(queued, call, status))
    // A concurrent call may have passed the step in the meantime.
    if (before !== undefined && isAbout(before, 'await', call)) return true
  }
  return false
}

function afterAwaited(queued: Queued, call: ReceivedCall, status: number): Queued | undefined {
  if (!isAbout(queued, 'await', call)) return queued
  if (status >= 400)
    return noteAtStep(queued, `a ${call.flow} call came that was answered with ${status}`)
  const unmet = unmetExpectation(queued, call)
  return unmet ? failStep(queued, unmet) : passStep(queued)
}
