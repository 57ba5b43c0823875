import type { Ids } from '../../service/oidc/ports.ts'
import { isUnavailable, Refusal } from '../../service/oidc/refusal.ts'
import type { ClockMove } from '../clock/clock.ts'
import { isScenario, type QueueRows } from './queue-rows.ts'
import {
  currentStep,
  failStep,
  passStep,
  progressOf,
  type Queued,
  queuedScenario,
  type ScenarioProgress,
} from './queued.ts'
import type { Scenario } from './scenario-schema.ts'

/** The scenarios of one tenant, in the order of arming. Ended scenarios can still be read. */
export interface Scenarios {
  /**
   * Arms a scenario, and runs the clock steps at its beginning. The caller must have checked the
   * names of personas and clients.
   * @throws Refusal when too many scenarios are running
   */
  arm(scenario: Scenario): Promise<ScenarioProgress>
  /**
   * The queued scenarios. Their progress is not computed, because `progressOf` builds up to 500
   * steps for each scenario.
   */
  list(): Promise<Queued[]>
  find(id: string): Promise<ScenarioProgress | undefined>
  /** Removes a scenario. Returns `false` when no scenario has this id. */
  remove(id: string): Promise<boolean>
  clear(): Promise<void>
}

export interface ScenariosOptions {
  readonly ids: Ids
  /** @throws Refusal when the move leaves the years 0001 to 9999 */
  moveClock(move: ClockMove): Promise<void>
}

const MAX_SCENARIOS = 100

/** Creates the scenarios of a queue. */
export function createScenarios(rows: QueueRows, { ids, moveClock }: ScenariosOptions): Scenarios {
  const list = async () => (await rows.list()).filter(isScenario)
  const makeRoom = async () => {
    const armed = await list()
    if (armed.length < MAX_SCENARIOS) return
    const ended = armed.find((queued) => currentStep(queued) === undefined)
    if (!ended)
      throw Refusal.conflict(
        `scenarios: ${MAX_SCENARIOS} are running already; DELETE them, or reset the tenant`,
      )
    await rows.dropEnded(ended.id)
  }
  return {
    async arm(scenario) {
      await makeRoom()
      const armed = queuedScenario(`s-${ids.random(9)}`, scenario)
      await rows.put(armed)
      await runClockStepsOf(armed.id, { rows, moveClock })
      return progressOf((await rows.find(armed.id)) ?? armed)
    },
    list,
    async find(id) {
      const queued = await rows.find(id)
      return queued && isScenario(queued) ? progressOf(queued) : undefined
    },
    remove: (id) => rows.remove(id, 'scenario'),
    clear: () => rows.clear('scenario'),
  }
}

interface ClockSteps extends Pick<ScenariosOptions, 'moveClock'> {
  readonly rows: QueueRows
}

/** Runs the current clock steps of all scenarios. */
export async function runAllClockSteps(parts: ClockSteps): Promise<void> {
  for (const queued of await parts.rows.list()) {
    if (currentStep(queued)?.kind === 'clock') await runClockStepsOf(queued.id, parts)
  }
}

/** Runs the clock steps of one scenario up to its next step of another kind. */
async function runClockStepsOf(id: string, { rows, moveClock }: ClockSteps): Promise<void> {
  for (;;) {
    const queued = await rows.find(id)
    const step = queued && currentStep(queued)
    if (step?.kind !== 'clock') return
    try {
      await moveClock(step.move)
      await rows.change(id, (now) => passStep(now))
    } catch (error) {
      if (!(error instanceof Refusal) || isUnavailable(error)) throw error
      const { message } = error
      await rows.change(id, (now) => failStep(now, { detail: message }))
    }
  }
}
