import type { StartPage } from './agent/browser.ts'
import type { AuditChoices } from './choices.ts'
import type { AuditedRow } from './report/audit-report.ts'

export interface FlowOptions {
  /** The page that begins the flow: Create after `create_requested`, Upgrade after a code. */
  readonly start?: StartPage | undefined
  /** A rule that recognises success, and a rule that recognises a refusal: `get=/me status=200`. */
  readonly accepted?: string | undefined
  readonly refused?: string | undefined
}

/** Defaults of `AuditRunOptions`. */
export const DEFAULTS = { timeoutSeconds: 10, budgetSeconds: 300, repeat: 2, jobs: 4 } as const

export interface AuditRunOptions extends AuditChoices {
  readonly use?: FlowOptions | undefined
  readonly create?: FlowOptions | undefined
  readonly upgrade?: FlowOptions | undefined
  /** The minimum age that the page requires, in years, if the app requests several thresholds. */
  readonly age?: number | undefined
  readonly jobs?: number | undefined
  /** Seconds for the whole audit. */
  readonly budgetSeconds?: number | undefined
  /** How many runs a finding gets, the first run included. */
  readonly repeat?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called after each stage and each judged row. */
  onProgress?(progress: AuditProgress): void
}

export type AuditProgress =
  | { readonly stage: 'learned'; readonly lines: readonly string[] }
  /** The number of rows to try, and the average duration of a visit while the app was learned. */
  | { readonly stage: 'planned'; readonly trials: number; readonly secondsPerVisit: number }
  | {
      readonly stage: 'row'
      readonly done: number
      readonly total: number
      readonly row: AuditedRow
    }
  /** For readings: how many sets of variants were tried, and how many variants fail. */
  | {
      readonly stage: 'reading'
      readonly done: number
      readonly total: number
      readonly failing: number
    }
