import type { SandboxApi } from '../client/sandbox-api.ts'
import { packageVersion } from '../package-root.ts'
import type { AuditReport } from '../sandbox/outcomes/audit-report.ts'
import { CATALOGUE_VERSION } from '../sandbox/outcomes/catalogue.ts'
import { summarise } from '../sandbox/outcomes/report/totals.ts'
import { AuditProblem } from './audit-problem.ts'
import type { AppCopies, AuditedApp } from './drive/audited-app.ts'
import { chooseCast } from './drive/cast.ts'
import { startDeadline } from './drive/deadline.ts'
import type { Driver } from './drive/driver.ts'
import { type LearnedApp, learnApp } from './learn/learn-app.ts'
import type { AuditOptions } from './options.ts'
import { selectRows } from './trials/select-rows.ts'
import type { Stage } from './trials/trial.ts'
import { tryRows } from './trials/try-rows.ts'

/** Defaults of `AuditOptions`. */
export const DEFAULT_JOBS = 4
export const DEFAULTS = { timeoutSeconds: 10, budgetSeconds: 300, repeat: 2 } as const

/**
 * Drives an app through every row of the catalogue that applies to it and says which wrong answers it lets in. Of several
 * copies the first is learned from, and the rows are divided among all.
 * @throws AuditProblem, in one line, when nothing can be shown
 */
export async function runAudit(subject: AuditedApp | AppCopies, options: AuditOptions = {}): Promise<AuditReport> {
  const { failOn = 'must', catalogue = CATALOGUE_VERSION, known = [] } = options
  const rows = selectRows(options)
  if (rows.length === 0) throw new AuditProblem('only and skip together leave no row; --list shows all of them')
  const { startedAt, seconds } = startTiming()
  const { copies, visitsEach, startFresh }: AppCopies =
    'copies' in subject ? subject : { copies: [subject], visitsEach: options.jobs ?? DEFAULT_JOBS }
  const [app] = copies
  const { learned, judged, notes } = await withLimits(options, async ({ drive, signal }) => {
    const driver = drive(app)
    const learned = await learnApp(app, driver, options)
    options.onProgress?.({ stage: 'learned', lines: learned.lines })
    const found = await tryRows(rows, {
      learned,
      stages: await stagesOf(copies, { learned, driver, drive }),
      visitsEach,
      startFresh,
      drive,
      isVisited: app.agent === 'function',
      repeat: options.repeat ?? DEFAULTS.repeat,
      counting: { failOn, catalogue, known, today: startedAt },
      signal,
      slow: options.slow ?? false,
      age: options.age,
      pages: options,
      onPlan: (trials) => options.onProgress?.({ stage: 'planned', trials, secondsPerVisit: learned.visitSeconds }),
      onRow: (progress) => options.onProgress?.({ stage: 'row', ...progress }),
    })
    return { learned, ...found }
  })
  return {
    version: packageVersion(),
    catalogue,
    app: app.page,
    agent: app.agent,
    started_at: startedAt,
    seconds: seconds(),
    learned: learned.described,
    ...summarise(judged),
    notes: [...notes, ...(app.notes?.() ?? [])],
  }
}

/** What was learned on the first copy is true of all; sandbox, driver and personas are of each. */
export const stagesOf = (
  copies: readonly AuditedApp[],
  { learned, driver, drive }: { learned: LearnedApp; driver: Driver; drive(app: AuditedApp): Driver },
): Promise<readonly Stage[]> =>
  Promise.all(
    copies.map(async (copy, index) => ({
      name: copies.length === 1 ? 'your app' : `copy ${index + 1} of your app`,
      sandbox: copy.sandbox,
      program: copy.program,
      driver: index === 0 ? driver : drive(copy),
      cast: index === 0 ? learned.cast : await chooseCast(copy.sandbox, learned.profile.claims),
    })),
  )

/** Learns what success and failure look like in an app, and judges nothing. @throws AuditProblem */
export async function learnPages(
  app: AuditedApp,
  options: AuditOptions,
): Promise<Pick<LearnedApp, 'described' | 'lines'>> {
  return withLimits(options, ({ drive }) => learnApp(app, drive(app), options))
}

/** Drives apps for as long as the budget lasts. */
export async function withLimits<Result>(
  { timeoutSeconds = DEFAULTS.timeoutSeconds, budgetSeconds = DEFAULTS.budgetSeconds, ...options }: AuditOptions,
  act: (tools: { drive(app: AuditedApp): Driver; signal: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  const { signal, clear } = startDeadline(budgetSeconds, options.signal)
  const used = new Set<SandboxApi>()
  const drive = (app: AuditedApp) => {
    used.add(app.sandbox)
    return app.drive({ timeoutSeconds, signal })
  }
  return act({ drive, signal }).finally(async () => {
    clear()
    // The next key, which a row has published: there is none when no row did.
    await Promise.allSettled([...used].map(({ keys }) => keys.rotate('withdraw')))
  })
}

/** Starts to measure how long an audit takes. */
export function startTiming(): { readonly startedAt: string; seconds(): number } {
  const start = Date.now()
  return { startedAt: presentTime(), seconds: () => (Date.now() - start) / 1000 }
}

/** ISO 8601, by the clock of this machine: that of the sandbox may be moved. */
export const presentTime = (): string => new Date().toISOString()
