import { quotationOf } from '../../sandbox/readings/readings.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { TenantReadings } from '../../server/client/shapes.ts'
import { withLearned } from '../audit.ts'
import type { AppCopies } from '../drive/driver.ts'
import type { AuditRunOptions } from '../options.ts'
import type { AuditReport, ReadingsReport, TriedVariant } from '../report/audit-report.ts'
import { summarise } from '../report/checks-of.ts'
import type { AuditRun } from '../trials/audit-run.ts'
import { goodFlow } from '../trials/good-flow.ts'
import { runTrials } from '../trials/run-trials.ts'
import type { Trial, TrialFinding } from '../trials/trial.ts'
import {
  type ChosenVariant,
  chosenVariantName,
  mayMeet,
  type ReadingSettings,
  readingTrial,
  runFlow,
  type ShownFlow,
  setReadings,
  unusualVariants,
} from './reading-trial.ts'

export interface ReadingsOptions extends AuditRunOptions {
  /** The readings on which the app depends count for the exit code. */
  readonly failOnReadings?: boolean
}

/** By Chromium the flows of one app take some five minutes. */
const BUDGET_SECONDS = 900

/**
 * Drives an app through its good flows under each variant of each reading, one at a time, then
 * under combinations that contain every pair, and says on which it depends. The readings of each
 * tenant are restored in any case.
 * @throws AuditProblem, in one line, when nothing can be shown
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

/**
 * Tries each variant alone. Then tries the variants that the app works under together, so that each
 * pair of them is tried once.
 */
async function tryReadings({ own, ...audit }: AuditRun & Pick<ReadingSettings, 'own'>) {
  const { options } = audit
  const [first] = audit.workers
  const usual = new Map<string, ShownFlow>()
  const settings = { ...audit, usual, own }
  const variants = unusualVariants((first && own.get(first.sandbox)?.readings) ?? {}, settings)
  const tried = variants.map((one) => ({ one, trial: readingTrial([one], settings) }))
  const open = tried.filter(({ one }) => !one.absent)
  for (const flow of open.flatMap(({ one }) => one.flows))
    if (first && !usual.has(flow.name)) usual.set(flow.name, await runFlow(flow, first, settings))

  const run = (
    trials: readonly Trial[],
    onFinding = (_trial: Trial, _finding: TrialFinding) => {},
  ) => runTrials(trials, { ...settings, visitsEach: 1, control: goodFlow(settings), onFinding })

  let failing = 0
  let done = 0
  const report = (total: number) =>
    options.onProgress?.({ stage: 'reading', done: ++done, total, failing })
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
  const combinations = await tryCombinations(working, tryOne, (_tried, total) =>
    report(open.length + total),
  )
  return {
    combinations,
    variants: found.map(({ one: { reading, variant, usual }, finding }): TriedVariant => {
      const silent = `${reading.section}: ${quotationOf(reading)}`
      const names = {
        reading: reading.name,
        variant: variant.name,
        usual,
        summary: variant.summary,
        silent,
      }
      return { ...names, ...verdictOf(finding), flows: [...new Set(finding.flows)] }
    }),
  }
}

function verdictOf(finding: TrialFinding): Pick<TriedVariant, 'verdict' | 'reason' | 'evidence'> {
  const { verdict, evidence } = finding
  if (verdict === 'accepted') return { verdict: 'works' }
  if (verdict === 'too strict') return { verdict: 'depends', evidence }
  return {
    verdict: verdict === 'not for this app' ? verdict : 'undetermined',
    reason: findingReason(finding),
  }
}

type Combination = readonly ChosenVariant[]
type Try = (set: Combination) => Promise<TrialFinding>

/** Further failures would say little more. */
const MAX_FAILING = 10
const ENOUGH = `${MAX_FAILING} combinations fail, and further ones were not tried`

/**
 * Tries every pair of variants in combinations, and shrinks each that fails. Later combinations
 * contain no known failure.
 */
export async function tryCombinations(
  variants: readonly ChosenVariant[],
  tryOne: Try,
  onTried: (done: number, total: number) => void,
): Promise<ReadingsReport['combinations']> {
  const failing: Combination[] = []
  const failed: ReadingsReport['combinations']['failed'][number][] = []
  const undetermined = new Map<string, number>()
  const isKnown = (set: Combination) =>
    failing.some((part) => part.every((one) => set.includes(one)))
  const mayJoin = (set: Combination, one: ChosenVariant) =>
    set.every((other) => mayMeet(one, other)) && !isKnown([...set, one])
  let missing = variants.flatMap((one, index) =>
    variants.slice(index + 1).map((other) => [one, other] as const),
  )
  let tried = 0
  /** Why no other combination is tried. */
  let end: TrialFinding | undefined
  for (;;) {
    const left = coverPairs(missing, variants, mayJoin)
    const [set] = left
    if (!set)
      return {
        tried,
        undetermined: [...undetermined].map(([reason, count]) => ({ reason, count })),
        failed,
      }
    const { part, finding } = end ? { part: set, finding: end } : await tryAndShrink(set, tryOne)
    const { verdict, reason, evidence, flows } = finding
    if (verdict === 'too strict') {
      failing.push(part)
      failed.push({ variants: part.map(chosenVariantName), evidence, flows })
    } else missing = missing.filter((pair) => !pair.every((one) => set.includes(one)))
    if (verdict === 'accepted' || verdict === 'too strict')
      onTried(++tried, tried + left.length - 1)
    else
      undetermined.set(findingReason(finding), (undetermined.get(findingReason(finding)) ?? 0) + 1)
    if (reason === 'control_lost') end = finding
    if (failed.length === MAX_FAILING)
      end = { verdict: 'undetermined', evidence: ENOUGH, flows: [] }
  }
}

/** Why the result is undetermined: `page_unknown: in use/verified as adult your app showed ...`. */
const findingReason = ({ reason, evidence }: TrialFinding): string =>
  [reason, evidence].filter((text) => text).join(': ')

/**
 * A few combinations that contain every compatible pair of variants: each takes the variants that
 * add most missing pairs.
 */
export function coverPairs(
  pairs: readonly (readonly [ChosenVariant, ChosenVariant])[],
  variants: readonly ChosenVariant[],
  mayJoin: (set: Combination, one: ChosenVariant) => boolean,
): readonly Combination[] {
  const found: Combination[] = []
  let missing = pairs.filter(([one, other]) => mayJoin([one], other))
  while (missing.length > 0) {
    let set: Combination = missing[0] ?? []
    const gainOf = (one: ChosenVariant) =>
      missing.filter((pair) => pair.includes(one) && pair.some((other) => set.includes(other)))
        .length
    for (;;) {
      const joining = variants
        .filter((one) => mayJoin(set, one))
        .map((one) => ({ one, gain: gainOf(one) }))
      const [best] = joining.sort((a, b) => b.gain - a.gain)
      if (!best) break
      set = [...set, best.one]
    }
    found.push(set)
    missing = missing.filter((pair) => !pair.every((one) => set.includes(one)))
  }
  return found
}

/**
 * The result of a combination and, if it fails, its smallest failing part: halves are left out,
 * then quarters, then single variants.
 */
async function tryAndShrink(set: Combination, tryOne: Try) {
  let part = set
  let finding = await tryOne(part)
  if (finding.verdict !== 'too strict') return { part, finding }
  for (
    let size = Math.ceil(part.length / 2);
    size > 0;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    let at = 0
    while (at < part.length && part.length - size >= 2) {
      const smaller = part.toSpliced(at, size)
      const found = await tryOne(smaller)
      if (found.verdict === 'too strict') [part, finding] = [smaller, found]
      else at += size
    }
  }
  return { part, finding }
}
