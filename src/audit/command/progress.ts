import { visible } from '../../files/visible.ts'
import type { AuditedRow, VerdictName } from '../../sandbox/outcomes/audit-report.ts'
import type { AuditProgress } from '../options.ts'
import type { AuditHost } from './session.ts'

const EVERY_ROWS = 25

const COUNTED: readonly VerdictName[] = ['let in', 'ignored', 'broke', 'too strict', 'undetermined']

/**
 * Says what was learned, warns of a budget that is too small, and shows how far an audit is: on a terminal by one line that changes,
 * else by a line for each 25 rows or readings.
 */
export function createProgress(
  { redraw, note, say }: Pick<AuditHost, 'redraw' | 'note' | 'say'>,
  { jobs, budgetSeconds, signal }: { jobs: number; budgetSeconds: number; signal: AbortSignal },
) {
  /** The rows until the audit was interrupted. */
  const judged: AuditedRow[] = []
  return {
    judged,
    show(news: AuditProgress): void {
      if (news.stage === 'learned')
        for (const text of ['learned:', ...news.lines.map((one) => `  ${one}`)]) say(visible(text))
      else if (news.stage === 'planned') {
        // In two digits: 397 is 400.
        const seconds = Number(((news.trials * news.secondsPerVisit) / jobs).toPrecision(2))
        if (seconds > budgetSeconds)
          say(`this takes about ${seconds} s, more than --budget ${budgetSeconds}: raise it, or choose rows by --only`)
      }
      // What ends by the interruption is no verdict.
      else if (!signal.aborted) {
        const { stage, done, total } = news
        if (stage === 'row') judged.push(news.row)
        const found = COUNTED.flatMap((name) => {
          const count = judged.filter(({ verdict }) => verdict === name).length
          return count > 0 ? [`${count} ${name}`] : []
        })
        if (stage === 'reading' && news.failing > 0) found.push(`${news.failing} that it depends on`)
        const text = [`${stage}s ${done}/${total}`, ...found].join(', ')
        if (redraw) redraw(text)
        else if (done % EVERY_ROWS === 0 || done === total) note(text)
      }
    },
    end: () => redraw?.(''),
  }
}
