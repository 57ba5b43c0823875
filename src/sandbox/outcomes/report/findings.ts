import type { AuditedRow, VerdictName } from '../audit-report.ts'
import type { Level } from '../outcome.ts'

/** Nobody was let in: the app is safe, by accident or by misreading. */
const HARMLESS: readonly VerdictName[] = ['ignored', 'broke']
const FINDINGS: readonly VerdictName[] = ['let in', 'too strict', 'stale', ...HARMLESS]

export const isFinding = ({ verdict }: Pick<AuditedRow, 'verdict'>): boolean => FINDINGS.includes(verdict)

/** Whether a row makes the audit fail. A stale entry always does: the file that names it is wrong. */
export const isFailure = (row: AuditedRow): boolean => isFinding(row) && (row.counted || row.verdict === 'stale')

/** The level of a finding: at most `should` when nobody was let in. */
export const levelOf = ({ verdict, level }: Pick<AuditedRow, 'verdict' | 'level'>): Level =>
  HARMLESS.includes(verdict) && level === 'must' ? 'should' : level
