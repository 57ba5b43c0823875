import { startStopwatch } from '../../../sandbox/clock/clock.ts'
import type { ScenarioProgress, StepProgress } from '../../../sandbox/queue/queued.ts'
import type { Scenario } from '../../../sandbox/queue/scenario-schema.ts'
import type { SandboxApi } from '../../../server/client/sandbox-api.ts'
import { SandboxError } from '../../../server/client/sandbox-error.ts'

/** The result of one step. */
export type StepResult = Pick<
  StepProgress,
  'index' | 'kind' | 'summary' | 'detail' | 'mismatches'
> & {
  /** `skipped`: an earlier step failed. */
  readonly status: 'passed' | 'failed' | 'skipped'
  /** Milliseconds since the step before. */
  readonly seconds: number
}

/** A scenario that was run, or that was not reached. */
export interface ScenarioRun {
  readonly name: string
  readonly file: string
  readonly steps: readonly StepResult[]
}

/** Learns how a scenario advances. */
export interface StepListener {
  armed(id: string): void
  /** The awaited step; called again after a while, and when a request did not meet the step. */
  current(step: StepProgress): void
  ended(step: StepResult): void
  /** No request met a step in time. */
  timedOut(): void
}

/** Seconds of one long poll; a step may wait longer. */
const MAX_POLL_SECONDS = 30

/**
 * Arms a scenario and follows it to its end: the first step that fails, or that is not met within
 * `timeoutSeconds`. The scenario is removed from the sandbox then, so that it decides nothing
 * afterwards.
 * @param options.early resolves with the reason when the app under test has ended, which ends the
 * wait for a step
 */
export async function runScenario(
  scenario: Scenario,
  { scenarios }: Pick<SandboxApi, 'scenarios'>,
  {
    timeoutSeconds,
    listener,
    early,
  }: { timeoutSeconds: number; listener: StepListener; early?: Promise<string> | undefined },
): Promise<StepResult[]> {
  const results: StepResult[] = []
  let reason: string | undefined
  const over = early?.then((ending) => {
    reason = ending
  })
  let elapsed = startStopwatch()
  const end = (
    { index, kind, summary, detail, mismatches }: StepProgress,
    status: StepResult['status'],
  ) => {
    const explained = {
      ...(detail === undefined ? {} : { detail }),
      ...(mismatches ? { mismatches } : {}),
    }
    const result = {
      index,
      kind,
      summary,
      status,
      seconds: Math.round(elapsed()) / 1000,
      ...explained,
    }
    results.push(result)
    listener.ended(result)
    elapsed = startStopwatch()
  }

  let progress = await scenarios.arm(scenario)
  listener.armed(progress.id)
  for (let step = progress.steps[0]; step; step = progress.steps[results.length]) {
    if (results.some(({ status }) => status === 'failed')) end(step, 'skipped')
    else if (step.status === 'passed' || step.status === 'failed') end(step, step.status)
    else {
      // A clock step runs by itself.
      if (step.kind !== 'clock') listener.current(step)
      const { revision } = progress
      const isOver = reason !== undefined
      const waitSeconds = isOver ? 0 : Math.min(timeoutSeconds - elapsed() / 1000, MAX_POLL_SECONDS)
      const news =
        isOver || waitSeconds > 0
          ? await poll(progress, { waitSeconds, scenarios, over })
          : undefined
      if (news) progress = news
      if (!news && (isOver || waitSeconds > 0)) end({ ...step, detail: REMOVED }, 'failed')
      else if (isOver && news?.revision === revision)
        end({ ...step, detail: unreached(step, reason) }, 'failed')
      else if (!news) {
        end({ ...step, detail: timeoutProblem(step, timeoutSeconds) }, 'failed')
        listener.timedOut()
      }
    }
  }
  await scenarios.remove(progress.id).catch(ignoreMissing)
  return results
}

const REMOVED = 'the scenario was removed: the sandbox was reset'

/** The present progress; `undefined` when the scenario is gone. */
async function poll(
  progress: ScenarioProgress,
  {
    waitSeconds,
    scenarios,
    over,
  }: { waitSeconds: number; scenarios: SandboxApi['scenarios']; over: Promise<void> | undefined },
) {
  const { id, revision } = progress
  try {
    const asked = scenarios.get(id, { waitSeconds, after: revision })
    return await (over === undefined || waitSeconds === 0
      ? asked
      : Promise.race([asked, over.then(() => progress)]))
  } catch (error) {
    ignoreMissing(error)
    return undefined
  }
}

const unreached = ({ detail }: StepProgress, reason: string | undefined) =>
  `not reached: ${reason}${detail === undefined ? '' : `; ${detail}`}`

function timeoutProblem({ kind, summary, detail }: StepProgress, timeoutSeconds: number): string {
  const [flow = ''] = summary.split(/[ :]/)
  const awaited = kind === 'await' ? `${flow} call` : `${flow} request`
  const within = `within ${timeoutSeconds} second${timeoutSeconds === 1 ? '' : 's'}`
  return detail === undefined ? `no ${awaited} came ${within}` : `not met ${within}; ${detail}`
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof SandboxError && error.status === 404)) throw error
}
