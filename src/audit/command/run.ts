import { readFileSync } from 'node:fs'
import { messageOf } from '../../sandbox/files/caught.ts'
import { visible } from '../../service/text/visible.ts'
import { runAudit, withLearned } from '../audit.ts'
import type { AppCopies } from '../drive/driver.ts'
import { type AuditRunOptions, DEFAULTS } from '../options.ts'
import { auditReadings } from '../readings/audit-readings.ts'
import { type AuditReport, LAST_AUDIT } from '../report/audit-report.ts'
import { findLibrary } from '../report/remedies.ts'
import { summarise } from '../report/summarise.ts'
import { renderAuditTerminal } from '../report/terminal.ts'
import { writeReports } from '../report/write-reports.ts'
import { selectRows } from '../trials/rows/select-rows.ts'
import { createCopies } from './app-copies.ts'
import type { AuditSession } from './audit-session.ts'
import { isShownAt, keepReport } from './last-run.ts'
import { prepareFind } from './prepare-find.ts'
import { createProgress, type Progress } from './progress.ts'
import { AUDIT_FILE } from './settings/audit-file.ts'
import { writeAuditFile } from './settings/write-audit-file.ts'

/**
 * Audits the app or, with `--learn`, writes what was learned to `agekey-audit.yaml`.
 * @returns the exit code
 * @throws AuditProblem or ConfigError with one line
 */
export async function auditApp(session: AuditSession): Promise<number> {
  const { plan, host, signal } = session
  const isLearning = plan.mode === 'learn'
  const apps = createCopies(session)
  try {
    const app = await apps.open(isLearning ? 1 : selectRows(plan.options).length)
    const jobs = app.copies.length * app.visitsEach
    const { budgetSeconds = DEFAULTS.budgetSeconds } = plan.options
    const progress = createProgress(host, { jobs, budgetSeconds, signal })
    const options = { ...plan.options, signal, onProgress: progress.show }
    if (!isLearning) return await judge(app, options, { ...session, progress })
    const { learned } = await withLearned(app, options, async () => ({ notes: [] }))
    if (signal.aborted) return 0
    await writeAuditFile({ app: plan.app, learned, given: plan.given })
    host.say(`${AUDIT_FILE}: written; agekey-sandbox audit in this folder reads it`)
    return 0
  } catch (error) {
    // The notes of the agent may explain the error.
    for (const note of (await apps.agent())?.notes() ?? []) host.say(visible(note))
    throw error
  } finally {
    await apps.close()
  }
}

/** Audits the app, then shows, stores and writes the report. @returns the exit code */
async function judge(
  app: AppCopies,
  options: AuditRunOptions,
  session: AuditSession & { readonly progress: Progress },
): Promise<number> {
  const report = await makeReport(app, options, session)
  const { host, plan, signal, sandbox } = session
  showReport(report, session)
  if (signal.aborted) {
    host.say('interrupted: this is what was found so far; no report is written')
    return report.exit_code
  }
  if (sandbox.isOwn && report.exit_code !== 0)
    host.say(
      'To look at the flows in the console, start agekey-sandbox before the audit: the sandbox of this audit has ended with its flows',
    )
  await keep(report, session)
  writeReports(report, plan.given, {
    console: consoleOf(session),
    source: plan.sourceOf,
    summaryFile: host.environment['GITHUB_STEP_SUMMARY'] || undefined,
    writeFiles: host.writeFiles,
  })
  return report.exit_code
}

async function makeReport(
  app: AppCopies,
  options: AuditRunOptions,
  { plan, signal, sandbox, progress }: AuditSession & { readonly progress: Progress },
): Promise<AuditReport> {
  const ofReadings = plan.mode === 'readings'
  const { fail_on_readings: failOnReadings = false } = plan.given
  const find = ofReadings ? undefined : await prepareFind(app, plan, sandbox.certificate?.pem)
  const audited = ofReadings
    ? auditReadings(app, { ...options, failOnReadings })
    : runAudit(app, options)
  const found = await audited.finally(progress.end)
  // For an interrupted audit, `timed_out` says nothing about the app.
  const rows = signal.aborted
    ? found.rows.filter(({ reason }) => reason !== 'timed_out')
    : found.rows
  const checks = find && !signal.aborted ? [await find(rows)] : []
  const library = findLibrary(readHere)
  // Decision: the report names the page as given, with {port}, because each start has another port.
  return {
    ...found,
    app: plan.app,
    ...summarise(rows, { readings: found.readings, checks, library }),
  }
}

/** The URL of the console; `undefined` if the sandbox ends with the audit. */
const consoleOf = ({ sandbox }: AuditSession): string | undefined =>
  sandbox.isOwn ? undefined : `${sandbox.baseUrl}/_sandbox/console`

function showReport(report: AuditReport, session: AuditSession): void {
  const { host, command } = session
  const console = consoleOf(session)
  host.say('')
  for (const line of renderAuditTerminal(report, { console, command, colour: host.colour }))
    host.say(line)
}

/** Stores the report for --again and the console. An audit with --only or --skip is not stored. */
async function keep(report: AuditReport, session: AuditSession): Promise<void> {
  const { plan, host, sandbox } = session
  const { mode, given } = plan
  if (mode === 'run' && (given.only ?? given.skip) !== undefined) return
  try {
    const kept = await keepReport(report, mode)
    const console = consoleOf(session)
    const page = `${console}/audit`
    if (console !== undefined && (await isShownAt(page, kept, sandbox.certificate?.pem)))
      host.say(`All verdicts by check, with their flows: ${page}`)
  } catch (error) {
    host.warn(
      `${LAST_AUDIT}: cannot be written (${messageOf(error)}); --again will not know this audit`,
    )
  }
}

/** Reads a file in the working folder; `undefined` if it cannot be read. */
function readHere(name: string): string | undefined {
  try {
    return readFileSync(name, 'utf8')
  } catch {
    return undefined
  }
}
