import {
  type AuditedCheck,
  type AuditedRow,
  type AuditReport,
  CHECK_VERDICTS,
  FINDINGS,
  type ReadingsReport,
  type TriedVariant,
  VERDICTS,
} from './audit-report.ts'
import { countNoun } from './audited-row.ts'
import { checksOf } from './checks-of.ts'
import { judgedOf } from './points.ts'

/** The parts of a report beside its rows. Of `checks` only the library is used, and checks that no row shows. */
interface Beside extends Partial<Pick<AuditReport, 'checks' | 'readings'>> {
  readonly library?: string | undefined
}

/** The verdicts on checks, counted and summed up. */
export function summarise(rows: readonly AuditedRow[], { readings, checks: known = [], library }: Beside = {}) {
  const checks = checksOf(rows, library ?? known.find((one) => one.library)?.library, known.find(isOfNoRow))
  return { checks, rows, totals: totalsOf(rows), exit_code: exitCodeOf(rows, readings, checks) }
}

const isOfNoRow = ({ rows }: AuditedCheck): boolean => rows.length === 0

/**
 * 1 for a counted finding, 2 when nothing was judged, 3 for a counted row that is undetermined, otherwise 0. Decision: readings count
 * only on request, since a correct app may depend on what nothing forbids.
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
  if (judged.every(({ verdict }) => verdict === 'undetermined' || verdict === 'not for this app')) return 2
  const isOpen = readings?.counted && readings.combinations.undetermined.length > 0
  return isOpen || verdicts.has('undetermined') ? 3 : 0
}

const FOUND = [...FINDINGS, 'missing', 'depends on', 'fails under']

/** How many rows have each verdict, findings first. */
export const totalsOf = (rows: readonly AuditedRow[]): AuditReport['totals'] =>
  Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, rows.filter((row) => row.verdict === verdict).length]).filter(
      ([, count]) => count,
    ),
  )

const CONCLUSIONS = ['passed', 'failed', 'nothing was judged', 'undetermined'] as const

/** The conclusion of an audit. Without a judged row it never passes, nor when the app worked under none of the readings. */
export function conclusionOf({ exit_code, totals, rows, readings }: Omit<AuditReport, 'checks'>) {
  const works = rows.length === 0 && readings?.variants.some(({ verdict }) => verdict === 'works')
  return totals.refused || totals.accepted || works || exit_code === 1 ? CONCLUSIONS[exit_code] : 'nothing was judged'
}

/** `not verified: signature (16 rows), nonce (7); 2 checks missing, 31 hold`; empty without checks. */
export function describeChecks(checks: readonly AuditedCheck[]): string {
  if (checks.length === 0) return ''
  const [missing = [], ...others] = CHECK_VERDICTS.map((verdict) => checks.filter((one) => one.verdict === verdict))
  const counts = others.flatMap(([first, ...more]) =>
    first ? `${more.length + 1} ${first.verdict === 'holds' && more.length > 0 ? 'hold' : first.verdict}` : [],
  )
  const verdicts = [`${missing.length === 0 ? 'no checks' : countNoun(missing.length, 'check')} missing`, ...counts]
  return [missing.length === 0 ? [] : `not verified: ${listChecks(missing)}`, verdicts.join(', ')].flat().join('; ')
}

/** `signature (16 rows), nonce (7)` */
export const listChecks = (checks: readonly AuditedCheck[]): string =>
  checks
    .map(({ title, rows: { length } }, index) =>
      length === 0 ? title : `${title} (${index === 0 ? countNoun(length, 'row') : length})`,
    )
    .join(', ')

/** `works under 31 of 34; depends on refused_token_status=401`. Variants that made no difference to the app are not counted. */
export function describeReadings({ variants, combinations }: ReadingsReport): string {
  const those = (verdict: TriedVariant['verdict']) => variants.filter((one) => one.verdict === verdict)
  const [works, depends] = [those('works').length, those('depends')]
  const needs = [...new Set(depends.map(({ reading, usual }) => `${reading}=${usual}`))].join(', ')
  const open = combinations.undetermined.reduce((sum, { count }) => sum + count, those('undetermined').length)
  return [
    `works under ${works} of ${works + depends.length}`,
    ...(needs === '' ? [] : [`depends on ${needs}`]),
    ...combinations.failed.map(({ variants }) => `fails under ${variants.join(' with ')}`),
    ...(open === 0 ? [] : [`${open} undetermined`]),
  ].join('; ')
}
