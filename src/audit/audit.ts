import { packageVersion } from '../package-root.ts'
import { startStopwatch } from '../sandbox/clock/clock.ts'
import { CATALOGUE_VERSION } from '../sandbox/outcomes/catalogue.ts'
import { startDeadline } from '../server/client/deadline.ts'
import { AuditProblem } from './audit-problem.ts'
import type { AppCopies, AuditedApp } from './drive/driver.ts'
import { learnApp } from './learn/learn-app.ts'
import { type AuditRunOptions, DEFAULTS } from './options.ts'
import type { AuditReport } from './report/audit-report.ts'
import { summarise } from './report/summarise.ts'
import type { AuditRun } from './trials/audit-run.ts'
import { selectRows } from './trials/rows/select-rows.ts'
import { tryRows } from './trials/rows/try-rows.ts'

/**
 * Tries all rows that apply to an app.
 * @throws AuditProblem, in one line, when nothing can be shown
 */
export async function runAudit(
  subject: AuditedApp | AppCopies,
  options: AuditRunOptions = {},
): Promise<AuditReport> {
  const rows = selectRows(options)
  if (rows.length === 0)
    throw new AuditProblem('only and skip together leave no row; audit --list shows all of them')
  return withLearned(subject, options, async (run) => summarise(await tryRows(rows, run)))
}

/**
 * Learns an app, then calls `act` within the budget.
 * @returns the result of `act`, and the members of a report that describe the audit
 * @throws AuditProblem
 */
export async function withLearned<Found>(
  subject: AuditedApp | AppCopies,
  options: AuditRunOptions,
  act: (run: AuditRun) => Promise<Found>,
) {
  const {
    budgetSeconds = DEFAULTS.budgetSeconds,
    jobs: visitsEach = DEFAULTS.jobs,
    onProgress,
  } = options
  const app: AppCopies = 'copies' in subject ? subject : { copies: [subject], visitsEach }
  const { copies } = app
  const [first] = copies
  const passed = startStopwatch()
  const { signal, clear } = startDeadline(budgetSeconds, options.signal)
  try {
    const run = await startRun(app, options, signal)
    const { lines, described } = run.learned
    onProgress?.({ stage: 'learned', lines })
    const found = await act(run)
    return {
      ...found,
      version: packageVersion(),
      catalogue: CATALOGUE_VERSION,
      app: first.page,
      agent: first.agent,
      started_at: run.today,
      seconds: passed() / 1000,
      notes: [...run.notes, ...(first.notes?.() ?? [])],
      learned: described,
    }
  } finally {
    clear()
    // A row may have published the next key.
    await Promise.allSettled(copies.map(({ sandbox }) => sandbox.keys.rotate('withdraw')))
  }
}

export async function startRun(
  app: AppCopies,
  options: AuditRunOptions,
  signal: AbortSignal,
): Promise<AuditRun> {
  const { timeoutSeconds = DEFAULTS.timeoutSeconds } = options
  const { copies } = app
  const [first] = copies
  // By the clock of this machine: the clock of the sandbox may have been moved.
  const today = new Date().toISOString()
  const drive = (one: AuditedApp) => one.drive({ timeoutSeconds, signal })
  const driver = drive(first)
  const learned = await learnApp(first, driver, options)
  // The facts about the first copy hold for all copies.
  const workers = copies.map((copy, index) => ({
    ...copy,
    name: copies.length === 1 ? 'your app' : `copy ${index + 1} of your app`,
    driver: index === 0 ? driver : drive(copy),
  }))
  return {
    ...app,
    learned,
    workers,
    options,
    isVisited: first.agent === 'function',
    today,
    signal,
    notes: [],
    drive,
  }
}
