import type { AuditRow, ClientCheck } from '../../sandbox/outcomes/outcome.ts'
import type { VerdictName } from '../report/audit-report.ts'
import type { Worker } from './audit-run.ts'

/** An attempt to show something about the app. The scheduler may run the trial several times. */
export interface Trial<Seen = unknown> {
  readonly name: string
  readonly row?: AuditRow
  /**
   * `beside` other trials of the same worker, `in turn` with the trials of this kind, or `alone`.
   * `in turn`: the journal does not say to which of these trials a call of the app belongs.
   */
  readonly runs: 'beside' | 'in turn' | 'alone'
  drive(worker: Worker): Promise<Seen>
  /** The verdict by what is known of the app now. */
  proof(seen: Seen): TrialFinding
  /**
   * Requests the pages once more in the same browsers, some seconds later; absent when no page can
   * be requested again.
   */
  lookAgain?(seen: Seen, worker: Worker): Promise<Seen>
}

/** What a trial showed about the app. */
export interface TrialFinding {
  readonly verdict: VerdictName
  /** A `Reason`, or a sentence about why a row is not for this app. */
  readonly reason?: string | undefined
  /** A sentence. */
  readonly evidence: string
  readonly flows: readonly string[]
  /** Whether the app answered that there were too many requests. */
  readonly isLimited?: boolean | undefined
  /** The last lines of the log during the visit; absent when they may belong to another visit. */
  readonly log?: readonly string[] | undefined
  /** The check that refused, by the log. */
  readonly refusedBy?: ClientCheck | undefined
}

export function undetermined(
  evidence: string,
  reason?: string,
  flows: readonly string[] = [],
): TrialFinding {
  return { verdict: 'undetermined', reason, evidence, flows }
}
