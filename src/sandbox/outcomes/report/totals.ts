import {
  type AuditedCheck,
  type AuditedRow,
  type AuditReport,
  CHECK_VERDICTS,
  VERDICTS,
  type VerdictName,
} from '../audit-report.ts'
import { countOf, isFinding } from './audited-row.ts'
import { checksOf, VERIFICATIONS } from './checks-of.ts'
import { type ReadingsReport, variantsThat } from './readings-report.ts'

type ExitCode = AuditReport['exit_code']

interface Beside {
  /** What `--readings` found. */
  readonly readings?: ReadingsReport | undefined
  /** What the app uses to read tokens. */
  readonly library?: string | undefined
  /** What `--find` found. */
  readonly verifications?: AuditedCheck | undefined
}

/** What rows come to, and what was found beside them. */
export const summarise = (
  rows: readonly AuditedRow[],
  { readings, library, verifications }: Beside = {},
): Pick<AuditReport, 'checks' | 'rows' | 'totals' | 'exit_code'> => ({
  checks: checksOf(rows, library, verifications),
  rows,
  totals: totalsOf(rows),
  exit_code: exitCodeOf(rows, readings, verifications),
})

/** The check of a report that no row shows: whether the app finds verifications again. */
export const verificationsOf = ({ checks }: Pick<AuditReport, 'checks'>): AuditedCheck | undefined =>
  checks.find(({ check }) => check === VERIFICATIONS)

/** 2 when nothing was judged, 1 for a finding, 3 for what is undetermined, of all that counts; else 0. */
export function exitCodeOf(rows: readonly AuditedRow[], readings?: ReadingsReport, found?: AuditedCheck): ExitCode {
  const code = exitCodeOfBoth(rows, readings)
  if (!found?.counted || found.verdict === 'holds') return code
  if (found.verdict === 'missing') return 1
  return code === 0 ? 3 : code
}

function exitCodeOfBoth(rows: readonly AuditedRow[], readings?: ReadingsReport): ExitCode {
  const ofReadings = readings ? exitCodeOfReadings(readings) : 0
  if (readings && rows.length === 0) return ofReadings
  const ofRows = exitCodeOfRows(rows)
  return ofRows === 1 || ofReadings === 0 ? ofRows : ofReadings
}

function exitCodeOfRows(rows: readonly AuditedRow[]): ExitCode {
  if (rows.every(({ verdict }) => verdict === 'undetermined' || verdict === 'not for this app')) return 2
  const counted = rows.filter((row) => row.counted)
  if (counted.some(isFinding)) return 1
  return counted.some(({ verdict }) => verdict === 'undetermined') ? 3 : 0
}

/** Decision: readings never fail an audit unless they are asked to: a correct app may depend on what nothing forbids. */
function exitCodeOfReadings(readings: ReadingsReport): ExitCode {
  const { counted, combinations } = readings
  if (!counted) return 0
  if (variantsThat('depends', readings).length + combinations.failed.length > 0) return 1
  if (variantsThat('works', readings).length === 0) return 2
  return variantsThat('undetermined', readings).length + combinations.undetermined.length > 0 ? 3 : 0
}

/** How many rows have each verdict. */
export function totalsOf(rows: readonly AuditedRow[]): AuditReport['totals'] {
  const totals: Partial<Record<VerdictName, number>> = {}
  for (const { verdict } of rows) totals[verdict] = (totals[verdict] ?? 0) + 1
  return totals
}

/** What an audit came to. It never passes when no row was judged, or, of readings alone, when the app works under no variant. */
export function conclusionOf({ exit_code, totals, rows, readings }: AuditReport) {
  if (exit_code === 1) return 'failed'
  const isOfReadings = readings && rows.length === 0
  const good = isOfReadings ? variantsThat('works', readings).length : (totals.refused ?? 0) + (totals.accepted ?? 0)
  if (exit_code === 2 || good === 0) return 'nothing was judged'
  return exit_code === 0 ? 'passed' : 'undetermined'
}

/** Verdicts that rows have, and how many have each, findings first. */
export const totalsInOrder = ({ totals }: Pick<AuditReport, 'totals'>): readonly (readonly [VerdictName, number])[] =>
  VERDICTS.flatMap((verdict) => {
    const count = totals[verdict] ?? 0
    return count === 0 ? [] : [[verdict, count] as const]
  })

/** `not verified: signature (16 rows), nonce (7); 2 checks missing, 31 hold`; empty without checks. */
export function describeChecks(checks: readonly AuditedCheck[]): string {
  if (checks.length === 0) return ''
  const [missing = [], ...others] = CHECK_VERDICTS.map((verdict) => checks.filter((one) => one.verdict === verdict))
  const names = missing.map(({ title, rows: { length } }, index) =>
    length === 0 ? title : `${title} (${index === 0 ? countOf(length, 'row') : length})`,
  )
  const counts = others.flatMap(([first, ...more]) => {
    if (!first) return []
    const count = more.length + 1
    return first.verdict !== 'holds' ? `${count} ${first.verdict}` : count === 1 ? '1 check holds' : `${count} hold`
  })
  const verdicts = [`${missing.length === 0 ? 'no checks' : countOf(missing.length, 'check')} missing`, ...counts]
  return [...(names.length === 0 ? [] : [`not verified: ${names.join(', ')}`]), verdicts.join(', ')].join('; ')
}
