import { LEVELS, type Level, type OutcomeFlow } from '../sandbox/outcomes/outcome.ts'

/** What the audit says of a row. */
export const VERDICTS = [
  'refused',
  'accepted',
  'let in',
  'broke',
  'too strict',
  'observed',
  'undetermined',
  'not for this app',
  'known',
  'stale',
] as const
export type VerdictName = (typeof VERDICTS)[number]

/** Why a row is undetermined. */
export const REASONS = [
  'page_unknown',
  'timed_out',
  'not_delivered',
  'not_reached',
  'control_lost',
  'masked',
  'flaky',
] as const
export type Reason = (typeof REASONS)[number]

/** Levels from which findings count: `none` counts none. */
export const FAIL_ON = [...LEVELS, 'none'] as const
export type FailOn = (typeof FAIL_ON)[number]

export interface AuditedRow {
  /** Flow and name: `use/id_token.expired`. */
  readonly row: string
  readonly flow: OutcomeFlow
  readonly family: string
  readonly summary: string
  /** What a correct relying party checks. */
  readonly rule: string
  readonly harm: string
  readonly level: Level
  /** Like a CVSS base score: 0 to 10. */
  readonly severity: number
  readonly verdict: VerdictName
  /** Of an undetermined row one of `REASONS`; of `not for this app`, `known` and `stale` a sentence. */
  readonly reason?: string | undefined
  /** What the app did: a sentence. */
  readonly evidence?: string | undefined
  /** Flows in the journal of the sandbox. */
  readonly flows: readonly string[]
  readonly refs: readonly string[]
  /** `CWE-347` */
  readonly cwe: readonly string[]
  /** Whether its verdict counts for the exit code: by level, catalogue version and list of known findings. */
  readonly counted: boolean
}

/** What success and failure look like. */
export interface Learned {
  /** In words: `200 at /callback, "welcome"`. */
  readonly yes: string
  readonly no: readonly string[]
}

export interface AuditReport {
  readonly version: string
  /** Of the catalogue that was judged by. */
  readonly catalogue: string
  /** The page that the audit began at. */
  readonly app: string
  readonly agent: 'http'
  /** ISO 8601. */
  readonly started_at: string
  readonly seconds: number
  readonly learned: Readonly<Partial<Record<'use' | 'create' | 'upgrade', Learned>>>
  readonly rows: readonly AuditedRow[]
  /** How many rows have each verdict. */
  readonly totals: Readonly<Partial<Record<VerdictName, number>>>
  /** What the whole run met, in one line each: `your app answers 429 since row 38; ...`. */
  readonly notes: readonly string[]
  readonly exit_code: 0 | 1 | 2 | 3
}
