import type { AuditedRow, FailOn } from '../sandbox/outcomes/audit-report.ts'
import type { StartPage } from './agent/browser.ts'

/** How the pages of one flow are reached and read. */
export interface FlowOptions {
  /** Where the browser goes to begin it: in Create after `create_requested`, in Upgrade after a code came. */
  readonly start?: StartPage | undefined
  /** The rule by which success is known: `get=/me status=200`. */
  readonly accepted?: string | undefined
  /** The rule by which a refusal is known. */
  readonly refused?: string | undefined
}

/** A finding that is accepted for now. */
export interface KnownFinding {
  /** `use/id_token.kid_empty` */
  readonly row: string
  readonly because: string
  /** ISO 8601 date, UTC: after that day it is a finding again. */
  readonly until?: string | undefined
}

export interface AuditOptions {
  readonly use?: FlowOptions | undefined
  readonly create?: FlowOptions | undefined
  readonly upgrade?: FlowOptions | undefined
  /** The age that the page is for, when the app asks for several thresholds. */
  readonly age?: number | undefined
  /** Patterns of rows: `use/id_token.*`, `family:signature`, `flow:create`, `cwe:347`, `level:must`. All when absent. */
  readonly only?: readonly string[] | undefined
  readonly skip?: readonly string[] | undefined
  /** Rows added after this version of the catalogue run and do not count. */
  readonly catalogue?: string | undefined
  readonly failOn?: FailOn | undefined
  readonly known?: readonly KnownFinding[] | undefined
  /** Visits at the same time (default 4). */
  readonly jobs?: number | undefined
  /** Of one visit (default 10). */
  readonly timeoutSeconds?: number | undefined
  /** Of the whole audit (default 300). */
  readonly budgetSeconds?: number | undefined
  /** How often a finding is looked at (default 2). */
  readonly repeat?: number | undefined
  /** Also rows that take long. */
  readonly slow?: boolean | undefined
  /** Ends the audit early. */
  readonly signal?: AbortSignal | undefined
  /** Hears of the stages and of each row that is judged. */
  onProgress?(progress: AuditProgress): void
}

export type AuditProgress =
  /** What was learned, in words. */
  | { readonly stage: 'learned'; readonly lines: readonly string[] }
  /** How many rows will be tried, and how long a visit took meanwhile. */
  | { readonly stage: 'planned'; readonly trials: number; readonly secondsPerVisit: number }
  | { readonly stage: 'row'; readonly done: number; readonly total: number; readonly row: AuditedRow }
  /** Of readings: sets that were tried, and of variants those that the app depends on. */
  | { readonly stage: 'reading'; readonly done: number; readonly total: number; readonly failing: number }
