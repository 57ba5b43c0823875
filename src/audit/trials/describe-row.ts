import type { AuditedRow, FailOn, VerdictName } from '../../sandbox/outcomes/audit-report.ts'
import { CATALOGUE_VERSIONS, rowId } from '../../sandbox/outcomes/catalogue.ts'
import { type AuditRow, LEVELS, type Level } from '../../sandbox/outcomes/outcome.ts'
import { levelOf } from '../../sandbox/outcomes/report/audited-row.ts'
import type { KnownFinding } from '../options.ts'
import { type Finding, isFinding } from './trial.ts'

/** By what a verdict counts. */
export interface Counting {
  readonly failOn: FailOn
  /** Rows added after this version do not count. */
  readonly catalogue: string
  readonly known: readonly KnownFinding[]
  /** ISO 8601. */
  readonly today: string
}

/** The row of the report: the verdict with what the catalogue says, and whether it counts. */
export function describeRow(row: AuditRow, found: Finding | { reason: string }, counting: Counting): AuditedRow {
  const verdict: Finding =
    'verdict' in found ? found : { verdict: 'not for this app', evidence: '', flows: [], reason: undefined }
  const judged = withKnown(rowId(row), verdict, counting)
  const { flow, family, breaks, summary, rule, harm, severity, refs, cwe } = row
  const level = levelOf({ verdict: judged.verdict, level: row.level })
  const reason = judged.because ?? found.reason
  return {
    row: rowId(row),
    flow,
    family,
    checks: breaks,
    summary,
    rule,
    harm,
    level,
    severity,
    verdict: judged.verdict,
    ...(reason === undefined ? {} : { reason }),
    ...(verdict.evidence === '' ? {} : { evidence: verdict.evidence }),
    ...(verdict.log === undefined || verdict.log.length === 0 ? {} : { log: verdict.log }),
    ...(verdict.refusedBy === undefined ? {} : { refused_by: verdict.refusedBy }),
    flows: [...new Set(verdict.flows)],
    refs,
    cwe: cwe.map((id) => `CWE-${id}`),
    counted: isCounted({ row, level, verdict: judged.verdict }, counting),
  }
}

/** A finding that is known, and an entry that names none any more. */
function withKnown(
  id: string,
  { verdict }: Finding,
  { known, today }: Counting,
): { verdict: VerdictName; because?: string } {
  const entry = known.find(({ row }) => row === id)
  if (!entry) return { verdict }
  if (isFinding({ verdict })) {
    const isOver = entry.until !== undefined && entry.until < today.slice(0, 10)
    return isOver ? { verdict } : { verdict: 'known', because: entry.because }
  }
  const isGone = verdict === 'refused' || verdict === 'accepted' || verdict === 'observed'
  return isGone
    ? { verdict: 'stale', because: `it is listed under known and is ${verdict} now; take the entry out` }
    : { verdict }
}

/** Versions in the order in which they came. */
const age = (version: string) => VERSIONS.indexOf(version)
const VERSIONS: readonly string[] = CATALOGUE_VERSIONS

const rank = (level: Level) => LEVELS.indexOf(level)

function isCounted(
  { row, level, verdict }: { row: AuditRow; level: Level; verdict: VerdictName },
  { failOn, catalogue }: Counting,
): boolean {
  if (verdict === 'known' || verdict === 'observed' || verdict === 'not for this app') return false
  if (failOn === 'none' || row.correctClient === 'depends') return false
  if (age(row.since) > age(catalogue)) return false
  return verdict === 'stale' || rank(level) <= rank(failOn)
}
