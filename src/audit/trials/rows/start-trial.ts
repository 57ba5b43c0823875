import { rowId } from '../../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../../sandbox/outcomes/outcome.ts'
import type { SandboxApi } from '../../../server/client/sandbox-api.ts'
import type { FreshCopy, StartFresh } from '../../drive/driver.ts'
import type { FlowRun } from '../../drive/flow-run.ts'
import { type RunResult, readRun } from '../../learn/read-run.ts'
import { seeRun } from '../../learn/see-run.ts'
import type { AuditRun } from '../audit-run.ts'
import { runGoodFlow } from '../good-flow.ts'
import { withLog } from '../library-messages.ts'
import { type Trial, type TrialFinding, undetermined } from '../trial.ts'
import { hasCall } from './flow-traces.ts'
import { findingOfRow } from './row-finding.ts'

/** Why the rows of `jwks` or `discovery` are not for an app. */
export const unread = (flow: string): string =>
  `your app does not read ${flow === 'jwks' ? 'the key set' : 'a discovery document'}, not at its start and not for a token`

/** How often the row answers: more often than an app requests a document during a visit. */
const READS = 10_000

/** A fresh copy of the app after an adult has tried to get in. */
interface StartedCopy {
  readonly failure: FreshCopy['failure']
  /** The run of the adult; `undefined` when the copy did not start. */
  readonly run: FlowRun | undefined
  readonly says: RunResult['says'] | undefined
  /** Whether the copy requested the document with the row. */
  readonly isRead: boolean
  /** Whether the copy fetched the address that the row names. */
  readonly hasFetched: boolean
}

/**
 * Makes trials for rows of the key set and of discovery. Each trial starts a fresh copy of the app
 * on its own tenant, where every request for the document gets the row. For a row of Use nothing is
 * queued: the copy starts without a fault, as a control. Right answers must run first: if the app
 * never requests the document in these trials, the other rows start no copy.
 */
export function createStartTrials(
  startFresh: StartFresh,
  audit: AuditRun,
): (row: AuditRow) => Trial<TrialFinding> {
  const { learned, signal } = audit
  /** Whether the app reads a document, by the call name of the document. */
  const reads = new Map<string, boolean>()

  async function start(row: AuditRow, mayRepeat = true): Promise<TrialFinding> {
    const { flow } = row
    if (row.correctClient !== 'accept' && reads.get(flow) === false)
      return undetermined(unread(flow), 'not_reached')
    const copy = await startFresh({ prepare: (sandbox) => queueRow(row, sandbox), signal })
    try {
      const started = await useCopy(copy, audit)
      const { isRead, failure } = started
      // If the adult gets in and the app never read the document, the app does not need it.
      const isIn = started.says === 'in'
      if (isRead || isIn || failure || !mayRepeat || signal.aborted) {
        reads.set(flow, isRead || !isIn || reads.get(flow) === true)
        const finding = findingOfStart(row, started, learned.personas.adult)
        // The copy serves one row only, so slower trials would not help against its rate limit.
        return { ...withLog(finding, await copy.log(), row.breaks), isLimited: false }
      }
    } finally {
      await copy.close()
    }
    // The copy neither read the document nor let the adult in. Another program may have taken its
    // port, so the trial starts once more.
    return start(row, false)
  }

  return (row) => ({
    name: rowId(row),
    row,
    runs: 'alone',
    drive: () => start(row),
    proof: (finding) => finding,
  })
}

async function queueRow({ flow, name: outcome }: AuditRow, sandbox: SandboxApi): Promise<void> {
  if (flow !== 'use') await sandbox.next({ flow, outcome, times: READS })
}

/** Lets an adult use a copy, then looks at what the copy requested. */
async function useCopy(
  { app, sandbox, failure }: FreshCopy,
  { drive, learned: { use, personas } }: AuditRun,
): Promise<StartedCopy> {
  const driver = app && drive(app)
  const seen = driver && (await seeRun(await runGoodFlow(personas.adult, { driver }), use, driver))
  const flows = await sandbox.flows.list({ audit: 'also' })
  const [left] = await sandbox.expectations.list()
  return {
    failure,
    run: seen?.run,
    says: seen && readRun(seen, use).says,
    // A request for the document holds the queued decision or uses a part of it.
    isRead: left === undefined || left.held_since !== undefined || left.remaining < left.times,
    hasFetched: flows.some((flow) => hasCall(flow, 'trap')),
  }
}

function findingOfStart(row: AuditRow, started: StartedCopy, adult: string): TrialFinding {
  const { failure, run, isRead, hasFetched } = started
  const flows = run?.useFlow === undefined ? [] : [run.useFlow]
  const evidence = failure
    ? `your app did not start: ${failure.problem}`
    : `your app showed ${run?.observation.summary ?? 'nothing'}`
  if (!isRead) {
    const why =
      started.says === 'in' ? unread(row.flow) : `it read no reply of ${rowId(row)}; ${evidence}`
    return undetermined(why, 'not_reached', flows)
  }
  const sign = hasFetched ? 'your app fetched the address that the reply named' : undefined
  const observation = run?.observation ?? {
    end: 'unreachable' as const,
    status: 0,
    summary: evidence,
  }
  return findingOfRow(
    row,
    { as: adult, flows, sign, observation },
    { says: readStart(started), evidence },
  )
}

/**
 * Decision: an app that exits after reading the document refuses the row; an app that hangs is
 * broken. A status of 500 or above before the app redirects to the service is a refusal: the app
 * cannot begin a flow.
 */
function readStart({ failure, run, says }: StartedCopy): RunResult['says'] {
  if (failure) return failure.isEnded ? 'out' : 'broke'
  if (run && !run.request && run.observation.status >= 500) return 'out'
  return says ?? 'unknown'
}
