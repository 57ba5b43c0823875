import type { AuditedRow, AuditReport, VerdictName } from '../audit-report.ts'
import { checksOf } from './checks-of.ts'
import { isFinding } from './findings.ts'
import type { ReadingsReport } from './readings-report.ts'
import { variantsThat } from './readings-text.ts'
import type { Library } from './remedies.ts'

type ExitCode = AuditReport['exit_code']

/** What rows come to. @param options what `--readings` found, and what the app uses to read tokens */
export const summarise = (
  rows: readonly AuditedRow[],
  { readings, library }: { readings?: ReadingsReport | undefined; library?: Library | undefined } = {},
): Pick<AuditReport, 'checks' | 'rows' | 'totals' | 'exit_code'> => ({
  checks: checksOf(rows, { library }),
  rows,
  totals: totalsOf(rows),
  exit_code: exitCodeOf(rows, readings),
})

/** 2 when nothing was judged, 1 for a finding, 3 for what is undetermined, of rows and readings that count; else 0. */
export function exitCodeOf(rows: readonly AuditedRow[], readings?: ReadingsReport): ExitCode {
  if (!readings) return exitCodeOfRows(rows)
  const ofReadings = exitCodeOfReadings(readings)
  if (rows.length === 0) return ofReadings
  const ofRows = exitCodeOfRows(rows)
  return ofRows === 1 || ofReadings === 0 ? ofRows : ofReadings
}

function exitCodeOfRows(rows: readonly AuditedRow[]): ExitCode {
  const isJudged = ({ verdict }: AuditedRow) => verdict !== 'undetermined' && verdict !== 'not for this app'
  if (!rows.some(isJudged)) return 2
  const counted = rows.filter((row) => row.counted)
  if (counted.some(isFinding)) return 1
  return counted.some(({ verdict }) => verdict === 'undetermined') ? 3 : 0
}

/** Decision: readings never fail an audit unless they are asked to: a correct app may depend on what nothing forbids. */
function exitCodeOfReadings(readings: ReadingsReport): ExitCode {
  if (!readings.counted) return 0
  if (variantsThat('depends', readings).length + readings.combinations.failed.length > 0) return 1
  if (variantsThat('works', readings).length === 0) return 2
  return variantsThat('undetermined', readings).length + readings.combinations.undetermined.length > 0 ? 3 : 0
}

/** How many rows have each verdict. */
export function totalsOf(rows: readonly AuditedRow[]): AuditReport['totals'] {
  const totals: Partial<Record<VerdictName, number>> = {}
  for (const { verdict } of rows) totals[verdict] = (totals[verdict] ?? 0) + 1
  return totals
}
