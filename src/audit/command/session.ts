import type { ChildProcess } from 'node:child_process'
import type { ConnectedSandbox } from '../../client/connect-sandbox.ts'
import type { TerminalOptions } from '../report/terminal.ts'
import type { WriteFiles } from '../report/write-reports.ts'
import type { AppStart, AuditPlan } from './plan.ts'

/** What the command line hands in: an audit neither prints nor starts a program by itself. */
export interface AuditHost extends Pick<TerminalOptions, 'colour'> {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Draws the last line over again, and takes it away by an empty text; absent without a terminal. */
  readonly redraw: ((text: string) => void) | undefined
  /** Writes a line beside the answer. */
  note(line: string): void
  /** Writes a line of the answer, or beside it when a report goes to standard output. */
  say(line: string): void
  warn(message: string): void
  writeFiles: WriteFiles
  /** Starts a program; `stop` ends it and the programs that it started. */
  startGroup(run: AppStart['run'], options: Pick<AppStart, 'env'>): StartedGroup
  /** Takes secrets out of what an app writes. */
  mask(text: string): string
}

interface StartedGroup {
  readonly child: Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr'>
  readonly ended: Promise<{ readonly reason: string }>
  stop(): Promise<void>
}

/** The sandbox or tenant that an audit uses, with the base URL that apps use. */
export interface OpenSandbox extends ConnectedSandbox {
  /** When clients have to be told to trust it. */
  readonly certificate?: { readonly pem: string } | undefined
  /** The audit started it. */
  readonly isOwn: boolean
}

/** One run of the command. */
export interface AuditSession {
  readonly host: AuditHost
  readonly sandbox: OpenSandbox
  readonly plan: AuditPlan
  /** What is typed to audit the same app again. */
  readonly command: string
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}
