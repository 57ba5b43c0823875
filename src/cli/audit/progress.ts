import type { AuditProgress } from '../../audit/options.ts'
import type { VerdictName } from '../../sandbox/outcomes/audit-report.ts'

/** Where progress is shown. */
export interface ProgressView {
  readonly isTerminal: boolean
  /** Draws the last line of the terminal over again; an empty text takes it away. */
  redraw(text: string): void
  line(text: string): void
}

const EVERY_ROWS = 25

/** The verdicts that are worth counting on the way. */
const COUNTED: readonly VerdictName[] = ['let in', 'ignored', 'broke', 'too strict', 'undetermined']

/** Shows how far an audit is: on a terminal one line that changes, else a line for each 25 rows or readings. */
export function createProgress({ isTerminal, redraw, line }: ProgressView) {
  const counts = new Map<VerdictName, number>()
  return {
    row({ done, total, row: { verdict } }: Extract<AuditProgress, { stage: 'row' }>): void {
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
      const found = COUNTED.flatMap((name) => (counts.has(name) ? [`${counts.get(name)} ${name}`] : []))
      const text = [`rows ${done}/${total}`, ...found].join(', ')
      if (isTerminal) redraw(text)
      else if (done % EVERY_ROWS === 0 || done === total) line(text)
    },
    reading({ done, total, failing }: Extract<AuditProgress, { stage: 'reading' }>): void {
      const text = `readings ${done}/${total}${failing === 0 ? '' : `, ${failing} that it depends on`}`
      if (isTerminal) redraw(text)
      else if (done % EVERY_ROWS === 0 || done === total) line(text)
    },
    end(): void {
      if (isTerminal) redraw('')
    },
  }
}
