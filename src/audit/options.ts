import type { StartPage } from './agent/browser.ts'
import type { AuditChoices } from './choices.ts'
import type { AuditedRow } from './report/audit-report.ts'

export interface FlowOptions {
  /** Where the browser begins the flow: Create after `create_requested`, Upgrade after a code. */
  readonly start?: StartPage | undefined
  /** The rules by which success and a refusal are known: `get=/me status=200`. */
  readonly accepted?: string | undefined
  readonly refused?: string | undefined
}

/** Defaults of `AuditOptions`. */
export const DEFAULTS = { timeoutSeconds: 10, budgetSeconds: 300, repeat: 2, jobs: 4 } as const

export interface AuditRunOptions extends AuditChoices {
  readonly use?: FlowOptions | undefined
  readonly create?: FlowOptions | undefined
  readonly upgrade?: FlowOptions | undefined
  /** The minimum age of the page, when the app asks for several thresholds. */
  readonly age?: number | undefined
  readonly jobs?: number | undefined
  /** Seconds for the whole audit. */
  readonly budgetSeconds?: number | undefined
  /** How often a finding is tried. */
  readonly repeat?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called with the stages and with each judged row. */
  onProgress?(progress: AuditProgress): void
}

export type AuditProgress =
  | { readonly stage: 'learned'; readonly lines: readonly string[] }
  /** The number of rows to try, and the duration of a visit while the app was learned. */
  | { readonly stage: 'planned'; readonly trials: number; readonly secondsPerVisit: number }
  | {
      readonly stage: 'row'
      readonly done: number
      readonly total: number
      readonly row: AuditedRow
    }
  /** For readings: tried sets of variants, and the number of variants that fail. */
  | {
      readonly stage: 'reading'
      readonly done: number
      readonly total: number
      readonly failing: number
    }
