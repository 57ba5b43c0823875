import {
  CATALOGUE_VERSION,
  CATALOGUE_VERSIONS,
  rowId,
} from '../../../sandbox/outcomes/catalogue.ts'
import { type AuditRow, REQUIREMENT_LEVELS } from '../../../sandbox/outcomes/outcome.ts'
import type { AuditChoices, KnownFinding } from '../../choices.ts'
import type { AuditedRow } from '../../report/audit-report.ts'
import { findingLevel, isFinding } from '../../report/points.ts'
import type { AuditRun } from '../audit-run.ts'
import type { TrialFinding } from '../trial.ts'

/** Describes a row and the finding on the row for the report. */
export function describeRow(
  row: AuditRow,
  finding: TrialFinding,
  { options, today }: Pick<AuditRun, 'options' | 'today'>,
): AuditedRow {
  const { flow, family, breaks: checks, summary, rule, harm, severity, refs, cwe } = row
  const { evidence, log, refusedBy, flows } = finding
  const id = rowId(row)
  const known = options.known?.find((one) => one.row === id)
  const { verdict, reason } = known ? asKnown(finding, known, today) : finding
  const level = findingLevel({ verdict, level: row.level })
  return {
    row: id,
    flow,
    family,
    checks,
    summary,
    rule,
    harm,
    level,
    severity,
    verdict,
    refs,
    reason,
    evidence: evidence || undefined,
    log: log && log.length > 0 ? log : undefined,
    refused_by: refusedBy,
    flows: [...new Set(flows)],
    cwe: cwe.map((number) => `CWE-${number}`),
    counted: isCounted(row, { verdict, level }, options),
  }
}

/** The verdict on a row that is listed under `known`. */
function asKnown(
  finding: TrialFinding,
  { because, until }: KnownFinding,
  today: string,
): Pick<TrialFinding, 'verdict' | 'reason'> {
  const { verdict } = finding
  if (isFinding({ verdict }))
    return (until ?? today) < today.slice(0, 10) ? finding : { verdict: 'known', reason: because }
  if (verdict !== 'refused' && verdict !== 'accepted' && verdict !== 'observed') return finding
  return {
    verdict: 'stale',
    reason: `it is listed under known and is ${verdict} now; take the entry out`,
  }
}

/** Whether a verdict on a row counts for the exit code. */
export function isCounted(
  { correctClient, since }: AuditRow,
  { verdict, level }: Pick<AuditedRow, 'verdict' | 'level'>,
  { failOn = 'must', catalogue = CATALOGUE_VERSION }: AuditChoices,
): boolean {
  if (['known', 'observed', 'not for this app'].includes(verdict)) return false
  if (failOn === 'none' || correctClient === 'depends') return false
  const versions: readonly string[] = CATALOGUE_VERSIONS
  if (versions.indexOf(since) > versions.indexOf(catalogue)) return false
  return (
    verdict === 'stale' || REQUIREMENT_LEVELS.indexOf(level) <= REQUIREMENT_LEVELS.indexOf(failOn)
  )
}
