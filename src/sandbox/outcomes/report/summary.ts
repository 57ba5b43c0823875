import { type AuditedRow, type AuditReport, VERDICTS, type VerdictName } from '../audit-report.ts'
import { variantsThat } from './readings-text.ts'

export type Conclusion = 'passed' | 'failed' | 'undetermined' | 'nothing was judged'

/** What an audit came to. It never passes when no row was judged, or, of readings alone, when the app works under no variant. */
export function conclusionOf({ exit_code, totals, rows, readings }: AuditReport): Conclusion {
  if (exit_code === 1) return 'failed'
  const good =
    readings && rows.length === 0
      ? variantsThat('works', readings).length
      : (totals.refused ?? 0) + (totals.accepted ?? 0)
  if (exit_code === 2 || good === 0) return 'nothing was judged'
  return exit_code === 0 ? 'passed' : 'undetermined'
}

const IN_ORDER: readonly VerdictName[] = [
  'let in',
  'too strict',
  'stale',
  'ignored',
  'broke',
  'undetermined',
  ...VERDICTS,
]

/** Verdicts that rows have, and how many have each: findings first. */
export function totalsInOrder({ totals }: Pick<AuditReport, 'totals'>): (readonly [VerdictName, number])[] {
  return [...new Set(IN_ORDER)].flatMap((verdict) => {
    const count = totals[verdict] ?? 0
    return count === 0 ? [] : [[verdict, count] as const]
  })
}

/** Rows of a verdict by their reason; the reason that most rows have comes first. */
export function byReason({ rows }: AuditReport, verdict: VerdictName): (readonly [string, readonly AuditedRow[]])[] {
  const groups = new Map<string, AuditedRow[]>()
  for (const row of rows) {
    if (row.verdict !== verdict) continue
    const { reason = 'no reason is known' } = row
    groups.set(reason, [...(groups.get(reason) ?? []), row])
  }
  return [...groups].sort(([, one], [, other]) => other.length - one.length)
}
