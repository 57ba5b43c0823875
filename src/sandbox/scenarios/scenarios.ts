import type { Ids } from '../../oidc/ports.ts'
import { isUnavailable, Refusal } from '../../oidc/refusal.ts'
import type { ClockMove } from '../clock/clock-move.ts'
import type { ReceivedCall } from '../decision/call.ts'
import { type Tables, table } from '../tables.ts'
import {
  type ArmedScenario,
  armedScenario,
  armedScenarioSchema,
  currentStep,
  type Explanation,
  failStep,
  isAbout,
  noteAtStep,
  passStep,
  progressOf,
  type ScenarioProgress,
  unmetExpectation,
} from './armed-scenario.ts'
import type { Scenario } from './scenario-schema.ts'

/** What the armed scenarios say about a call. */
export interface ScenarioMatch {
  readonly step: MatchedStep | undefined
  readonly contradicted: readonly { readonly id: string; readonly index: number; readonly explanation: Explanation }[]
}

/** A step that decides a call. */
export interface MatchedStep {
  /** Of its scenario. */
  readonly id: string
  readonly name: string
  /** From 0. */
  readonly index: number
  readonly persona: string | undefined
  readonly outcome: string | undefined
}

/** The scenarios of one tenant, in the order in which they were armed. Ended ones stay readable. */
export interface Scenarios {
  /** Clock steps at its beginning run at once. Names of personas and clients are the caller's to check. @throws Refusal */
  arm(scenario: Scenario): Promise<ScenarioProgress>
  /** As they are kept: `progressOf` makes up to 500 steps of each. */
  list(): Promise<readonly ArmedScenario[]>
  find(id: string): Promise<ScenarioProgress | undefined>
  /** `false` when there is none of this id. */
  remove(id: string): Promise<boolean>
  clear(): Promise<void>
  /** The first scenario whose current step decides this call, and those that the call contradicts. Only looks. */
  match(call: ReceivedCall): Promise<ScenarioMatch>
  /**
   * Records what became of a match: contradicted scenarios fail, a followed step passes, a step that was not followed
   * keeps a remark.
   * @param result.problem why the call cannot have what the step decides: its scenario fails
   * @returns `false` when the step was to be followed, or to fail, and another request took it first
   */
  settle(
    match: ScenarioMatch,
    result: { isFollowed: boolean; problem?: string | undefined; call: ReceivedCall },
  ): Promise<boolean>
  /**
   * Counts a server-to-server call that was answered with `status` for the first scenario that awaits it.
   * @param decidedBy the scenario whose step decided this call; its next step does not count it
   */
  observe(call: ReceivedCall, status: number, decidedBy?: string): Promise<void>
  /** Runs the clock steps that are current; called after a decision was carried out. */
  runClockSteps(): Promise<void>
}

const MAX_SCENARIOS = 100

/** Announced whenever a scenario advances. */
export interface ScenarioEvent {
  readonly id: string
  readonly name: string
  readonly status: ScenarioProgress['status'] | 'removed'
  readonly revision: number
  /** The index of the current step; absent when all steps have passed. */
  readonly step?: number
}

const PARSED = new WeakMap<object, ArmedScenario>()

/** Creates the scenarios of one tenant. */
export function createScenarios({
  ids,
  tables,
  moveClock,
  announce,
}: {
  ids: Ids
  tables: Tables
  moveClock: (move: ClockMove) => Promise<void>
  announce: (event: ScenarioEvent) => void
}): Scenarios {
  const scenarios = table(tables, { name: 'scenario', schema: armedScenarioSchema }, PARSED)
  const all = async () => (await scenarios.list()).map(([, armed]) => armed)
  const announceProgress = (armed: ArmedScenario) => announce(eventOf(progressOf(armed)))
  /** @param next pure; it gives the same scenario when nothing is to be changed */
  const change = async (id: string, next: (armed: ArmedScenario) => ArmedScenario) => {
    let before: ArmedScenario | undefined
    const after = await scenarios.update(id, (armed) => {
      before = armed
      return armed && next(armed)
    })
    if (after && after.revision !== before?.revision) announceProgress(after)
    return after
  }
  const makeRoom = async () => {
    const armed = await all()
    if (armed.length < MAX_SCENARIOS) return
    const ended = armed.find((one) => currentStep(one) === undefined)
    if (!ended)
      throw Refusal.conflict(`scenarios: ${MAX_SCENARIOS} are running already; DELETE them, or reset the tenant`)
    await scenarios.remove(ended.id)
  }
  const remove = async (id: string) => {
    const armed = await scenarios.get(id)
    if (!armed || !(await scenarios.remove(id))) return false
    announce({ ...eventOf(progressOf(armed)), status: 'removed' })
    return true
  }
  /** `false` when the scenario has left the step. */
  const endDecision = async (
    { id, index }: MatchedStep,
    call: ReceivedCall,
    next: (armed: ArmedScenario) => ArmedScenario,
  ) => {
    let isTaken = false
    await change(id, (armed) => {
      isTaken = armed.current === index && isAbout(armed, 'decide', call)
      return isTaken ? next(armed) : armed
    })
    return isTaken
  }
  /** Whether the scenario awaits this call; then it advances, fails or keeps a remark. */
  const observeOne = async (id: string, call: ReceivedCall, status: number) => {
    let isAwaited = false
    await change(id, (armed) => {
      isAwaited = isAbout(armed, 'await', call)
      if (!isAwaited) return armed
      if (status >= 400) return noteAtStep(armed, `a ${call.flow} call came that was answered with ${status}`)
      const unmet = unmetExpectation(armed, call)
      return unmet ? failStep(armed, unmet) : passStep(armed)
    })
    return isAwaited
  }
  const runClockStep = async (id: string) => {
    const armed = await scenarios.get(id)
    const step = armed && currentStep(armed)
    if (step?.kind !== 'clock') return false
    try {
      await moveClock(step.move)
      await change(id, passStep)
    } catch (error) {
      if (!(error instanceof Refusal) || isUnavailable(error)) throw error
      const { message } = error
      await change(id, (armed) => failStep(armed, { detail: message }))
    }
    return true
  }
  const runClockSteps = async () => {
    for (const armed of await all()) {
      if (currentStep(armed)?.kind !== 'clock') continue
      while (await runClockStep(armed.id));
    }
  }

  return {
    async arm(scenario) {
      await makeRoom()
      const armed = armedScenario(`s-${ids.random(9)}`, scenario)
      await scenarios.put(armed.id, armed)
      announceProgress(armed)
      while (await runClockStep(armed.id));
      return progressOf((await scenarios.get(armed.id)) ?? armed)
    },
    list: all,
    async find(id) {
      const armed = await scenarios.get(id)
      return armed && progressOf(armed)
    },
    remove,
    async clear() {
      for (const { id } of await all()) await remove(id)
    },
    match: async (call) => matchScenarios(await all(), call),
    async settle({ step, contradicted }, { isFollowed, problem, call }) {
      for (const { id, index, explanation } of contradicted) {
        await change(id, (armed) => (armed.current === index ? failStep(armed, explanation) : armed))
      }
      if (!step) return true
      if (isFollowed) return endDecision(step, call, passStep)
      if (problem !== undefined) return endDecision(step, call, (armed) => failStep(armed, { detail: problem }))
      const remark = `a ${call.flow} request came that did not take this decision: its answer says why`
      await change(step.id, (armed) => (armed.current === step.index ? noteAtStep(armed, remark) : armed))
      return true
    },
    async observe(call, status, decidedBy) {
      let hasAdvanced = decidedBy !== undefined
      for (const { id } of (await all()).filter((armed) => isAbout(armed, 'await', call))) {
        if (decidedBy === id || !(await observeOne(id, call, status))) continue
        hasAdvanced = true
        break
      }
      if (hasAdvanced) await runClockSteps()
    },
    runClockSteps,
  }
}

function eventOf({ id, name, status, revision, steps }: ScenarioProgress): ScenarioEvent {
  const step = steps.findIndex((one) => one.status === 'current' || one.status === 'failed')
  return { id, name, status, revision, ...(step < 0 ? {} : { step }) }
}

/** The first scenario whose current step decides the call, and those before it that the call contradicts. */
export function matchScenarios(scenarios: readonly ArmedScenario[], call: ReceivedCall): ScenarioMatch {
  const contradicted: ScenarioMatch['contradicted'][number][] = []
  for (const armed of scenarios) {
    const step = currentStep(armed)
    if (step?.kind !== 'decide' || !isAbout(armed, 'decide', call)) continue
    const { id, current: index, scenario } = armed
    const { persona, outcome } = step
    const explanation = unmetExpectation(armed, call)
    if (!explanation) return { contradicted, step: { id, name: scenario.name, index, persona, outcome } }
    contradicted.push({ id, index, explanation })
  }
  return { contradicted, step: undefined }
}
