import { type AuditedCheck, type AuditedRow, type AuditReport, VERDICTS, type VerdictName } from '../audit-report.ts'
import { checksOf } from './checks-of.ts'
import { isFinding } from './findings.ts'
import type { ReadingsReport } from './readings-report.ts'
import { variantsThat } from './readings-text.ts'

type ExitCode = AuditReport['exit_code']

/** What rows come to. @param options what `--readings` found, and what the app uses to read tokens */
export const summarise = (
  rows: readonly AuditedRow[],
  { readings, library }: { readings?: ReadingsReport | undefined; library?: string | undefined } = {},
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

/** Verdicts that rows have, and how many have each, findings first. */
export const totalsInOrder = ({ totals }: Pick<AuditReport, 'totals'>): readonly (readonly [VerdictName, number])[] =>
  [...new Set(IN_ORDER)].flatMap((verdict) => {
    const count = totals[verdict] ?? 0
    return count === 0 ? [] : [[verdict, count] as const]
  })

/** `not verified: signature (16 rows), nonce (7); 2 checks missing, 31 hold`; empty without checks. */
export function describeChecks(checks: readonly AuditedCheck[]): string {
  if (checks.length === 0) return ''
  const missing = checks.filter(({ verdict }) => verdict === 'missing')
  const [first, ...others] = missing.map(({ title, rows: { length } }) => ({ title, length }))
  const names = first && [
    `${first.title} (${first.length} row${first.length === 1 ? '' : 's'})`,
    ...others.map(({ title, length }) => `${title} (${length})`),
  ]
  const counts = (['too strict', 'stale', 'ignored', 'broke', 'undetermined', 'known', 'holds'] as const).map(
    (verdict) => {
      const { length } = checks.filter((one) => one.verdict === verdict)
      return length > 0 && `${length} ${verdict === 'holds' && length > 1 ? 'hold' : verdict}`
    },
  )
  const count = missing.length === 1 ? '1 check missing' : `${missing.length || 'no'} checks missing`
  const verdicts = [count, ...counts].filter((part) => part !== false).join(', ')
  return names ? `not verified: ${names.join(', ')}; ${verdicts}` : verdicts
}
