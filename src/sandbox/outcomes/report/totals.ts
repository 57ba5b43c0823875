import {
  type AuditedCheck,
  type AuditedRow,
  type AuditReport,
  CHECK_VERDICTS,
  FINDINGS,
  VERDICTS,
} from '../audit-report.ts'
import { countOf } from './audited-row.ts'
import { checksOf, VERIFICATIONS } from './checks-of.ts'

/** What is found beside rows: by `--readings`, in the folder of the app, and by `--find`. */
interface Beside {
  readonly readings?: AuditReport['readings']
  readonly library?: string | undefined
  readonly verifications?: AuditedCheck | undefined
}

/** What rows come to. */
export const summarise = (rows: readonly AuditedRow[], { readings, library, verifications }: Beside = {}) => ({
  checks: checksOf(rows, library, verifications),
  rows,
  totals: totalsOf(rows),
  exit_code: exitCodeOf(rows, readings, verifications),
})

/** The check of a report that no row shows: whether the app finds verifications again. */
export const verificationsOf = ({ checks }: Pick<AuditReport, 'checks'>): AuditedCheck | undefined =>
  checks.find(({ check }) => check === VERIFICATIONS)

/**
 * 1 for a finding, 2 when nothing was judged, 3 for what is undetermined, of all that counts; else 0.
 * Decision: readings count only when they are asked to: a correct app may depend on what nothing forbids.
 */
export function exitCodeOf(
  rows: readonly AuditedRow[],
  readings?: AuditReport['readings'],
  verifications?: AuditedCheck,
): AuditReport['exit_code'] {
  const { counted = false, variants = [], combinations } = readings ?? {}
  const judged = [...[...rows, verifications ?? []].flat().filter((one) => one.counted), ...(counted ? variants : [])]
  const verdicts = new Set<string>(judged.map(({ verdict }) => verdict))
  const hasFailed = counted && combinations?.failed.length
  if (hasFailed || [...FINDINGS, 'missing', 'depends'].some((one) => verdicts.has(one))) return 1
  const isJudged = isOfReadings({ rows, readings })
    ? !counted || verdicts.has('works')
    : rows.some(({ verdict }) => verdict !== 'undetermined' && verdict !== 'not for this app')
  if (!isJudged) return 2
  return verdicts.has('undetermined') || (counted && combinations?.undetermined.length) ? 3 : 0
}

/** Whether an audit tried readings, and no rows. */
export const isOfReadings = ({ rows, readings }: Pick<AuditReport, 'rows' | 'readings'>): boolean =>
  readings !== undefined && rows.length === 0

/** How many rows have each verdict, findings first. */
export const totalsOf = (rows: readonly AuditedRow[]): AuditReport['totals'] =>
  Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, rows.filter((row) => row.verdict === verdict).length] as const).filter(
      ([, count]) => count > 0,
    ),
  )

const CONCLUSIONS = ['passed', 'failed', 'nothing was judged', 'undetermined'] as const

/** What an audit came to. It never passes when no row was judged, or, of readings alone, when the app works under no variant. */
export function conclusionOf(report: Pick<AuditReport, 'exit_code' | 'totals' | 'rows' | 'readings'>) {
  const { exit_code, totals, readings } = report
  const isGood = isOfReadings(report)
    ? readings?.variants.some(({ verdict }) => verdict === 'works')
    : totals.refused || totals.accepted
  return isGood || exit_code === 1 ? CONCLUSIONS[exit_code] : 'nothing was judged'
}

/** `not verified: signature (16 rows), nonce (7); 2 checks missing, 31 hold`; empty without checks. */
export function describeChecks(checks: readonly AuditedCheck[]): string {
  if (checks.length === 0) return ''
  const [missing = [], ...others] = CHECK_VERDICTS.map((verdict) => checks.filter((one) => one.verdict === verdict))
  const names = missing.map(({ title, rows: { length } }, index) =>
    length === 0 ? title : `${title} (${index === 0 ? countOf(length, 'row') : length})`,
  )
  const counts = others.flatMap(([first, ...more]) =>
    first ? `${more.length + 1} ${first.verdict === 'holds' && more.length > 0 ? 'hold' : first.verdict}` : [],
  )
  const verdicts = [`${missing.length === 0 ? 'no checks' : countOf(missing.length, 'check')} missing`, ...counts]
  return [names.length === 0 ? [] : `not verified: ${names.join(', ')}`, verdicts.join(', ')].flat().join('; ')
}
