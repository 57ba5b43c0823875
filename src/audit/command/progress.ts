import type { VerdictName } from '../../sandbox/outcomes/audit-report.ts'
import type { AuditProgress } from '../options.ts'

/** Where progress is shown; `redraw` draws the last line of a terminal over again, and takes it away by an empty text. */
export type ProgressView = { readonly isTerminal: boolean } & Record<'redraw' | 'line', (text: string) => void>

const EVERY_ROWS = 25

const COUNTED: readonly VerdictName[] = ['let in', 'ignored', 'broke', 'too strict', 'undetermined']

/** Shows how far an audit is: on a terminal one line that changes, else a line for each 25 rows or readings. */
export function createProgress({ isTerminal, redraw, line }: ProgressView) {
  const counts = new Map<VerdictName, number>()
  return {
    show(news: Exclude<AuditProgress, { stage: 'learned' | 'planned' }>): void {
      const { done, total } = news
      if (news.stage === 'row') counts.set(news.row.verdict, (counts.get(news.row.verdict) ?? 0) + 1)
      const found = COUNTED.flatMap((name) => (counts.has(name) ? [`${counts.get(name)} ${name}`] : []))
      const failing = news.stage === 'reading' && news.failing > 0 ? [`${news.failing} that it depends on`] : []
      const text = [`${news.stage}s ${done}/${total}`, ...found, ...failing].join(', ')
      if (isTerminal) redraw(text)
      else if (done % EVERY_ROWS === 0 || done === total) line(text)
    },
    end(): void {
      if (isTerminal) redraw('')
    },
  }
}

/** What is said before the rows begin when they take longer than the budget; `undefined` when they do not. */
export function budgetWarning(
  { trials, secondsPerVisit, jobs }: { trials: number; secondsPerVisit: number; jobs: number },
  budgetSeconds: number,
): string | undefined {
  // In two digits: 397 is 400.
  const seconds = Number(((trials * secondsPerVisit) / jobs).toPrecision(2))
  if (seconds <= budgetSeconds) return undefined
  return `this takes about ${seconds} s, more than --budget ${budgetSeconds}: raise it, or choose rows by --only`
}
