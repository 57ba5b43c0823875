import { dirname } from 'node:path'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { replaceFile } from '../../sandbox/files/private-file.ts'
import { preparePrivateFolder } from '../../sandbox/files/private-folder.ts'
import { MAX_REPORT_BYTES, readTextIfThere } from '../../sandbox/files/text-file.ts'
import { findAuditRow } from '../../sandbox/outcomes/catalogue.ts'
import { createExchangeWithin } from '../../server/client/exchange.ts'
import { type AuditReport, FINDINGS, LAST_AUDIT, readReport } from '../report/audit-report.ts'
import { exitCodeOf, summarise } from '../report/summarise.ts'

/**
 * The rows that failed or were undetermined in the last audit of an app.
 * @throws ConfigError with one line when there is no such row, or no readable report of this app
 */
export function readUnsettled(app: string): readonly string[] {
  const refuse = (message: string) => ConfigError.of(`--again: ${message}`)
  const text = readLastAudit()
  if (text === undefined)
    throw refuse('there is no last audit in this folder; run it without --again first')
  const last = readReport(text)
  if (!last.ok) throw refuse(`${LAST_AUDIT} ${last.problem}; run the audit without --again first`)
  const { rows, app: lastApp } = last.report
  if (lastApp !== app)
    throw refuse(`the last audit was of ${lastApp}, not of ${app}; run it without --again first`)
  const isUnsettled = (verdict: string) => [...FINDINGS, 'undetermined'].includes(verdict)
  // A row may be gone in another version of the catalogue.
  const unsettled = rows.filter(({ row, verdict }) => isUnsettled(verdict) && findAuditRow(row))
  if (unsettled.length > 0) return unsettled.map(({ row }) => row)
  throw refuse(
    `in the last audit of ${app} nothing failed or was undetermined; run it without --again`,
  )
}

/**
 * Reads the last report as JSON text; `undefined` if there is none.
 * @throws ConfigError with one line
 */
export const readLastAudit = (): string | undefined =>
  readTextIfThere(LAST_AUDIT, { maxBytes: MAX_REPORT_BYTES })

export type AuditMode = 'run' | 'learn' | 'again' | 'readings'

/**
 * Stores a report. The report of a whole audit replaces the last report but keeps its readings;
 * results of `--readings` and `--again` are merged into the last report of the same app.
 * @returns the stored report
 * @throws Error when the file cannot be written
 */
export async function keepReport(report: AuditReport, mode: AuditMode): Promise<AuditReport> {
  await preparePrivateFolder(dirname(LAST_AUDIT))
  const read = readReport(readLastAudit() ?? '')
  const last = read.ok && read.report.app === report.app ? read.report : undefined
  const readings = report.readings ?? last?.readings
  const whole = wholeOf(report, last, mode)
  const exit_code = exitCodeOf(whole.rows, readings, whole.checks)
  const kept = readings ? { ...whole, readings, exit_code } : whole
  await replaceFile(LAST_AUDIT, `${JSON.stringify(kept, undefined, 2)}\n`, { mode: 0o600 })
  return kept
}

/** Adds the rows of the last audit that this audit has not run. */
function wholeOf(report: AuditReport, last: AuditReport | undefined, mode: AuditMode): AuditReport {
  if (!last || mode === 'run') return report
  return mode === 'readings' ? last : renewed(last, report)
}

/** Whether the console shows this report. A sandbox with another working folder does not. */
export async function isShownAt(
  page: string,
  { started_at: startedAt }: Pick<AuditReport, 'started_at'>,
  certificate?: string,
): Promise<boolean> {
  const request = { method: 'GET', url: new URL(page), headers: { Accept: 'text/html' } } as const
  const { text } = await createExchangeWithin(MAX_WAIT_SECONDS, { certificate })(request)
  return text.includes(`datetime="${startedAt}"`)
}

const MAX_WAIT_SECONDS = 5

/** The last report with the results of `again`. */
function renewed(last: AuditReport, again: AuditReport): AuditReport {
  const judged = new Map(again.rows.map((row) => [row.row, row]))
  const rows = last.rows.map((row) => judged.get(row.row) ?? row)
  return {
    ...again,
    first_started_at: last.first_started_at ?? last.started_at,
    learned: { ...last.learned, ...again.learned },
    ...summarise(rows, { checks: [...again.checks, ...last.checks] }),
    notes: [
      ...again.notes,
      `${judged.size} of ${rows.length} rows were run again; the others are of audits before`,
    ],
  }
}
