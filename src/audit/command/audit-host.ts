import type { ChildProcess } from 'node:child_process'
import type { TerminalOptions } from '../report/terminal.ts'
import type { WriteFiles } from '../report/write-reports.ts'
import type { AppStart } from './start-plan.ts'

/** What the command line provides: an audit itself neither prints nor starts a program. */
export interface AuditHost extends Pick<TerminalOptions, 'colour'> {
  readonly environment: Readonly<Record<string, string | undefined>>
  /**
   * Replaces the last line of the terminal; an empty text removes it. Absent without a terminal.
   */
  readonly redraw: ((text: string) => void) | undefined
  /** Writes a line that is not part of the result. */
  note(line: string): void
  /** Writes a line of the result; to stderr when a report goes to standard output. */
  say(line: string): void
  warn(message: string): void
  writeFiles: WriteFiles
  /** Starts a program; `stop` ends it and the programs that it started. */
  startGroup(run: AppStart['run'], options: Pick<AppStart, 'env'>): StartedGroup
  /** Masks secrets in the output of an app. */
  mask(text: string): string
}

interface StartedGroup {
  readonly child: Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr'>
  readonly ended: Promise<{ readonly reason: string }>
  stop(): Promise<void>
}
