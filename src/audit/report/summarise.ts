import {
  type AuditedCheck,
  type AuditedRow,
  type AuditReport,
  FINDINGS,
  VERDICTS,
} from './audit-report.ts'
import { checksOf } from './checks-of.ts'
import { judgedOf } from './points.ts'

/** Parts of a report. `checks` contributes only its library and its checks without rows. */
interface ReportParts extends Partial<Pick<AuditReport, 'checks' | 'readings'>> {
  readonly library?: string | undefined
}

/** Summarises rows: their checks, totals and exit code. */
export function summarise(
  rows: readonly AuditedRow[],
  { readings, checks: known = [], library }: ReportParts = {},
): Pick<AuditReport, 'checks' | 'rows' | 'totals' | 'exit_code'> {
  const checks = checksOf(
    rows,
    library ?? known.find((one) => one.library)?.library,
    known.find(isOfNoRow),
  )
  return { checks, rows, totals: totalsOf(rows), exit_code: exitCodeOf(rows, readings, checks) }
}

const isOfNoRow = ({ rows }: AuditedCheck): boolean => rows.length === 0

/**
 * The exit code of an audit: 1 for a counted finding, 2 if nothing was judged, 3 for a counted row
 * that is undetermined, otherwise 0. Decision: readings count only on request, because the
 * specification allows an app to depend on them.
 */
export function exitCodeOf(
  rows: readonly AuditedRow[],
  readings?: AuditReport['readings'],
  checks: readonly AuditedCheck[] = [],
): AuditReport['exit_code'] {
  const tried = judgedOf(readings)
  const counted = [...rows, ...checks.filter(isOfNoRow), ...tried].filter((one) => one.counted)
  const verdicts = new Set<string>(counted.map(({ verdict }) => verdict))
  if (FOUND.some((one) => verdicts.has(one))) return 1
  const judged = rows.length > 0 ? rows : tried
  if (judged.every(({ verdict }) => verdict === 'undetermined' || verdict === 'not for this app'))
    return 2
  const isOpen = readings?.counted && readings.combinations.undetermined.length > 0
  return isOpen || verdicts.has('undetermined') ? 3 : 0
}

const FOUND = [...FINDINGS, 'missing', 'depends on', 'fails under']

/** Counts the rows of each verdict, findings first. Verdicts without rows are left out. */
export const totalsOf = (rows: readonly AuditedRow[]): AuditReport['totals'] =>
  Object.fromEntries(
    VERDICTS.map((verdict) => [
      verdict,
      rows.filter((row) => row.verdict === verdict).length,
    ]).filter(([, count]) => count),
  )
