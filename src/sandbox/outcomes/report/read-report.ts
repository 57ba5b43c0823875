import * as z from 'zod'
import { parseJson } from '../../../oidc/request/json.ts'
import { packageVersion } from '../../../package-root.ts'
import { checkAgainst, problemLines } from '../../../text/schema-problems.ts'
import { type AuditReport, auditReportSchema } from './audit-report.ts'

/** The report of the last whole audit, below the folder that it ran in. */
export const LAST_AUDIT = '.agekey-audit/last.json'

/**
 * Reads the report of an audit, as `--json` writes it and `.agekey-audit/last.json` holds it.
 * @returns the report, or the rest of a sentence about the text: `is not JSON: ...`
 */
export function readReport(text: string): { ok: true; report: AuditReport } | { ok: false; problem: string } {
  const json = parseJson(text)
  if (!json.ok) return { ok: false, problem: `is not JSON: ${json.reason}` }
  const checked = checkAgainst(auditReportSchema, json.value)
  if (checked.kind === 'valid') return { ok: true, report: checked.value }
  const [place = ''] = problemLines(checked, 'the value')
  // A newer version may write what this one does not know.
  const { data: { version } = {} } = z.object({ version: z.string().max(20) }).safeParse(json.value)
  const isOther = version !== undefined && version !== packageVersion()
  const by = isOther ? `; agekey-sandbox ${JSON.stringify(version)} wrote it, and this is ${packageVersion()}` : ''
  return { ok: false, problem: `is no report of agekey-sandbox audit: ${place}${by}` }
}
