import * as z from 'zod'
import { checkAgainst, formatPath } from '../../../files/schema-problems.ts'
import { parseJson } from '../../../oidc/request/json.ts'
import { packageVersion } from '../../../package-root.ts'
import { type AuditReport, auditReportSchema } from '../audit-report.ts'

/** The report of the last whole audit, below the folder that it ran in. */
export const LAST_AUDIT = '.agekey-audit/last.json'

type ReadReport =
  | { readonly ok: true; readonly report: AuditReport }
  /** The rest of a sentence about the text: `is not JSON: ...`. */
  | { readonly ok: false; readonly problem: string }

/** Reads the report of an audit, as `--json` writes it and `.agekey-audit/last.json` holds it. */
export function readReport(text: string): ReadReport {
  const json = parseJson(text)
  if (!json.ok) return { ok: false, problem: `is not JSON: ${json.reason}` }
  const checked = checkAgainst(auditReportSchema, json.value)
  if (checked.kind === 'valid') return { ok: true, report: checked.value }
  const [place = ''] = checked.problems.map(({ path, message }) => `${formatPath(path) || 'the value'}: ${message}`)
  return { ok: false, problem: `is no report of agekey-sandbox audit: ${place}${byOtherVersion(json.value)}` }
}

/** A newer version may write what this one does not know. */
function byOtherVersion(value: unknown): string {
  const { data } = z.object({ version: z.string().max(20) }).safeParse(value)
  if (data === undefined || data.version === packageVersion()) return ''
  return `; it says that agekey-sandbox ${JSON.stringify(data.version)} wrote it, and this is ${packageVersion()}`
}
