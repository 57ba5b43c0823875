import { messageOf } from '../../files/caught.ts'
import { packageVersion } from '../../package-root.ts'
import type { AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import { CATALOGUE_VERSION } from '../../sandbox/outcomes/catalogue.ts'
import type { ReadingsReport } from '../../sandbox/outcomes/report/readings-report.ts'
import { exitCodeOf } from '../../sandbox/outcomes/report/totals.ts'
import { startTiming, withLimits } from '../audit.ts'
import { AuditProblem } from '../audit-problem.ts'
import type { AppCopies, AuditedApp } from '../drive/audited-app.ts'
import type { Driver } from '../drive/driver.ts'
import { prepareCopies } from '../judge/judged-copy.ts'
import { type LearnedApp, learnApp } from '../learn/learn-app.ts'
import type { AuditOptions } from '../options.ts'
import { benchOf, freshBench } from './bench.ts'
import { judgeReadings } from './judge-readings.ts'
import { openReadings, type TenantReadings } from './tenant-readings.ts'
import { runFlow } from './tried-flow.ts'
import { workerOf } from './workers.ts'

export interface ReadingsOptions extends AuditOptions {
  /** What the app depends on counts for the exit code. */
  readonly failOnReadings?: boolean
}

/** By Chromium the flows of one app take some five minutes. */
const BUDGET_SECONDS = 900

/**
 * Drives an app through its good flows under each variant of each reading, one at a time, and then under combinations that hold
 * every pair, and says which it depends on. The readings of each tenant are put back, whatever happens.
 * @throws AuditProblem, in one line, when nothing can be shown
 */
export async function auditReadings(app: AppCopies, options: ReadingsOptions = {}): Promise<AuditReport> {
  const timing = startTiming()
  const [first] = app.copies
  const { learned, ...found } = await withReadings(app, (tenants) =>
    withLimits({ ...options, budgetSeconds: options.budgetSeconds ?? BUDGET_SECONDS }, (tools) =>
      learnAndJudge(app, { ...tools, tenants, options }),
    ),
  )
  const [startedAt, seconds] = [timing.startedAt, timing.seconds()]
  const readings: ReadingsReport = {
    started_at: startedAt,
    seconds,
    ...found,
    counted: options.failOnReadings ?? false,
  }
  return {
    version: packageVersion(),
    catalogue: CATALOGUE_VERSION,
    app: first.page,
    agent: first.agent,
    started_at: startedAt,
    seconds,
    learned,
    checks: [],
    rows: [],
    totals: {},
    readings,
    notes: first.notes?.() ?? [],
    exit_code: exitCodeOf([], readings),
  }
}

/** Opens the readings of each tenant, and puts them back in the end. */
async function withReadings<Result>(
  { copies }: AppCopies,
  act: (tenants: readonly TenantReadings[]) => Promise<Result>,
): Promise<Result> {
  const tenants: TenantReadings[] = []
  for (const { sandbox } of copies) tenants.push(await openReadings(sandbox))
  try {
    // Under a seed an app would be learned by flows that differ from each other.
    for (const tenant of tenants) await tenant.set({})
    return await act(tenants)
  } finally {
    await putAllBack(tenants)
  }
}

async function putAllBack(tenants: readonly TenantReadings[]): Promise<void> {
  const results = await Promise.allSettled(tenants.map((readings) => readings.putBack()))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw new AuditProblem(`the readings of the sandbox were not put back: ${messageOf(failed.reason)}`)
}

interface Tools {
  readonly tenants: readonly TenantReadings[]
  readonly options: AuditOptions
  readonly signal: AbortSignal
  drive(app: AuditedApp): Driver
}

type Found = Pick<ReadingsReport, 'variants' | 'combinations'> & { readonly learned: LearnedApp['described'] }

async function learnAndJudge(app: AppCopies, { tenants, options, signal, drive }: Tools): Promise<Found> {
  const [first, ...others] = app.copies
  const driver = drive(first)
  const driven = [{ ...first, driver }, ...others.map((copy) => ({ ...copy, driver: drive(copy) }))]
  const learned = await learnApp(first, driver, options)
  options.onProgress?.({ stage: 'learned', lines: learned.lines })
  const settings = { learned, pages: options }
  const copies = await prepareCopies(driven, { learned, repeat: 1 })
  const [leading] = copies
  if (!leading) throw new Error('an app has a copy')
  const running = tenants.flatMap((readings, index) => {
    const copy = copies[index]
    return copy ? [workerOf(benchOf(copy.judge, readings, settings), copy.program)] : []
  })
  const { startFresh } = app
  const fresh = startFresh && freshBench({ ...settings, startFresh, drive, signal })
  const found = await judgeReadings({
    ...settings,
    running,
    starting: fresh ? copies.map(() => workerOf(fresh)) : [],
    showUsual: (flow) => runFlow(flow, leading.judge, settings),
    usualReadings: tenants[0]?.usual ?? {},
    signal,
    onTried: (progress) => options.onProgress?.({ stage: 'reading', ...progress }),
  })
  return { learned: learned.described, ...found }
}
