import { visible } from '../../service/text/visible.ts'
import type { AuditProgress } from '../options.ts'
import type { VerdictName } from '../report/audit-report.ts'
import type { AuditHost } from './audit-host.ts'

/** Shows the progress of an audit. */
export interface Progress {
  show(news: AuditProgress): void
  /** Removes the progress line. */
  end(): void
}

interface ProgressLimits {
  readonly jobs: number
  readonly budgetSeconds: number
  readonly signal: AbortSignal
}

/** Without a terminal, one line is written per this number of rows or readings. */
const EVERY_ROWS = 25

const COUNTED: readonly VerdictName[] = ['let in', 'ignored', 'broke', 'too strict', 'undetermined']

export function createProgress(
  { redraw, note, say }: Pick<AuditHost, 'redraw' | 'note' | 'say'>,
  { jobs, budgetSeconds, signal }: ProgressLimits,
): Progress {
  const verdicts = new Map<string, VerdictName>()

  function warnOfBudget(seconds: number): void {
    if (seconds > budgetSeconds)
      say(
        `this takes about ${seconds} s, more than --budget ${budgetSeconds}: raise it, or choose rows by --only`,
      )
  }

  function countVerdicts(): string[] {
    const all = [...verdicts.values()]
    const counts = COUNTED.map((name) => ({
      name,
      count: all.filter((verdict) => verdict === name).length,
    }))
    return counts.filter(({ count }) => count > 0).map(({ name, count }) => `${count} ${name}`)
  }

  function showCount(news: Extract<AuditProgress, { readonly done: number }>): void {
    const { stage, done, total } = news
    if (stage === 'row') verdicts.set(news.row.row, news.row.verdict)
    const found = countVerdicts()
    if (stage === 'reading' && news.failing > 0) found.push(`${news.failing} that it depends on`)
    const text = [`${stage}s ${done}/${total}`, ...found].join(', ')
    if (redraw) redraw(text)
    else if (done % EVERY_ROWS === 0 || done === total) note(text)
  }

  return {
    show(news) {
      switch (news.stage) {
        case 'learned':
          for (const line of ['learned:', ...news.lines.map((one) => `  ${one}`)])
            say(visible(line))
          break
        case 'planned':
          // Rounded to two significant digits: 397 becomes 400.
          warnOfBudget(Number(((news.trials * news.secondsPerVisit) / jobs).toPrecision(2)))
          break
        default:
          if (!signal.aborted) showCount(news)
      }
    },
    end: () => redraw?.(''),
  }
}
