import { packageVersion } from '../package-root.ts'
import { startStopwatch } from '../sandbox/clock/clock.ts'
import type { AuditReport } from '../sandbox/outcomes/audit-report.ts'
import { CATALOGUE_VERSION } from '../sandbox/outcomes/catalogue.ts'
import { summarise } from '../sandbox/outcomes/report/totals.ts'
import { AuditProblem } from './audit-problem.ts'
import type { AppCopies, AuditedApp } from './drive/audited-app.ts'
import { chooseCast } from './drive/cast.ts'
import { startDeadline } from './drive/deadline.ts'
import { learnApp } from './learn/learn-app.ts'
import { type AuditOptions, DEFAULTS } from './options.ts'
import { selectRows } from './trials/select-rows.ts'
import type { AuditRun, Stage } from './trials/trial.ts'
import { tryRows } from './trials/try-rows.ts'

/**
 * Drives an app through every row of the catalogue that applies to it and says which wrong answers it lets in. Of several
 * copies the first is learned from, and the rows are divided among all.
 * @throws AuditProblem, in one line, when nothing can be shown
 */
export async function runAudit(subject: AuditedApp | AppCopies, options: AuditOptions = {}): Promise<AuditReport> {
  const rows = selectRows(options)
  if (rows.length === 0) throw new AuditProblem('only and skip together leave no row; audit --list shows all of them')
  return withLearned(subject, options, async (run) => {
    const { judged, notes } = await tryRows(rows, run)
    return { notes, ...summarise(judged) }
  })
}

/**
 * Learns what success and failure look like in an app, and acts on it for as long as the budget lasts.
 * @returns what `act` found, with what each report begins with. @throws AuditProblem
 */
export async function withLearned<Found extends { readonly notes: readonly string[] }>(
  subject: AuditedApp | AppCopies,
  options: AuditOptions,
  act: (run: AuditRun) => Promise<Found>,
) {
  const app: AppCopies =
    'copies' in subject ? subject : { copies: [subject], visitsEach: options.jobs ?? DEFAULTS.jobs }
  const { timeoutSeconds = DEFAULTS.timeoutSeconds, budgetSeconds = DEFAULTS.budgetSeconds } = options
  const { copies, visitsEach, startFresh } = app
  const [first] = copies
  const today = presentTime()
  const passed = startStopwatch()
  const { signal, clear } = startDeadline(budgetSeconds, options.signal)
  const drive = (one: AuditedApp) => one.drive({ timeoutSeconds, signal })
  try {
    const driver = drive(first)
    const learned = await learnApp(first, driver, options)
    options.onProgress?.({ stage: 'learned', lines: learned.lines })
    // What was learned on the first copy is true of all; sandbox, driver and personas are of each.
    const stageOf = async (copy: AuditedApp, index: number): Promise<Stage> => ({
      name: copies.length === 1 ? 'your app' : `copy ${index + 1} of your app`,
      sandbox: copy.sandbox,
      program: copy.program,
      driver: index === 0 ? driver : drive(copy),
      cast: index === 0 ? learned.cast : await chooseCast(copy.sandbox, learned.profile.claims),
    })
    const stages = await Promise.all(copies.map(stageOf))
    const isVisited = first.agent === 'function'
    const found = await act({ learned, stages, options, visitsEach, startFresh, isVisited, today, signal, drive })
    return {
      ...found,
      version: packageVersion(),
      catalogue: CATALOGUE_VERSION,
      app: first.page,
      agent: first.agent,
      started_at: today,
      seconds: passed() / 1000,
      notes: [...found.notes, ...(first.notes?.() ?? [])],
      learned: learned.described,
    }
  } finally {
    clear()
    // The next key, which a row has published: there is none when no row did.
    await Promise.allSettled(copies.map(({ sandbox }) => sandbox.keys.rotate('withdraw')))
  }
}

/** ISO 8601, by the clock of this machine: that of the sandbox may be moved. */
export const presentTime = (): string => new Date().toISOString()
