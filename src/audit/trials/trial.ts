import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Reason, VerdictName } from '../../sandbox/outcomes/audit-report.ts'
import type { Check } from '../../sandbox/outcomes/outcome.ts'
import type { AppProgram } from '../drive/audited-app.ts'
import type { Cast } from '../drive/cast.ts'
import type { Driver } from '../drive/driver.ts'

/** A running copy of the app, and the tenant that it uses. */
export interface Stage {
  /** `your app`, or which copy of it, for messages. */
  readonly name: string
  readonly sandbox: SandboxApi
  readonly driver: Driver
  readonly cast: Cast
  /** Absent when the audit did not start the app. */
  readonly program?: AppProgram | undefined
}

/** What was found out. */
export interface Finding {
  readonly verdict: VerdictName
  readonly reason?: Reason | undefined
  /** A sentence. */
  readonly evidence: string
  readonly flows: readonly string[]
  /** The app answers that there were too many requests. */
  readonly isLimited?: boolean | undefined
  /** The last lines that the app wrote meanwhile; absent when they may belong to another visit. */
  readonly log?: readonly string[] | undefined
  /** The check that the log names as the one that refused. */
  readonly refusedBy?: Check | undefined
}

/** One thing that an app is tried by. */
export interface Trial<Seen = unknown> {
  /** `use/id_token.expired` */
  readonly name: string
  /** It cannot run beside others: the journal does not say which run a call of it belongs to. */
  readonly runsAlone: boolean
  /** Drives the app; gives all that was seen. */
  drive(stage: Stage): Promise<Seen>
  /** What that proves, by what is known of the app at this time. */
  proof(seen: Seen): Finding
  /** Looks again, later, at what the app shows its user then. Absent when nothing can be looked at. */
  lookAgain?(seen: Seen, stage: Stage): Promise<Seen>
  /** Adds what the log of the app says. */
  withLog?(finding: Finding, lines: readonly string[]): Finding
}

export const isFinding = ({ verdict }: Pick<Finding, 'verdict'>): boolean =>
  verdict === 'let in' || verdict === 'too strict' || verdict === 'broke' || verdict === 'ignored'
