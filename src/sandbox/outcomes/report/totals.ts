import type { AuditedRow, AuditReport, VerdictName } from '../audit-report.ts'
import { isFinding } from './findings.ts'

/** 2 when nothing was judged, 1 for a finding, 3 for an undetermined row, of those that count; else 0. */
export function exitCodeOf(rows: readonly AuditedRow[]): AuditReport['exit_code'] {
  const isJudged = ({ verdict }: AuditedRow) => verdict !== 'undetermined' && verdict !== 'not for this app'
  if (!rows.some(isJudged)) return 2
  const counted = rows.filter((row) => row.counted)
  if (counted.some(isFinding)) return 1
  return counted.some(({ verdict }) => verdict === 'undetermined') ? 3 : 0
}

/** How many rows have each verdict. */
export function totalsOf(rows: readonly AuditedRow[]): AuditReport['totals'] {
  const totals: Partial<Record<VerdictName, number>> = {}
  for (const { verdict } of rows) totals[verdict] = (totals[verdict] ?? 0) + 1
  return totals
}
