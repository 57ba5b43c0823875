import { type Awaitable, type Ids, whenThere } from '../../service/oidc/ports.ts'
import { isUnavailable, Refusal } from '../../service/oidc/refusal.ts'
import type { ClockMove } from '../clock/clock.ts'
import { type Tables, table } from '../tables.ts'
import { type Expectation, isHeld, type NewExpectation } from './expectation.ts'
import {
  currentStep,
  type Explanation,
  expectationOf,
  failStep,
  isAbout,
  noteAtStep,
  passStep,
  progressOf,
  type Queued,
  queuedExpectation,
  queuedScenario,
  queuedSchema,
  type ReceivedCall,
  type ScenarioProgress,
  unmetExpectation,
  usedOnce,
} from './queued.ts'
import type { Scenario } from './scenario-schema.ts'

/** The queued decisions and scenarios that concern a call. */
export interface QueueMatch {
  readonly decision: QueuedDecision | undefined
  /** Scenarios that the call contradicts. */
  readonly contradicted: readonly {
    readonly id: string
    readonly index: number
    readonly explanation: Explanation
  }[]
}

/** A queued decision about a call. */
export interface QueuedDecision {
  /** For messages: `scenario "Upgrade", step 2`. */
  readonly source: string
  readonly persona: string | undefined
  readonly outcome: string | undefined
  /** Marks the flow as one of an audit, which changes no persona. */
  readonly audit?: true | undefined
  readonly id: string
  /** The index of the step, from 0. */
  readonly index: number
  /** The id of the scenario; absent for an expectation. */
  readonly scenario?: string
}

const MAX_EXPECTATIONS = 10_000
const MAX_SCENARIOS = 100

/** The event that announces the progress of a scenario. */
export interface ScenarioEvent extends Pick<ScenarioProgress, 'id' | 'name' | 'revision'> {
  readonly status: ScenarioProgress['status'] | 'removed'
  /** The index of the current step; absent when all steps have passed. */
  readonly step?: number
}

export type Queue = ReturnType<typeof createQueue>

const PARSED = new WeakMap<object, Queued>()

/**
 * Creates the queue of one tenant: expectations, which are scenarios of one step, and scenarios.
 * Expectations decide first; both decide in the order in which they were queued.
 * @param parts.lastEnded finds the id of the flow of the tenant that ended last
 */
export function createQueue({
  idsFor,
  tables,
  lastEnded,
  moveClock,
  announce,
}: {
  idsFor(purpose: 'expectations' | 'scenarios'): Ids
  tables: Tables
  lastEnded(): Promise<string>
  moveClock(move: ClockMove): Promise<void>
  announce(event: ScenarioEvent): void
}) {
  const queue = table(tables, { name: 'queue', schema: queuedSchema }, PARSED)
  const rows = (): Awaitable<readonly Queued[]> =>
    whenThere(queue.list(), (list) =>
      list.length === 0 ? NOTHING_QUEUED : list.map(([, queued]) => queued),
    )
  const put = async (queued: Queued) => {
    await queue.put(queued.id, queued)
    return queued
  }
  const announceProgress = (queued: Queued) => announce(eventOf(progressOf(queued)))
  /**
   * Changes one queued scenario.
   * @param next a pure function; the same object changes nothing, `undefined` removes the scenario
   * @returns the scenario before the change
   */
  const change = async (id: string, next: (queued: Queued) => Queued | undefined) => {
    let before: Queued | undefined
    const after = await queue.update(id, (queued) => {
      before = queued
      return queued && next(queued)
    })
    if (after && !after.expected && after.revision !== before?.revision) announceProgress(after)
    return before
  }
  /**
   * The whole queue, without expectations that were held until a flow had ended, if one has ended.
   */
  const all = () =>
    whenThere(rows(), (queued) => {
      const held = queued.filter(({ expected }) => expected?.held_since !== undefined)
      return held.length === 0 ? queued : withoutOver(held)
    })
  async function withoutOver(held: readonly Queued[]) {
    const ended = await lastEnded()
    const over = held.filter(({ expected }) => expected?.held_since !== ended)
    for (const { id, expected } of over) {
      await change(id, (now) =>
        now.expected?.held_since === expected?.held_since ? usedOnce(now) : now,
      )
    }
    return rows()
  }
  const removeIf = async (id: string, isAsked: (queued: Queued) => boolean) => {
    const queued = await queue.get(id)
    if (!queued || !isAsked(queued) || !(await queue.remove(id))) return false
    if (!queued.expected) announce({ ...eventOf(progressOf(queued)), status: 'removed' })
    return true
  }
  const removeAll = async (isAsked: (queued: Queued) => boolean) => {
    for (const { id } of await rows()) await removeIf(id, isAsked)
  }

  const listExpectations = async () =>
    (await all()).flatMap((queued) => expectationOf(queued) ?? [])
  const [expectationIds, scenarioIds] = [idsFor('expectations'), idsFor('scenarios')]
  const newExpectationId = () => `x-${expectationIds.random(9)}`
  const addExpectation = async ({ times = 1, ...wanted }: NewExpectation): Promise<Expectation> => {
    // The whole list is read only at the limit: held expectations may be over and leave room.
    if (
      (await queue.count()) >= MAX_EXPECTATIONS &&
      (await listExpectations()).length >= MAX_EXPECTATIONS
    )
      throw Refusal.conflict(
        `expectations: ${MAX_EXPECTATIONS} are queued already; DELETE them, or reset the tenant`,
      )
    const id = newExpectationId()
    await put(queuedExpectation(id, wanted, { times, remaining: times }))
    return { ...wanted, id, times, remaining: times }
  }

  const listScenarios = async () => (await rows()).filter(isScenario)
  const makeRoom = async () => {
    const armed = await listScenarios()
    if (armed.length < MAX_SCENARIOS) return
    const ended = armed.find((one) => currentStep(one) === undefined)
    if (!ended)
      throw Refusal.conflict(
        `scenarios: ${MAX_SCENARIOS} are running already; DELETE them, or reset the tenant`,
      )
    await queue.remove(ended.id)
  }
  const runClockStep = async (id: string) => {
    const queued = await queue.get(id)
    const step = queued && currentStep(queued)
    if (step?.kind !== 'clock') return false
    try {
      await moveClock(step.move)
      await change(id, (now) => passStep(now))
    } catch (error) {
      if (!(error instanceof Refusal) || isUnavailable(error)) throw error
      const { message } = error
      await change(id, (now) => failStep(now, { detail: message }))
    }
    return true
  }
  const runClockSteps = async () => {
    for (const queued of await rows()) {
      if (currentStep(queued)?.kind !== 'clock') continue
      while (await runClockStep(queued.id));
    }
  }
  /**
   * Whether the scenario awaits this call. If so, the scenario advances, fails or keeps a remark.
   */
  const observeOne = async (id: string, call: ReceivedCall, status: number) => {
    const before = await change(id, (queued) => {
      if (!isAbout(queued, 'await', call)) return queued
      if (status >= 400)
        return noteAtStep(queued, `a ${call.flow} call came that was answered with ${status}`)
      const unmet = unmetExpectation(queued, call)
      return unmet ? failStep(queued, unmet) : passStep(queued)
    })
    return before !== undefined && isAbout(before, 'await', call)
  }

  const settle = async (
    { decision, contradicted }: QueueMatch,
    {
      isFollowed,
      problem,
      call,
    }: { isFollowed: boolean; problem?: string | undefined; call: ReceivedCall },
  ) => {
    for (const { id, index, explanation } of contradicted) {
      await change(id, (queued) =>
        queued.current === index ? failStep(queued, explanation) : queued,
      )
    }
    if (!decision) return true
    const { id, index, scenario, outcome } = decision
    if (!isFollowed && problem === undefined) {
      const remark = `a ${call.flow} request came that did not take this decision: its answer says why`
      if (scenario)
        await change(id, (queued) =>
          queued.current === index ? noteAtStep(queued, remark) : queued,
        )
      return true
    }
    const { flow } = call
    const ended = isHeld(flow) ? await lastEnded() : undefined
    const isAtStep = (queued: Queued) => queued.current === index && isAbout(queued, 'decide', call)
    const before = await change(id, (queued) => {
      if (!isAtStep(queued)) return queued
      return isFollowed || !scenario
        ? passStep(queued, ended)
        : failStep(queued, { detail: problem })
    })
    const isTaken = before !== undefined && isAtStep(before)
    // A scenario's decision for a first read of discovery or keys is held like an expectation's.
    if (isTaken && isFollowed && scenario && ended !== undefined)
      await put(
        queuedExpectation(
          newExpectationId(),
          { flow, outcome },
          { times: 1, remaining: 1, held_since: ended },
        ),
      )
    return isTaken
  }
  const observe = async (
    queued: readonly Queued[],
    call: ReceivedCall,
    { status, decidedBy }: { status: number; decidedBy: string | undefined },
  ) => {
    let hasAdvanced = decidedBy !== undefined
    for (const { id } of queued.filter((one) => isAbout(one, 'await', call))) {
      if (decidedBy === id || !(await observeOne(id, call, status))) continue
      hasAdvanced = true
      break
    }
    if (hasAdvanced) await runClockSteps()
  }

  return {
    expectations: {
      list: listExpectations,
      /** Adds an expectation. @throws Refusal when the queue is full */
      add: addExpectation,
      /** `false` when no expectation has this id. */
      remove: (id: string) => removeIf(id, isExpectation),
      clear: () => removeAll(isExpectation),
    },
    /** The scenarios, in the order in which they were armed. Ended scenarios stay readable. */
    scenarios: {
      /**
       * Arms a scenario; clock steps at its beginning run at once. The caller has checked the names
       * of personas and clients.
       * @throws Refusal when too many are running
       */
      async arm(scenario: Scenario): Promise<ScenarioProgress> {
        await makeRoom()
        const armed = await put(queuedScenario(`s-${scenarioIds.random(9)}`, scenario))
        announceProgress(armed)
        while (await runClockStep(armed.id));
        return progressOf((await queue.get(armed.id)) ?? armed)
      },
      /** The scenarios as the queue keeps them: `progressOf` builds up to 500 steps for each. */
      list: listScenarios,
      async find(id: string) {
        const queued = await queue.get(id)
        return queued && isScenario(queued) ? progressOf(queued) : undefined
      },
      /** `false` when no scenario has this id. */
      remove: (id: string) => removeIf(id, isScenario),
      clear: () => removeAll(isScenario),
    },
    /**
     * Finds what decides this call, and the scenarios that the call contradicts. Nothing is used up
     * before `settle`.
     */
    match: (call: ReceivedCall) => whenThere(all(), (queued) => matchQueued(queued, call)),
    /**
     * Records what happened to a match: a contradicted scenario fails, an applied step passes, a
     * step that was not applied keeps a remark.
     * @param result.problem why the request cannot have the decision, which is used up then; its
     * scenario fails
     * @returns `false` when another request used up the decision first
     */
    settle: (match: QueueMatch, result: Parameters<typeof settle>[1]) =>
      match === NO_MATCH ? true : settle(match, result),
    /**
     * Counts an answered server-to-server call for the first scenario that awaits the call.
     * @param decidedBy the scenario whose step decided this call; its next step does not count the
     * call
     */
    observe: (call: ReceivedCall, status: number, decidedBy?: string) =>
      whenThere(rows(), (queued) =>
        queued.length === 0 ? undefined : observe(queued, call, { status, decidedBy }),
      ),
    /** Runs the current clock steps; called after a decision was carried out. */
    runClockSteps,
  }
}

const NOTHING_QUEUED: readonly Queued[] = []

const isExpectation = ({ expected }: Queued) => expected !== undefined
const isScenario = ({ expected }: Queued) => expected === undefined

function eventOf({ id, name, status, revision, steps }: ScenarioProgress): ScenarioEvent {
  const step = steps.findIndex((one) => one.status === 'current' || one.status === 'failed')
  return { id, name, status, revision, ...(step < 0 ? {} : { step }) }
}

const NO_MATCH: QueueMatch = { decision: undefined, contradicted: [] }

/**
 * The first expectation that fits the call; otherwise the first scenario whose current step fits,
 * with the earlier scenarios that the call contradicts.
 */
function matchQueued(queue: readonly Queued[], call: ReceivedCall): QueueMatch {
  if (queue.length === 0) return NO_MATCH
  const expectation = queue.find((queued) => queued.expected && isAbout(queued, 'decide', call))
  if (expectation) return { decision: decisionOf(expectation), contradicted: [] }
  const contradicted: QueueMatch['contradicted'][number][] = []
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
  if (!expected)
    return {
      ...decision,
      source: `scenario ${JSON.stringify(name)}, step ${index + 1}`,
      scenario: id,
    }
  const { audit, times, remaining } = expected
  // Messages name this source only when the request cannot have the decision and uses it up.
  const left = remaining > 1 ? `${remaining - 1} of ${times} left` : 'now used up'
  return { ...decision, source: `expectation ${id} (${left})`, audit }
}
