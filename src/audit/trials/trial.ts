import type { AuditRow, ClientCheck } from '../../sandbox/outcomes/outcome.ts'
import type { VerdictName } from '../../sandbox/outcomes/report/audit-report.ts'
import type { AppCopies, AuditedApp, Driver } from '../drive/driver.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import type { AuditRunOptions } from '../options.ts'

/** A running copy of the app, and its tenant. */
export interface Worker extends Pick<AuditedApp, 'sandbox' | 'program'> {
  /** `your app`, or the number of the copy. */
  readonly name: string
  readonly driver: Driver
}

export interface AuditRun extends Pick<AppCopies, 'visitsEach' | 'startFresh'> {
  readonly learned: LearnedApp
  readonly workers: readonly Worker[]
  readonly options: AuditRunOptions
  /** Whether a function of a test suite drives the app. */
  readonly isVisited: boolean
  readonly today: string
  /** Ends the audit early: the budget is used up, or the user has interrupted it. */
  readonly signal: AbortSignal
  /** Notes of the report, in one line each; the runner adds to them. */
  readonly notes: string[]
  drive(app: AuditedApp): Driver
}

export interface TrialFinding {
  readonly verdict: VerdictName
  /** A `Reason`, or in words why a row is not for this app. */
  readonly reason?: string | undefined
  /** A sentence. */
  readonly evidence: string
  readonly flows: readonly string[]
  /** Whether the app answered that there were too many requests. */
  readonly isLimited?: boolean | undefined
  /** The last lines of the log during the visit; absent when they may belong to another visit. */
  readonly log?: readonly string[] | undefined
  /** The check that the log names as the refusing one. */
  readonly refusedBy?: ClientCheck | undefined
}

export interface Trial<Seen = unknown> {
  readonly name: string
  readonly row?: AuditRow
  /** Trials `in turn` run one after the other, beside the rest: the journal does not say to which of them a call of the app belongs. */
  readonly runs: 'beside' | 'in turn' | 'alone'
  drive(worker: Worker): Promise<Seen>
  /** The verdict by what is known of the app now. */
  proof(seen: Seen): TrialFinding
  /** Reads the same browsers again, some seconds later; absent when no page can be requested again. */
  lookAgain?(seen: Seen, worker: Worker): Promise<Seen>
}
