import {
  type AuditedCheck,
  type AuditReport,
  CHECK_VERDICTS,
  type ReadingsReport,
  type TriedVariant,
} from './audit-report.ts'
import { countNoun } from './points.ts'

const CONCLUSIONS = ['passed', 'failed', 'nothing was judged', 'undetermined'] as const

type Conclusion = (typeof CONCLUSIONS)[number]

/** The conclusion in words. An audit that judged no row and no reading does not pass. */
export function conclusionOf({
  exit_code,
  totals,
  rows,
  readings,
}: Omit<AuditReport, 'checks'>): Conclusion {
  const works = rows.length === 0 && readings?.variants.some(({ verdict }) => verdict === 'works')
  return totals.refused || totals.accepted || works || exit_code === 1
    ? CONCLUSIONS[exit_code]
    : 'nothing was judged'
}

/**
 * The checks in one line; empty without checks.
 * `not verified: signature (16 rows), nonce (7); 2 checks missing, 31 hold`
 */
export function describeChecks(checks: readonly AuditedCheck[]): string {
  if (checks.length === 0) return ''
  const [missing = [], ...others] = CHECK_VERDICTS.map((verdict) =>
    checks.filter((one) => one.verdict === verdict),
  )
  const counts = others.flatMap(([first, ...more]) =>
    first
      ? `${more.length + 1} ${first.verdict === 'holds' && more.length > 0 ? 'hold' : first.verdict}`
      : [],
  )
  const verdicts = [
    `${missing.length === 0 ? 'no checks' : countNoun(missing.length, 'check')} missing`,
    ...counts,
  ]
  return [missing.length === 0 ? [] : `not verified: ${listChecks(missing)}`, verdicts.join(', ')]
    .flat()
    .join('; ')
}

/** Lists checks with their numbers of rows: `signature (16 rows), nonce (7)`. */
export const listChecks = (checks: readonly AuditedCheck[]): string =>
  checks
    .map(({ title, rows: { length } }, index) =>
      length === 0 ? title : `${title} (${index === 0 ? countNoun(length, 'row') : length})`,
    )
    .join(', ')

/**
 * The readings in one line: `works under 31 of 34; depends on refused_token_status=401`. Variants
 * that made no difference to the app do not count.
 */
export function describeReadings({ variants, combinations }: ReadingsReport): string {
  const ofVerdict = (verdict: TriedVariant['verdict']) =>
    variants.filter((one) => one.verdict === verdict)
  const [works, depends] = [ofVerdict('works').length, ofVerdict('depends')]
  const needs = [...new Set(depends.map(({ reading, usual }) => `${reading}=${usual}`))].join(', ')
  const open = combinations.undetermined.reduce(
    (sum, { count }) => sum + count,
    ofVerdict('undetermined').length,
  )
  return [
    `works under ${works} of ${works + depends.length}`,
    ...(needs === '' ? [] : [`depends on ${needs}`]),
    ...combinations.failed.map(({ variants }) => `fails under ${variants.join(' with ')}`),
    ...(open === 0 ? [] : [`${open} undetermined`]),
  ].join('; ')
}
