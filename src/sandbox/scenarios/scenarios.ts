import type { Ids } from '../../oidc/ports.ts'
import { Refusal } from '../../oidc/refusal.ts'
import type { ClockMove } from '../clock/clock-move.ts'
import type { CallFacts } from '../decision/expectations.ts'
import type { QueuedWish } from '../decision/queued-wish.ts'
import type { Tables } from '../tenants/tables.ts'
import {
  type ArmedScenario,
  armedScenario,
  currentStep,
  failStep,
  isAbout,
  noteAtStep,
  passStep,
  progressOf,
  type ScenarioProgress,
  unmetExpectation,
} from './armed-scenario.ts'
import type { Scenario } from './scenario-schema.ts'

/** The scenarios of one tenant, in the order in which they were armed. Ended ones stay to be asked about. */
export interface Scenarios {
  /** Clock steps at its beginning run at once. Names of personas and clients are the caller's to check. @throws Refusal */
  arm(scenario: Scenario): Promise<ScenarioProgress>
  list(): Promise<ScenarioProgress[]>
  find(id: string): Promise<ScenarioProgress | undefined>
  /** `false` when there is none of this id. */
  remove(id: string): Promise<boolean>
  clear(): Promise<void>
  /** The decision of the first scenario that has one for this request. What is not as expected fails its scenario. */
  wishFor(facts: CallFacts): Promise<QueuedWish | undefined>
  /** Tells of a server-to-server call that was served: it counts for the first scenario that waits for it. */
  saw(facts: CallFacts, status: number): Promise<void>
  /** Tells that a decision was carried out: now the clock may move. */
  moveOn(): Promise<void>
}

const MOST_SCENARIOS = 100

/** What is told whenever a scenario comes further. */
export interface ScenarioEvent {
  readonly id: string
  readonly name: string
  readonly status: ScenarioProgress['status'] | 'removed'
  readonly revision: number
  /** The index of the step that it has come to; absent behind the last one. */
  readonly step?: number
}

const TABLE = 'scenario'

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
  /** The scenario that decided a request: it is not also met by it. */
  const decidedBy = new WeakMap<CallFacts, string>()

  const all = async () => (await tables.list(TABLE)).map(([, value]) => value as ArmedScenario)
  const tell = (armed: ArmedScenario) => announce(eventOf(progressOf(armed)))
  /** @param next pure; it gives the same scenario when nothing is to be changed */
  const change = async (id: string, next: (armed: ArmedScenario) => ArmedScenario) => {
    let before: ArmedScenario | undefined
    const after = await tables.update(TABLE, id, (value) => {
      before = value as ArmedScenario | undefined
      return before && next(before)
    })
    if (after && after.revision !== before?.revision) tell(after)
    return after
  }
  const makeRoom = async () => {
    const armed = await all()
    if (armed.length < MOST_SCENARIOS) return
    const ended = armed.find((one) => currentStep(one) === undefined)
    if (!ended)
      throw Refusal.conflict(`scenarios: ${MOST_SCENARIOS} are running already; DELETE them, or reset the tenant`)
    await tables.remove(TABLE, ended.id)
  }
  const remove = async (id: string) => {
    const armed = (await tables.get(TABLE, id)) as ArmedScenario | undefined
    if (!armed || !(await tables.remove(TABLE, id))) return false
    announce({ ...eventOf(progressOf(armed)), status: 'removed' })
    return true
  }
  const spend = async (id: string, step: number, facts: CallFacts) => {
    let isTaken = false
    await change(id, (armed) => {
      isTaken = armed.current === step && isAbout(armed, 'decide', facts)
      return isTaken ? passStep(armed) : armed
    })
    if (isTaken) decidedBy.set(facts, id)
    return isTaken
  }
  /** Whether the scenario waits for this call; then it has come further, has failed or has a remark. */
  const hear = async (id: string, facts: CallFacts, status: number) => {
    let isHeard = false
    await change(id, (armed) => {
      isHeard = isAbout(armed, 'await', facts)
      if (!isHeard) return armed
      if (status >= 400) return noteAtStep(armed, `a ${facts.flow} call came that was answered with ${status}`)
      const unmet = unmetExpectation(armed, facts)
      return unmet ? failStep(armed, unmet) : passStep(armed)
    })
    return isHeard
  }
  /** Of several callers one moves the clock, and the step has passed only behind that. */
  const runClockStep = async (id: string) => {
    let move: ClockMove | undefined
    await change(id, (armed) => {
      const step = currentStep(armed)
      move = step?.kind === 'clock' && !armed.isMoving ? step.move : undefined
      return move ? { ...armed, isMoving: true } : armed
    })
    if (!move) return false
    try {
      await moveClock(move)
      await change(id, passStep)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { message } = error
      await change(id, (armed) => failStep(armed, { detail: message }))
    }
    return true
  }
  const moveOn = async () => {
    for (const armed of await all()) {
      if (currentStep(armed)?.kind !== 'clock') continue
      while (await runClockStep(armed.id));
    }
  }

  return {
    async arm(scenario) {
      await makeRoom()
      const armed = armedScenario(`s-${ids.random(9)}`, scenario)
      await tables.put(TABLE, armed.id, armed)
      tell(armed)
      while (await runClockStep(armed.id));
      return progressOf(((await tables.get(TABLE, armed.id)) as ArmedScenario | undefined) ?? armed)
    },
    list: async () => (await all()).map(progressOf),
    async find(id) {
      const armed = (await tables.get(TABLE, id)) as ArmedScenario | undefined
      return armed && progressOf(armed)
    },
    remove,
    async clear() {
      for (const { id } of await all()) await remove(id)
    },
    async wishFor(facts) {
      for (const seen of await all()) {
        if (!isAbout(seen, 'decide', facts)) continue
        const { id, current: step, scenario } = seen
        const armed = await change(id, (now) => {
          if (now.current !== step || !isAbout(now, 'decide', facts)) return now
          const unmet = unmetExpectation(now, facts)
          if (unmet) return failStep(now, unmet)
          // Replaced when the decision is taken.
          return noteAtStep(now, `a ${facts.flow} request came that did not take this decision: its answer says why`)
        })
        const declared = scenario.steps[step]?.decide
        if (!armed || armed.failure || !declared) continue
        const { persona, outcome } = declared
        const source = `scenario ${JSON.stringify(scenario.name)}, step ${step + 1}`
        return { persona, outcome, source, spend: () => spend(id, step, facts) }
      }
      return undefined
    },
    async saw(facts, status) {
      for (const { id } of (await all()).filter((armed) => isAbout(armed, 'await', facts))) {
        if (decidedBy.get(facts) !== id && (await hear(id, facts, status))) break
      }
      await moveOn()
    },
    moveOn,
  }
}

function eventOf({ id, name, status, revision, steps }: ScenarioProgress): ScenarioEvent {
  const step = steps.findIndex((one) => one.status === 'current' || one.status === 'failed')
  return { id, name, status, revision, ...(step < 0 ? {} : { step }) }
}
