import type { ChildProcess } from 'node:child_process'
import type { TerminalOptions } from '../report/terminal.ts'
import type { WriteFiles } from '../report/write-reports.ts'
import type { AppStart } from './start-plan.ts'

/** What the command line provides. The audit itself does not print and starts no programs. */
export interface AuditHost extends Pick<TerminalOptions, 'colour'> {
  readonly environment: Readonly<Record<string, string | undefined>>
  /**
   * Replaces the last line of the terminal; an empty text removes the line. `undefined` without a
   * terminal.
   */
  readonly redraw: ((text: string) => void) | undefined
  /** Writes a line of progress, which is not part of the result. */
  note(line: string): void
  /** Writes a line of the result. The line goes to stderr if a report goes to standard output. */
  say(line: string): void
  warn(message: string): void
  writeFiles: WriteFiles
  /** Starts a program. `stop` ends the program and its child processes. */
  startGroup(run: AppStart['run'], options: Pick<AppStart, 'env'>): StartedGroup
  /** Masks secrets in the output of an app. */
  mask(text: string): string
}

interface StartedGroup {
  readonly child: Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr'>
  readonly ended: Promise<{ readonly reason: string }>
  stop(): Promise<void>
}
