import type { CheckVerdict, FailOn, VerdictName } from '../../sandbox/outcomes/audit-report.ts'
import type { Level, OutcomeFlow } from '../../sandbox/outcomes/outcome.ts'

/** What an audit found; `public/schemas/audit-report.schema.json` says the same for a file. */
export interface AuditReport {
  /** Of agekey-sandbox. */
  readonly version: string
  /** Version of the catalogue that was judged by. */
  readonly catalogue: string
  /** The redirect_uri of the app. */
  readonly app: string
  /** What drove the app. */
  readonly agent: string
  /** ISO 8601. */
  readonly started_at: string
  readonly seconds: number
  /** What the rows come to, the worst first. */
  readonly checks: readonly AuditedCheck[]
  readonly rows: readonly AuditedRow[]
  /** How many rows have each verdict. */
  readonly totals: Readonly<Partial<Record<VerdictName, number>>>
  /** What the whole run met, in one line each. */
  readonly notes: readonly string[]
  /** 0 all is well, 1 a finding, 2 nothing could be shown, 3 rows that count are undetermined. */
  readonly exit_code: 0 | 1 | 2 | 3
}

/** The verdict on one check of the app, which explains those on its rows. */
export interface AuditedCheck {
  /** `signature`; of a call its flow too: `par/status`; of right answers their family: `control`. */
  readonly check: string
  readonly title: string
  readonly verdict: CheckVerdict
  readonly reason?: string | undefined
  readonly flow: OutcomeFlow
  readonly level: Level
  readonly severity: number
  readonly rule: string
  readonly harm: string
  readonly evidence?: string | undefined
  /** The rows that show it, the worst first. */
  readonly rows: readonly string[]
  /** One flow to look at. */
  readonly flows: readonly string[]
  /** What to write, with this library. */
  readonly library?: string | undefined
  readonly lines?: string | undefined
  readonly refs: readonly string[]
  readonly cwe: readonly string[]
  readonly counted: boolean
}

/** The verdict on one row of the catalogue. */
export interface AuditedRow {
  /** `use/id_token.expired` */
  readonly row: string
  readonly flow: OutcomeFlow
  readonly family: string
  /** The checks of a relying party that the answer fails: `nonce`. */
  readonly checks: readonly string[]
  /** What is wrong with the answer. */
  readonly summary: string
  /** What a correct relying party checks. */
  readonly rule: string
  /** What is gained by an attacker or a child when it gets through. */
  readonly harm: string
  readonly level: Level
  /** 0 to 10, like a CVSS base score. */
  readonly severity: number
  readonly verdict: VerdictName
  /** Why it is undetermined, not for this app, known or stale. */
  readonly reason?: string | undefined
  /** What the app did, in a sentence. */
  readonly evidence?: string | undefined
  /** The last lines that the app wrote meanwhile, without secrets, when they belong to this row. */
  readonly log?: readonly string[] | undefined
  /** The check that refused, by a message of a client library in the log: `nonce`. */
  readonly refused_by?: string | undefined
  /** Flows in the journal of the sandbox. */
  readonly flows: readonly string[]
  /** Sections of specifications. */
  readonly refs: readonly string[]
  /** `CWE-347` */
  readonly cwe: readonly string[]
  /** Whether the verdict counts for the exit code. */
  readonly counted: boolean
}

/** A finding that is accepted for now. */
export interface KnownFinding {
  /** `use/id_token.kid_empty` */
  readonly row: string
  readonly because: string
  /** ISO 8601 date, UTC: after that day it is a finding again. */
  readonly until?: string | undefined
}

/** What the audits of a function have in common. */
export interface AuditChoices {
  /** Patterns of rows: `use/id_token.*`, `family:signature`, `flow:create`, `cwe:347`, `level:must`. All when absent. */
  readonly only?: readonly string[] | undefined
  readonly skip?: readonly string[] | undefined
  /** From which level findings count (default `must`). */
  readonly failOn?: FailOn | undefined
  readonly known?: readonly KnownFinding[] | undefined
  /** Rows that came after this version of the catalogue do not count: an update then breaks no build. */
  readonly catalogue?: string | undefined
  /** Also rows that the sandbox answers after half a minute. */
  readonly slow?: boolean | undefined
  /** Of one visit (default 10). */
  readonly timeoutSeconds?: number | undefined
}
