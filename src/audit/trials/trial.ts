import type { AuditRow, ClientCheck } from '../../sandbox/outcomes/outcome.ts'
import type { VerdictName } from '../report/audit-report.ts'
import type { Worker } from './audit-run.ts'

/** One experiment with the app. The scheduler may run a trial several times. */
export interface Trial<Seen = unknown> {
  readonly name: string
  readonly row?: AuditRow
  /**
   * - `beside`: at the same time as other trials of the worker
   * - `in turn`: one such trial at a time, because the journal cannot tell their calls apart
   * - `alone`: while the worker runs nothing else
   */
  readonly runs: 'beside' | 'in turn' | 'alone'
  drive(worker: Worker): Promise<Seen>
  /** Judges a run by what the audit knows about the app at this time. */
  proof(seen: Seen): TrialFinding
  /**
   * Requests the pages again in the same browsers, some seconds later. Absent if no page can be
   * requested again.
   */
  lookAgain?(seen: Seen, worker: Worker): Promise<Seen>
}

/** What a trial showed about the app. */
export interface TrialFinding {
  readonly verdict: VerdictName
  /** A `Reason`, or a sentence that says why a row is not for this app. */
  readonly reason?: string | undefined
  /** A sentence. */
  readonly evidence: string
  /** Ids of flows in the journal. */
  readonly flows: readonly string[]
  /** Whether the app answered 429 (Too Many Requests). */
  readonly isLimited?: boolean | undefined
  /** Lines of the app's log during the visit; absent if they may belong to another visit. */
  readonly log?: readonly string[] | undefined
  /** The failed check that the log names. */
  readonly refusedBy?: ClientCheck | undefined
}

export function undetermined(
  evidence: string,
  reason?: string,
  flows: readonly string[] = [],
): TrialFinding {
  return { verdict: 'undetermined', reason, evidence, flows }
}
