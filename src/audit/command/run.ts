import { readFileSync } from 'node:fs'
import { messageOf } from '../../sandbox/files/caught.ts'
import { visible } from '../../service/text/visible.ts'
import { runAudit, withLearned } from '../audit.ts'
import type { AppCopies } from '../drive/driver.ts'
import { type AuditProgress, type AuditRunOptions, DEFAULTS } from '../options.ts'
import { auditReadings } from '../readings/audit-readings.ts'
import { LAST_AUDIT, type VerdictName } from '../report/audit-report.ts'
import { summarise } from '../report/checks-of.ts'
import { findLibrary } from '../report/remedies.ts'
import { renderAuditTerminal } from '../report/terminal.ts'
import { writeReports } from '../report/write-reports.ts'
import { selectRows } from '../trials/rows/select-rows.ts'
import { type AuditSession, createCopies } from './app-copies.ts'
import { prepareFind } from './find-verifications.ts'
import { isShownAt, keepReport } from './last-run.ts'
import { AUDIT_FILE, writeAuditFile } from './plan.ts'
import type { AuditHost } from './start-app.ts'

/** Audits or learns the app, which is started first if the file says how. @returns the exit code */
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
    // The notes of the agent may name the reason.
    for (const note of (await apps.agent())?.notes() ?? []) host.say(visible(note))
    throw error
  } finally {
    await apps.close()
  }
}

async function judge(
  app: AppCopies,
  options: AuditRunOptions,
  {
    plan,
    host,
    signal,
    sandbox,
    command,
    progress,
  }: AuditSession & { progress: ReturnType<typeof createProgress> },
): Promise<number> {
  const { mode, given } = plan
  const { say } = host
  const find =
    mode === 'readings' ? undefined : await prepareFind(app, plan, sandbox.certificate?.pem)
  const found = await (mode === 'readings'
    ? auditReadings(app, { ...options, failOnReadings: given.fail_on_readings ?? false })
    : runAudit(app, options)
  ).finally(progress.end)
  // A verdict that comes from the interruption is dropped.
  const rows = signal.aborted
    ? found.rows.filter(({ reason }) => reason !== 'timed_out')
    : found.rows
  const checks = find && !signal.aborted ? [await find(rows)] : []
  const summary = summarise(rows, {
    readings: found.readings,
    checks,
    library: findLibrary(readHere),
  })
  // Decision: the report names the page as it was given, since each start of an app gets another
  // port.
  const report = { ...found, app: plan.app, ...summary }
  // A sandbox that ends with the audit takes its flows with it.
  const console = sandbox.isOwn ? undefined : `${sandbox.baseUrl}/_sandbox/console`
  for (const line of [
    '',
    ...renderAuditTerminal(report, { console, command, colour: host.colour }),
  ])
    say(line)
  if (signal.aborted) {
    say('interrupted: this is what was found so far; no report is written')
    return report.exit_code
  }
  if (sandbox.isOwn && report.exit_code !== 0)
    say(
      'To look at the flows in the console, start agekey-sandbox before the audit: those of this one ended with it',
    )
  // Kept for --again and for the console, unless only some rows were tried.
  if (mode !== 'run' || (given.only ?? given.skip) === undefined)
    try {
      const kept = await keepReport(report, mode)
      const page = `${console}/audit`
      if (console !== undefined && (await isShownAt(page, kept, sandbox.certificate?.pem)))
        say(`All verdicts by check, with their flows: ${page}`)
    } catch (error) {
      host.warn(
        `${LAST_AUDIT}: cannot be written (${messageOf(error)}); --again will not know this audit`,
      )
    }
  const summaryFile = host.environment['GITHUB_STEP_SUMMARY'] || undefined
  writeReports(report, given, {
    console,
    source: plan.sourceOf,
    summaryFile,
    writeFiles: host.writeFiles,
  })
  return report.exit_code
}

/** A file of the folder in which the audit was started, if it can be read. */
function readHere(name: string): string | undefined {
  try {
    return readFileSync(name, 'utf8')
  } catch {
    return undefined
  }
}

const EVERY_ROWS = 25

const COUNTED: readonly VerdictName[] = ['let in', 'ignored', 'broke', 'too strict', 'undetermined']

/**
 * Reports what was learned and how far an audit is: by one line that changes, or by a line for each
 * 25 rows or readings.
 */
export function createProgress(
  { redraw, note, say }: Pick<AuditHost, 'redraw' | 'note' | 'say'>,
  { jobs, budgetSeconds, signal }: { jobs: number; budgetSeconds: number; signal: AbortSignal },
) {
  const verdicts = new Map<string, VerdictName>()
  return {
    show(news: AuditProgress): void {
      if (news.stage === 'learned')
        for (const text of ['learned:', ...news.lines.map((one) => `  ${one}`)]) say(visible(text))
      else if (news.stage === 'planned') {
        // Two significant digits: 397 is 400.
        const seconds = Number(((news.trials * news.secondsPerVisit) / jobs).toPrecision(2))
        if (seconds > budgetSeconds)
          say(
            `this takes about ${seconds} s, more than --budget ${budgetSeconds}: raise it, or choose rows by --only`,
          )
      } else if (!signal.aborted) {
        const { stage, done, total } = news
        if (stage === 'row') verdicts.set(news.row.row, news.row.verdict)
        const found = COUNTED.flatMap((name) => {
          const count = [...verdicts.values()].filter((verdict) => verdict === name).length
          return count > 0 ? [`${count} ${name}`] : []
        })
        if (stage === 'reading' && news.failing > 0)
          found.push(`${news.failing} that it depends on`)
        const text = [`${stage}s ${done}/${total}`, ...found].join(', ')
        if (redraw) redraw(text)
        else if (done % EVERY_ROWS === 0 || done === total) note(text)
      }
    },
    end: () => redraw?.(''),
  }
}
