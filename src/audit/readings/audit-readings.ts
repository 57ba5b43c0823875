import { quotationOf } from '../../sandbox/readings/readings.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { TenantReadings } from '../../server/client/shapes.ts'
import { withLearned } from '../audit.ts'
import type { AppCopies } from '../drive/driver.ts'
import type { AuditRunOptions } from '../options.ts'
import type { AuditReport, ReadingsReport, TriedVariant } from '../report/audit-report.ts'
import { summarise } from '../report/summarise.ts'
import type { AuditRun } from '../trials/audit-run.ts'
import { goodFlow } from '../trials/good-flow.ts'
import { runTrials } from '../trials/run-trials.ts'
import type { Trial, TrialFinding } from '../trials/trial.ts'
import { type ChosenVariant, unusualVariants } from './chosen-variants.ts'
import { findingReason, tryCombinations } from './combinations.ts'
import { type ReadingSettings, readingTrial, setReadings } from './reading-trial.ts'
import { runFlow, type ShownFlow } from './tried-flow.ts'

export interface ReadingsOptions extends AuditRunOptions {
  /** Whether readings that the app depends on count for the exit code. */
  readonly failOnReadings?: boolean
}

/** Default budget: with Chromium, the flows of one app take about five minutes. */
const BUDGET_SECONDS = 900

/**
 * Finds out which readings an app depends on. Runs the app's good flows under each variant of each
 * reading, then under combinations that together contain every pair of variants. Always restores
 * the readings of each tenant.
 * @throws AuditProblem with one line when the app cannot be learned
 */
export async function auditReadings(
  app: AppCopies,
  options: ReadingsOptions = {},
): Promise<AuditReport> {
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

/** Tries each variant alone, then combinations of the variants under which the app works. */
async function tryReadings({
  own,
  ...audit
}: AuditRun & Pick<ReadingSettings, 'own'>): Promise<
  Pick<ReadingsReport, 'variants' | 'combinations'>
> {
  const [first] = audit.workers
  const usual = new Map<string, ShownFlow>()
  const settings = { ...audit, usual, own }
  const variants = unusualVariants((first && own.get(first.sandbox)?.readings) ?? {}, settings)
  const tried = variants.map((chosen) => ({ chosen, trial: readingTrial([chosen], settings) }))
  const open = tried.filter(({ chosen }) => !chosen.absent)
  for (const flow of open.flatMap(({ chosen }) => chosen.flows))
    if (first && !usual.has(flow.name)) usual.set(flow.name, await runFlow(flow, first, settings))

  const run = (
    trials: readonly Trial[],
    onFinding = (_trial: Trial, _finding: TrialFinding) => {},
  ) => runTrials(trials, { ...settings, visitsEach: 1, control: goodFlow(settings), onFinding })

  let failing = 0
  let done = 0
  function report(total: number): void {
    done += 1
    audit.options.onProgress?.({ stage: 'reading', done, total, failing })
  }
  const openTrials = open.map(({ trial }) => trial)
  const findingOf = await run(openTrials, (_trial, { verdict }) => {
    if (verdict === 'too strict') failing += 1
    report(open.length)
  })
  const found = tried.map(({ chosen, trial }) => ({
    chosen,
    finding: chosen.absent ?? findingOf(trial),
  }))

  const working = found
    .filter(({ finding }) => finding.verdict === 'accepted')
    .map(({ chosen }) => chosen)
  const tryTogether = async (set: readonly ChosenVariant[]) => {
    const trial = readingTrial(set, settings)
    return (await run([trial]))(trial)
  }
  const combinations = await tryCombinations(working, tryTogether, (_tried, total) =>
    report(open.length + total),
  )
  return {
    combinations,
    variants: found.map(({ chosen, finding }) => describeVariant(chosen, finding)),
  }
}

const describeVariant = (
  { reading, variant, usual }: ChosenVariant,
  finding: TrialFinding,
): TriedVariant => ({
  reading: reading.name,
  variant: variant.name,
  usual,
  summary: variant.summary,
  silent: `${reading.section}: ${quotationOf(reading)}`,
  ...verdictOf(finding),
  flows: [...new Set(finding.flows)],
})

function verdictOf(finding: TrialFinding): Pick<TriedVariant, 'verdict' | 'reason' | 'evidence'> {
  const { verdict, evidence } = finding
  if (verdict === 'accepted') return { verdict: 'works' }
  if (verdict === 'too strict') return { verdict: 'depends', evidence }
  return {
    verdict: verdict === 'not for this app' ? verdict : 'undetermined',
    reason: findingReason(finding),
  }
}
