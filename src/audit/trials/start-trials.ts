import type { SandboxApi } from '../../client/sandbox-api.ts'
import { rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../sandbox/outcomes/outcome.ts'
import type { FreshCopy, StartFresh } from '../drive/driver.ts'
import { readRun, type SeenRun, seeRun } from '../learn/learned-flow.ts'
import { withLog } from './refusing-check.ts'
import { findingOfVisit, visitAs } from './row-trial.ts'
import type { AuditRun, Trial, TrialFinding } from './trial.ts'

/** Why the rows of a document are not for an app. */
export const unread = (flow: string): string =>
  `your app does not read ${flow === 'jwks' ? 'the key set' : 'a discovery document'}, not at its start and not for a token`

interface SeenStart {
  readonly isRead: boolean
  /** The adult was let in without a read, which proves that the app needs no such document. */
  readonly isIn: boolean
  readonly isTrapped: boolean
  readonly failure?: FreshCopy['failure']
  readonly seen?: SeenRun | undefined
  readonly log: readonly string[]
}

/** Reads that the row answers: more than an app makes in a visit. */
const READS = 10_000

/**
 * Makes trials of the key set and of discovery. Each starts a copy of the app on its own tenant, in which the row answers every read. A
 * row of Use queues nothing there, so that the copy starts without a fault. Rows to accept come first: if the app reads a document in
 * none of these starts, no copy is started for the other rows of that document.
 */
export function createStarts(startFresh: StartFresh, { drive, learned: { use, personas }, signal }: AuditRun) {
  const reads = new Map<string, boolean>()

  async function start(row: AuditRow, mayRepeat = true): Promise<SeenStart> {
    const { flow, name: outcome, correctClient } = row
    const isVain = correctClient !== 'accept' && reads.get(flow) === false
    if (isVain) return { isRead: false, isIn: true, isTrapped: false, log: [] }
    const prepare = async (sandbox: SandboxApi) => {
      if (flow !== 'use') await sandbox.next({ flow, outcome, times: READS })
    }
    const copy = await startFresh({ prepare, signal })
    const { app, sandbox, failure } = copy
    try {
      const driver = app && drive(app)
      const seen = driver && (await seeRun(await visitAs(personas.adult, driver), use, driver))
      const calls = (await sandbox.flows.list({ audit: 'also' })).flatMap((one) => one.calls)
      const isTrapped = calls.some(({ endpoint }) => endpoint === 'trap')
      // A queued decision of an own tenant is held or partly used up once it was read.
      const [left] = await sandbox.expectations.list()
      const isRead = left === undefined || left.held_since !== undefined || left.remaining < left.times
      const isIn = seen !== undefined && readRun(seen, use).says === 'in'
      if (isRead || isIn || failure || !mayRepeat || signal.aborted) {
        reads.set(flow, isRead || !isIn || reads.get(flow) === true)
        return { isRead, isIn, isTrapped, failure, seen, log: await copy.log() }
      }
    } finally {
      await copy.close()
    }
    // The copy neither read the document nor let the adult in: another program may have taken its port.
    return start(row, false)
  }

  function findingOf(row: AuditRow, { isRead, isIn, isTrapped, failure, seen }: SeenStart): TrialFinding {
    const { observation, request, useFlow } = seen?.run ?? {}
    const flows = [useFlow ?? []].flat()
    const shown = failure
      ? `your app did not start: ${failure.problem}`
      : `your app showed ${observation?.summary ?? 'nothing'}`
    if (!isRead) {
      const evidence = isIn ? unread(row.flow) : `it read no reply of ${rowId(row)}; ${shown}`
      return { verdict: 'undetermined', reason: 'not_reached', evidence, flows }
    }
    // Decision: an app that ends because of what it read says no, and an app that hangs says nothing. Before the browser is sent to the
    // service, a page of 500 and above says that the app cannot begin: a no.
    const cannotBegin = failure?.isEnded || (observation && !request && observation.status >= 500)
    const says = cannotBegin ? 'out' : failure ? 'broke' : seen ? readRun(seen, use).says : 'unknown'
    const sign = isTrapped ? 'your app fetched the address that the reply named' : undefined
    const end = observation ?? { end: 'unreachable' as const, status: 0, summary: shown }
    const visit = { as: personas.adult, flows, sign, observation: end }
    return findingOfVisit(row, visit, { says, evidence: shown })
  }

  return (row: AuditRow): Trial<SeenStart> => ({
    name: rowId(row),
    row,
    runs: 'alone',
    drive: () => start(row),
    // Slower trials do not help against the rate limit of a copy that was started for one row.
    proof: (seen) => ({ ...withLog(findingOf(row, seen), seen.log, row.breaks), isLimited: false }),
  })
}
