import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf, messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { replaceFile } from '../../files/private-file.ts'
import { preparePrivateFolder } from '../../files/private-folder.ts'
import type { AuditReport, VerdictName } from '../../sandbox/outcomes/audit-report.ts'
import { findAuditRow } from '../../sandbox/outcomes/catalogue.ts'
import { LAST_AUDIT, readReport } from '../../sandbox/outcomes/report/read-report.ts'
import { exitCodeOf, summarise, verificationsOf } from '../../sandbox/outcomes/report/totals.ts'

/** What `--again` looks at. */
const UNSETTLED: readonly VerdictName[] = ['let in', 'ignored', 'broke', 'too strict', 'undetermined', 'stale']

/**
 * The rows of the last audit of an app that failed or were undetermined.
 * @throws ConfigError with one line, when there was none, it was of another app, or nothing is left
 */
export function readUnsettled(app: string): readonly string[] {
  const { rows, app: lastApp } = readLastRun()
  if (lastApp !== app)
    throw ConfigError.of(`--again: the last audit was of ${lastApp}, not of ${app}; run it without --again first`)
  // Of another version of the catalogue a row may be gone.
  const unsettled = rows
    .filter(({ row, verdict }) => UNSETTLED.includes(verdict) && findAuditRow(row))
    .map(({ row }) => row)
  if (unsettled.length === 0)
    throw ConfigError.of(
      `--again: in the last audit of ${app} nothing failed or was undetermined; run it without --again`,
    )
  return unsettled
}

/** The last report as JSON, for the console; `undefined` when there is none. @throws ConfigError with one line */
export function readLastAudit(): string | undefined {
  try {
    return readFileSync(LAST_AUDIT, 'utf8')
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw ConfigError.of(`${LAST_AUDIT} cannot be read (${messageOf(cause)})`, { cause })
  }
}

/** Keeps the report of a whole audit, beside what is known of the readings of this app. @throws ConfigError with one line, when it cannot be written */
export async function keepRun(report: AuditReport): Promise<void> {
  await keep(withReadings(report, report.readings ?? lastOf(report.app)?.readings))
}

/** Keeps what `--readings` found, beside the rows of the last audit of this app. @throws ConfigError with one line, when it cannot be written */
export async function keepReadings(report: AuditReport): Promise<void> {
  await keep(withReadings(lastOf(report.app) ?? report, report.readings))
}

const withReadings = (report: AuditReport, readings: AuditReport['readings']): AuditReport =>
  readings ? { ...report, readings, exit_code: exitCodeOf(report.rows, readings, verificationsOf(report)) } : report

/** The last report, when it can be read and is of this app. */
function lastOf(app: string): AuditReport | undefined {
  const last = readReport(readable() ?? '')
  return last.ok && last.report.app === app ? last.report : undefined
}

/** What cannot be read is not kept; to write there then says why. */
function readable(): string | undefined {
  try {
    return readLastAudit()
  } catch {
    return undefined
  }
}

async function keep(report: AuditReport): Promise<void> {
  try {
    await preparePrivateFolder(dirname(LAST_AUDIT))
    await replaceFile(LAST_AUDIT, `${JSON.stringify(report, undefined, 2)}\n`, { mode: 0o600 })
  } catch (cause) {
    throw ConfigError.of(`${LAST_AUDIT}: cannot be written (${messageOf(cause)})`, { cause })
  }
}

/** Puts the rows of a report in the place of those of the last audit, so that the next `--again` looks at the rest. */
export async function renewRun(again: AuditReport): Promise<void> {
  const last = readLastRun()
  const renewed = new Map(again.rows.map((row) => [row.row, row]))
  const rows = last.rows.map((row) => renewed.get(row.row) ?? row)
  const library = [...again.checks, ...last.checks].find((one) => one.library)?.library
  await keepRun({
    ...again,
    first_started_at: last.first_started_at ?? last.started_at,
    learned: { ...last.learned, ...again.learned },
    ...summarise(rows, { library, verifications: verificationsOf(again) ?? verificationsOf(last) }),
    notes: [...again.notes, `${renewed.size} of ${rows.length} rows were run again; the others are of audits before`],
  })
}

function readLastRun(): AuditReport {
  const text = readLastAudit()
  if (text === undefined)
    throw ConfigError.of('--again: there is no last audit in this folder; run it without --again first')
  const last = readReport(text)
  if (last.ok) return last.report
  throw ConfigError.of(`--again: ${LAST_AUDIT} ${last.problem}; run the audit without --again first`)
}
