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
 * Learns an app, then tries all selected rows that apply to the app.
 * @throws AuditProblem with one line when `only` and `skip` select no row, or the app cannot be
 * learned
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
 * Learns an app, then calls `act`. Learning and `act` share the time budget.
 * @returns the result of `act`, with the members of a report that describe the audit
 * @throws AuditProblem with one line when the app cannot be learned
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
    // A row may have published the next signing key.
    await Promise.allSettled(copies.map(({ sandbox }) => sandbox.keys.rotate('withdraw')))
  }
}

/**
 * Learns the first copy of an app, and creates a worker for each copy.
 * @throws AuditProblem with one line when the app cannot be learned
 */
export async function startRun(
  app: AppCopies,
  options: AuditRunOptions,
  signal: AbortSignal,
): Promise<AuditRun> {
  const { timeoutSeconds = DEFAULTS.timeoutSeconds } = options
  const { copies } = app
  const [first] = copies
  // From the clock of this machine, because a test may have moved the clock of the sandbox.
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
