import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { TenantReadings } from '../../client/shapes.ts'
import type { AuditReport, TriedVariant } from '../../sandbox/outcomes/report/audit-report.ts'
import { summarise } from '../../sandbox/outcomes/report/totals.ts'
import { quotationOf } from '../../sandbox/readings/readings.ts'
import { withLearned } from '../audit.ts'
import type { AppCopies } from '../drive/audited-app.ts'
import type { AuditRunOptions } from '../options.ts'
import { runTrials } from '../trials/run-trials.ts'
import type { AuditRun, Trial, TrialFinding } from '../trials/trial.ts'
import { goodFlow } from '../trials/try-rows.ts'
import { findingReason, tryCombinations } from './combinations.ts'
import { type ReadingSettings, readingTrial, runFlow, type ShownFlow, setReadings } from './reading-trial.ts'
import { type ChosenVariant, unusualVariants } from './variants.ts'

export interface ReadingsOptions extends AuditRunOptions {
  /** The readings that the app depends on count for the exit code. */
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
  const { budgetSeconds = BUDGET_SECONDS, failOnReadings: counted = false } = options
  const own = new Map<SandboxApi, TenantReadings>()
  for (const { sandbox } of app.copies) own.set(sandbox, await sandbox.readings())
  try {
    for (const [sandbox, before] of own) await setReadings(sandbox, {}, before)
    const limits = { ...options, budgetSeconds }
    const found = await withLearned(app, limits, (run) => tryReadings({ ...run, own }))
    const { variants, combinations, ...report } = found
    const { started_at, seconds } = report
    const readings = { started_at, seconds, variants, combinations, counted }
    return { ...report, ...summarise([], { readings }), readings }
  } finally {
    await Promise.all([...own].map(([sandbox, before]) => setReadings(sandbox, {}, before)))
  }
}

/** Tries each variant alone. Then tries the variants that the app works under together, so that each pair of them is tried once. */
async function tryReadings({ own, ...audit }: AuditRun & Pick<ReadingSettings, 'own'>) {
  const { learned, options } = audit
  const [first] = audit.workers
  const usual = new Map<string, ShownFlow>()
  const settings = { ...audit, usual, own }
  const variants = unusualVariants((first && own.get(first.sandbox)?.readings) ?? {}, settings)
  const tried = variants.map((one) => ({ one, trial: readingTrial([one], settings) }))
  const open = tried.filter(({ one }) => !one.absent)
  for (const flow of open.flatMap(({ one }) => one.flows))
    if (first && !usual.has(flow.name)) usual.set(flow.name, await runFlow(flow, first, settings))

  const run = (trials: readonly Trial[], onFinding = (_trial: Trial, _finding: TrialFinding) => {}) =>
    runTrials(trials, { ...audit, visitsEach: 1, control: goodFlow(learned), onFinding })

  let failing = 0
  let done = 0
  const report = (total: number) => options.onProgress?.({ stage: 'reading', done: ++done, total, failing })
  const allOpen = open.map(({ trial }) => trial)
  const findingOf = await run(allOpen, (_trial, { verdict }) => {
    if (verdict === 'too strict') failing += 1
    report(open.length)
  })
  const found = tried.map(({ one, trial }) => ({ one, finding: one.absent ?? findingOf(trial) }))

  const working = found.flatMap(({ one, finding }) => (finding.verdict === 'accepted' ? one : []))
  const tryOne = async (set: readonly ChosenVariant[]) => {
    const trial = readingTrial(set, settings)
    return (await run([trial]))(trial)
  }
  const combinations = await tryCombinations(working, tryOne, (_tried, total) => report(open.length + total))
  return {
    combinations,
    variants: found.map(({ one: { reading, variant, usual }, finding }): TriedVariant => {
      const silent = `${reading.section}: ${quotationOf(reading)}`
      const names = { reading: reading.name, variant: variant.name, usual, summary: variant.summary, silent }
      return { ...names, ...verdictOf(finding), flows: [...new Set(finding.flows)] }
    }),
  }
}

function verdictOf(finding: TrialFinding): Pick<TriedVariant, 'verdict' | 'reason' | 'evidence'> {
  const { verdict, evidence } = finding
  if (verdict === 'accepted') return { verdict: 'works' }
  if (verdict === 'too strict') return { verdict: 'depends', evidence }
  return { verdict: verdict === 'not for this app' ? verdict : 'undetermined', reason: findingReason(finding) }
}
