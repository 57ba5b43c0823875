import type { AuditedRow } from '../sandbox/outcomes/report/audit-report.ts'
import type { StartPage } from './agent/browser.ts'
import type { AuditChoices } from './choices.ts'

export interface FlowOptions {
  /** Where the browser goes to begin it: in Create after `create_requested`, in Upgrade after a code came. */
  readonly start?: StartPage | undefined
  /** The rules by which success and a refusal are known: `get=/me status=200`. */
  readonly accepted?: string | undefined
  readonly refused?: string | undefined
}

/** Of `AuditOptions`. */
export const DEFAULTS = { timeoutSeconds: 10, budgetSeconds: 300, repeat: 2, jobs: 4 } as const

export interface AuditRunOptions extends AuditChoices {
  readonly use?: FlowOptions | undefined
  readonly create?: FlowOptions | undefined
  readonly upgrade?: FlowOptions | undefined
  /** The age that the page is for, when the app asks for several thresholds. */
  readonly age?: number | undefined
  readonly jobs?: number | undefined
  /** Of the whole audit. */
  readonly budgetSeconds?: number | undefined
  /** How often a finding is looked at. */
  readonly repeat?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Hears of the stages and of each row that is judged. */
  onProgress?(progress: AuditProgress): void
}

export type AuditProgress =
  | { readonly stage: 'learned'; readonly lines: readonly string[] }
  /** How many rows will be tried, and how long a visit took meanwhile. */
  | { readonly stage: 'planned'; readonly trials: number; readonly secondsPerVisit: number }
  | { readonly stage: 'row'; readonly done: number; readonly total: number; readonly row: AuditedRow }
  /** Of readings: sets that were tried, and of variants those that the app depends on. */
  | { readonly stage: 'reading'; readonly done: number; readonly total: number; readonly failing: number }
