import type { SandboxApi } from '../../client/sandbox-api.ts'
import { packageVersion } from '../../package-root.ts'
import type { AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import { CATALOGUE_VERSION } from '../../sandbox/outcomes/catalogue.ts'
import type { ReadingsReport, TriedVariant } from '../../sandbox/outcomes/report/readings-report.ts'
import { exitCodeOf } from '../../sandbox/outcomes/report/totals.ts'
import { DEFAULTS, stagesOf, startTiming, withLimits } from '../audit.ts'
import type { AppCopies, AuditedApp } from '../drive/audited-app.ts'
import type { Driver } from '../drive/driver.ts'
import { learnApp } from '../learn/learn-app.ts'
import type { AuditOptions } from '../options.ts'
import { runTrials } from '../trials/run-trials.ts'
import type { Finding, Stage, Trial } from '../trials/trial.ts'
import { findLoss } from '../trials/try-rows.ts'
import { findFailingSets, reasonOf } from './combine.ts'
import { readingTrial } from './reading-trial.ts'
import { openReadings, type TenantReadings } from './tenant-readings.ts'
import { runFlow, type ShownFlow } from './tried-flow.ts'
import { combinationsOf, unusualVariants } from './variants.ts'

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
  const limits = { ...options, budgetSeconds: options.budgetSeconds ?? BUDGET_SECONDS }
  const tenants = new Map<SandboxApi, TenantReadings>()
  for (const { sandbox } of app.copies) tenants.set(sandbox, await openReadings(sandbox))
  try {
    // Under a seed an app would be learned by flows that differ from each other.
    for (const tenant of tenants.values()) await tenant.set({})
    const found = await withLimits(limits, (tools) => tryReadings(app, { ...tools, tenants, options }))
    const time = { started_at: timing.startedAt, seconds: timing.seconds() }
    const { variants, combinations } = found
    const readings: ReadingsReport = { ...time, variants, combinations, counted: options.failOnReadings ?? false }
    return {
      version: packageVersion(),
      catalogue: CATALOGUE_VERSION,
      app: first.page,
      agent: first.agent,
      ...time,
      learned: found.learned,
      checks: [],
      rows: [],
      totals: {},
      readings,
      notes: [...found.notes, ...(first.notes?.() ?? [])],
      exit_code: exitCodeOf([], readings),
    }
  } finally {
    await Promise.all([...tenants.values()].map((tenant) => tenant.putBack()))
  }
}

interface Tools {
  readonly tenants: ReadonlyMap<SandboxApi, TenantReadings>
  readonly options: AuditOptions
  readonly signal: AbortSignal
  drive(app: AuditedApp): Driver
}

/** Tries each variant alone, then those that the app works under in combinations that hold every pair. */
async function tryReadings(app: AppCopies, { tenants, options, signal, drive }: Tools) {
  const [first] = app.copies
  const driver = drive(first)
  const learned = await learnApp(first, driver, options)
  options.onProgress?.({ stage: 'learned', lines: learned.lines })
  const stages = await stagesOf(app.copies, { learned, driver, drive })
  const usual = new Map<string, ShownFlow>()
  const settings = { learned, pages: options, usual, tenants, startFresh: app.startFresh, drive, signal }
  const variants = unusualVariants(tenants.get(first.sandbox)?.usual ?? {}, settings)
  const place = { sandbox: first.sandbox, driver, cast: learned.cast }
  for (const flow of variants.flatMap(({ flows }) => flows))
    if (!usual.has(flow.name)) usual.set(flow.name, await runFlow(flow, place, settings))

  const notes: string[] = []
  async function run(trials: readonly Trial[], onFinding: (trial: Trial, finding: Finding) => void = () => {}) {
    const repeat = options.repeat ?? DEFAULTS.repeat
    const loss = { findLoss: (stage: Stage) => findLoss(stage, learned) }
    const found = await runTrials(trials, { stages, visitsEach: 1, repeat, signal, onFinding, ...loss })
    notes.push(...found.notes)
    return found.findingOf
  }

  const all = variants.map((one) => ({ one, trial: readingTrial([one], settings) }))
  const open = all.filter(({ one }) => !one.absent)
  const verdicts = new Map<Trial, Finding['verdict']>()
  const report = (done: number, total: number) => {
    const failing = [...verdicts.values()].filter((verdict) => verdict === 'too strict').length
    options.onProgress?.({ stage: 'reading', done, total, failing })
  }
  const trials = open.map(({ trial }) => trial)
  const findingOf = await run(trials, (trial, { verdict }) => {
    verdicts.set(trial, verdict)
    report(verdicts.size, trials.length)
  })

  const works = open.filter(({ trial }) => findingOf(trial).verdict === 'accepted')
  const sets = combinationsOf(works.map(({ one }) => one))
  let tried = 0
  const combinations = await findFailingSets(sets, {
    async tryOne(set) {
      const trial = readingTrial(set, settings)
      return (await run([trial]))(trial)
    },
    onTried: () => report(open.length + ++tried, open.length + sets.length),
  })
  return {
    learned: learned.described,
    notes,
    combinations,
    variants: all.map(
      ({ one: { reading, variant, usual: usually, absent }, trial }): TriedVariant => ({
        reading: reading.name,
        variant: variant.name,
        usual: usually,
        summary: variant.summary,
        silent: `${reading.section}: ${reading.quote}`,
        ...(absent ?? describeFinding(findingOf(trial))),
      }),
    ),
  }
}

function describeFinding(finding: Finding): Pick<TriedVariant, 'verdict' | 'reason' | 'evidence' | 'flows'> {
  const flows = [...new Set(finding.flows)]
  if (finding.verdict === 'accepted') return { verdict: 'works', flows }
  if (finding.verdict === 'too strict') return { verdict: 'depends', evidence: finding.evidence, flows }
  return { verdict: 'undetermined', reason: reasonOf(finding), flows }
}
