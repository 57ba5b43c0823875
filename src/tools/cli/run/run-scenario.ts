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
  /** Seconds since the step before ended. */
  readonly seconds: number
}

/** A scenario that ran or was skipped. */
export interface ScenarioRun {
  readonly name: string
  readonly file: string
  readonly steps: readonly StepResult[]
}

/** Gets the events of a running scenario. */
export interface StepListener {
  armed(id: string): void
  /** A step is awaited. Repeats after each long poll, and after a request that did not match. */
  current(step: StepProgress): void
  ended(step: StepResult): void
  /** No request met a step in time. */
  timedOut(): void
}

/** How long a run waits for a step, and the listener. */
export interface RunLimits {
  readonly timeoutSeconds: number
  readonly listener: StepListener
  /** Resolves with the reason when the app under test has ended. This ends the wait for a step. */
  readonly early?: Promise<string> | undefined
}

/** Maximum number of seconds of one long poll. A step may wait longer. */
const MAX_POLL_SECONDS = 30

/**
 * Arms a scenario and follows its steps, up to the first step that fails or is not met within
 * `timeoutSeconds`. Then removes the scenario, so that it decides no later request.
 */
export async function runScenario(
  scenario: Scenario,
  { scenarios }: Pick<SandboxApi, 'scenarios'>,
  { timeoutSeconds, listener, early }: RunLimits,
): Promise<StepResult[]> {
  const app = watchApp(early)
  const steps = createStepList(listener)
  let progress = await scenarios.arm(scenario)
  listener.armed(progress.id)
  for (let step = progress.steps[0]; step; step = progress.steps[steps.results.length]) {
    if (steps.hasFailed()) {
      steps.end(step, 'skipped')
      continue
    }
    if (step.status === 'passed' || step.status === 'failed') {
      steps.end(step, step.status)
      continue
    }
    // A clock step runs by itself.
    if (step.kind !== 'clock') listener.current(step)
    const secondsLeft = timeoutSeconds - steps.secondsOfStep()
    const waited = await awaitStep(step, progress, { scenarios, secondsLeft, app })
    if (waited.kind === 'progress') {
      progress = waited.progress
      continue
    }
    const isTimedOut = waited.kind === 'timed_out'
    const detail = isTimedOut ? timeoutProblem(step, timeoutSeconds) : waited.detail
    steps.end({ ...step, detail }, 'failed')
    if (isTimedOut) listener.timedOut()
  }
  await scenarios.remove(progress.id).catch(ignoreMissing)
  return steps.results
}

/** The results of the steps that have ended. */
interface StepList {
  readonly results: StepResult[]
  hasFailed(): boolean
  /** Seconds since the last step ended. */
  secondsOfStep(): number
  /** Adds the result of a step and reports the result. */
  end(step: StepProgress, status: StepResult['status']): void
}

function createStepList(listener: StepListener): StepList {
  const results: StepResult[] = []
  let elapsedMs = startStopwatch()
  return {
    results,
    hasFailed: () => results.some(({ status }) => status === 'failed'),
    secondsOfStep: () => elapsedMs() / 1000,
    end({ index, kind, summary, detail, mismatches }, status) {
      const result = {
        index,
        kind,
        summary,
        status,
        seconds: Math.round(elapsedMs()) / 1000,
        ...(detail !== undefined && { detail }),
        ...(mismatches && { mismatches }),
      }
      results.push(result)
      listener.ended(result)
      elapsedMs = startStopwatch()
    },
  }
}

/** The app under test. */
interface WatchedApp {
  /** Resolves when the app has ended; absent when no app is watched. */
  readonly ended: Promise<void> | undefined
  /** Why the app ended; `undefined` while the app runs. */
  reason(): string | undefined
}

function watchApp(early: Promise<string> | undefined): WatchedApp {
  let reason: string | undefined
  const ended = early?.then((ending) => {
    reason = ending
  })
  return { ended, reason: () => reason }
}

/** The end of one wait for a step. */
type Waited =
  | { readonly kind: 'progress'; readonly progress: ScenarioProgress }
  | { readonly kind: 'failed'; readonly detail: string }
  | { readonly kind: 'timed_out' }

interface WaitOptions {
  readonly scenarios: SandboxApi['scenarios']
  readonly secondsLeft: number
  readonly app: WatchedApp
}

/** Waits until the scenario advances. After the end of the app, checks once without waiting. */
async function awaitStep(
  step: StepProgress,
  progress: ScenarioProgress,
  { scenarios, secondsLeft, app }: WaitOptions,
): Promise<Waited> {
  const reason = app.reason()
  if (reason === undefined && secondsLeft <= 0) return { kind: 'timed_out' }
  const waitSeconds = reason === undefined ? Math.min(secondsLeft, MAX_POLL_SECONDS) : 0
  const news = await poll(progress, { waitSeconds, scenarios, ended: app.ended })
  if (!news) return { kind: 'failed', detail: REMOVED }
  const isUnreached = reason !== undefined && news.revision === progress.revision
  return isUnreached
    ? { kind: 'failed', detail: unreached(step, reason) }
    : { kind: 'progress', progress: news }
}

const REMOVED = 'the scenario was removed: the sandbox was reset'

interface PollOptions {
  readonly waitSeconds: number
  readonly scenarios: SandboxApi['scenarios']
  /** Resolves to end the wait early. */
  readonly ended: Promise<void> | undefined
}

/** The current progress; `undefined` if the scenario no longer exists. */
async function poll(
  progress: ScenarioProgress,
  { waitSeconds, scenarios, ended }: PollOptions,
): Promise<ScenarioProgress | undefined> {
  const { id, revision } = progress
  try {
    const asked = scenarios.get(id, { waitSeconds, after: revision })
    if (ended === undefined || waitSeconds === 0) return await asked
    return await Promise.race([asked, ended.then(() => progress)])
  } catch (error) {
    ignoreMissing(error)
    return undefined
  }
}

const unreached = ({ detail }: StepProgress, reason: string) =>
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
