import type { CallRecord } from '../../server/client/shapes.ts'
import type { AuditedApp } from '../drive/driver.ts'
import { inTurn } from '../drive/in-turn.ts'
import { describeErrors } from './check-learned.ts'
import { observed, type SeenRun } from './see-run.ts'

/** How far an app gets in Create or Upgrade with right answers. */
export interface LaterProgress {
  /** The rows that fail if the app gets no further. */
  readonly rows: readonly string[]
  readonly calls: readonly CallRecord[]
  /** The last step that the app completed. */
  readonly after?: string | undefined
  /** The step that the app did not make; `undefined` if the flow is complete. */
  readonly missing?: string | undefined
  /** A run that never reached Create. */
  readonly lost?: SeenRun | undefined
}

export const findProgress = (
  flow: 'create' | 'upgrade',
  runs: readonly SeenRun[],
  app: AuditedApp,
): Promise<LaterProgress> =>
  flow === 'create' ? progressOfCreate(runs, app) : progressOfUpgrade(runs, app)

async function progressOfCreate(
  runs: readonly SeenRun[],
  { sandbox }: AuditedApp,
): Promise<LaterProgress> {
  const lost = runs.find(({ run }) => !run.reachesCreate)
  if (!lost) return { rows: ['create/created'], calls: [], after: 'an age key was saved' }
  const after = lost.run.useFlow
  const flows = await sandbox.flows.list({ audit: 'also', flow: 'create', after })
  return {
    rows: ['use/create_requested', 'create/created'],
    calls: flows.flatMap(({ calls }) => calls),
    missing: 'began no Create flow after create_requested',
    lost,
  }
}

async function progressOfUpgrade(
  runs: readonly SeenRun[],
  { sandbox }: AuditedApp,
): Promise<LaterProgress> {
  const callsOfRuns = await inTurn(runs, async ({ run: { useFlow } }) =>
    useFlow === undefined ? [] : (await sandbox.flows.get(useFlow)).calls,
  )
  const isDone = (endpoint: string) =>
    callsOfRuns.every((calls) =>
      calls.some((call) => call.endpoint === endpoint && call.status === 200),
    )
  if (isDone('E5')) return { rows: [], calls: [] }
  const step = isDone('E4')
    ? { after: 'a right access token', missing: 'sent no upgrade (E5) after code_issued' }
    : { after: 'a code', missing: 'exchanged no code after code_issued' }
  return { ...step, rows: ['use/code_issued'], calls: callsOfRuns.flat() }
}

/** Whether the missing step may still follow: no call and no page has failed. */
export const isUnderWay = ({ missing, calls }: LaterProgress, runs: readonly SeenRun[]): boolean =>
  missing !== undefined &&
  calls.every(({ status }) => status < 400) &&
  observed(runs).every(({ status }) => status < 400)

/** What failed: a call that the sandbox refused, or the page of the app after its last step. */
export function failureOf(
  { calls, after }: LaterProgress,
  runs: readonly SeenRun[],
): string | undefined {
  const refused = calls.find(
    ({ status, endpoint }) => status >= 400 && ['E2', 'E4', 'E5'].includes(endpoint),
  )
  if (refused)
    return `the sandbox refuses ${refused.endpoint} of your app with ${refused.status}: ${describeErrors([refused])}`
  const failing = after && observed(runs).find(({ status }) => status >= 400)
  return failing ? `after ${after} your app showed ${failing.summary}` : undefined
}
