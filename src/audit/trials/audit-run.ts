import type { AppCopies, AuditedApp, Driver } from '../drive/driver.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import type { AuditRunOptions } from '../options.ts'

/** A running copy of the app, and its tenant. */
export interface Worker extends Pick<AuditedApp, 'sandbox' | 'program'> {
  /** `your app`, or the number of the copy. */
  readonly name: string
  readonly driver: Driver
}

/** An audit after learning. */
export interface AuditRun extends Pick<AppCopies, 'visitsEach' | 'startFresh'> {
  /** What the audit knows about the app. A good flow that ends on a new page replaces this. */
  learned: LearnedApp
  readonly workers: readonly Worker[]
  readonly options: AuditRunOptions
  /** Whether a function of a test suite drives the app. */
  readonly isVisited: boolean
  /** When the audit began, in ISO 8601, by the clock of this machine. */
  readonly today: string
  /** Ends the audit early: the budget is used up, or the user has interrupted the audit. */
  readonly signal: AbortSignal
  /** Notes for the report, one line each. The scheduler appends notes. */
  readonly notes: string[]
  drive(app: AuditedApp): Driver
}
