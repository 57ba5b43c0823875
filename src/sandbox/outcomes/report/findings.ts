import type { AuditedRow, AuditReport, VerdictName } from '../audit-report.ts'
import { LEVELS, type Level } from '../outcome.ts'

const FINDINGS: readonly VerdictName[] = ['let in', 'too strict', 'stale', 'ignored', 'broke']

/** Nobody was let in: the app is safe, by accident or by misreading. */
const HARMLESS: readonly VerdictName[] = ['ignored', 'broke']

/** The findings of a report: those that make the audit fail come first, then the most severe. */
export const findingsOf = ({ rows }: AuditReport): AuditedRow[] => rows.filter(isFinding).sort(bySeverity)

export const isFinding = ({ verdict }: AuditedRow): boolean => FINDINGS.includes(verdict)

/** Whether a row makes the audit fail. A stale entry always does: the file that names it is wrong. */
export const isFailure = (row: AuditedRow): boolean => isFinding(row) && (row.counted || row.verdict === 'stale')

/** The level of a finding: at most `should` when nobody was let in. */
export const levelOf = ({ verdict, level }: Pick<AuditedRow, 'verdict' | 'level'>): Level =>
  HARMLESS.includes(verdict) && level === 'must' ? 'should' : level

function bySeverity(one: AuditedRow, other: AuditedRow): number {
  return (
    Number(isFailure(other)) - Number(isFailure(one)) ||
    Number(HARMLESS.includes(one.verdict)) - Number(HARMLESS.includes(other.verdict)) ||
    other.severity - one.severity ||
    LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level) ||
    (one.row < other.row ? -1 : 1)
  )
}
