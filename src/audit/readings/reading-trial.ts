import type { Readings } from '../../sandbox/readings/reading.ts'
import { READINGS } from '../../sandbox/readings/readings.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { TenantReadings } from '../../server/client/shapes.ts'
import type { AuditRun, Worker } from '../trials/audit-run.ts'
import type { Trial, TrialFinding } from '../trials/trial.ts'
import { type ChosenVariant, chosenVariantName } from './chosen-variants.ts'
import { compareFlows } from './compare-flows.ts'
import { whyNotMet } from './met-difference.ts'
import { runFlow, type ShownFlow, type TriedFlow } from './tried-flow.ts'
import { type WatchedDocuments, watchDocuments } from './watched-documents.ts'

export interface ReadingSettings
  extends Pick<AuditRun, 'learned' | 'options' | 'startFresh' | 'drive' | 'signal'> {
  /** Each flow as it ended under the usual readings, by the name of the flow. */
  readonly usual: ReadonlyMap<string, ShownFlow>
  /** The readings of each worker's tenant before the audit. */
  readonly own: ReadonlyMap<SandboxApi, TenantReadings>
}

/** Sets readings of a tenant. All other readings get the value in `own`, or the default. */
export async function setReadings(
  sandbox: SandboxApi,
  readings: Readings,
  own?: TenantReadings,
): Promise<void> {
  const all = READINGS.map(({ name }) => [name, readings[name] ?? own?.readings[name] ?? null])
  await sandbox.configure({ readings: Object.fromEntries(all) })
}

/** Readings of documents that an app requests at its start, so their trials need a fresh copy. */
const READ_AT_START = [
  'discovery',
  'key_set',
  'key_members',
  'kid',
  'unknown_members',
  'callback_iss',
]

const isGood = ({ verdict }: TrialFinding) => verdict === 'accepted'

/** The result of several flows under some variants, and the first flow that failed. */
interface VariantsResult {
  readonly finding: TrialFinding
  readonly failed?: TriedFlow | undefined
}

/** An app whose tenant has the variants. */
interface PreparedApp extends Pick<Worker, 'sandbox' | 'driver'> {
  /** Whether a copy was started for the variants. */
  readonly isFresh: boolean
}

/** Flows to try under some variants. */
interface VariantsTrial {
  readonly variants: readonly ChosenVariant[]
  readonly flows: readonly TriedFlow[]
  readonly settings: ReadingSettings
}

/**
 * Makes a trial of variants that are set together. The trial stops at the first failing flow, and
 * runs this flow again under the usual readings as a control.
 */
export function readingTrial(
  variants: readonly ChosenVariant[],
  settings: ReadingSettings,
): Trial<TrialFinding> {
  const { signal } = settings
  const startFresh = variants.some(({ reading }) => READ_AT_START.includes(reading.name))
    ? settings.startFresh
    : undefined
  const byName = new Map(variants.flatMap(({ flows }) => flows.map((flow) => [flow.name, flow])))
  const flows = [...byName.values()]

  async function runUnder(trial: Omit<VariantsTrial, 'settings'>, worker: Worker) {
    const all = { ...trial, settings }
    return startFresh ? runOnCopy(all, startFresh) : runOnWorker(all, worker)
  }

  /** Runs the failed flow under the usual readings. */
  async function runControl(failed: TriedFlow, worker: Worker): Promise<TrialFinding> {
    const control = { variants: [], flows: [failed] }
    const { finding } = await runUnder(control, worker)
    if (isGood(finding) || startFresh || !worker.program) return finding
    // The app may have crashed, so the control gets a second chance after a restart. If the restart
    // fails, the next run shows it.
    await worker.program.restart().catch(() => {})
    return (await runUnder(control, worker)).finding
  }

  return {
    name: variants.map(chosenVariantName).join(' '),
    runs: 'alone',
    async drive(worker) {
      const { finding, failed } = await runUnder({ variants, flows }, worker)
      if (!failed || signal.aborted) return finding
      const control = await runControl(failed, worker)
      if (isGood(control)) return finding
      const evidence = `${finding.evidence}; afterwards it was so under the usual readings too: ${control.evidence}`
      return { ...finding, verdict: 'undetermined', reason: 'control_lost', evidence }
    },
    proof: (finding) => finding,
  }
}

const readingsOf = (variants: readonly ChosenVariant[]): Readings =>
  Object.fromEntries(variants.map(({ reading, variant }) => [reading.name, variant.name]))

/** Runs the flows with a fresh copy of the app, on a tenant with the variants. */
async function runOnCopy(
  trial: VariantsTrial,
  startFresh: NonNullable<AuditRun['startFresh']>,
): Promise<VariantsResult> {
  const { variants, flows, settings } = trial
  let documents: WatchedDocuments | undefined
  const copy = await startFresh({
    async prepare(sandbox) {
      await setReadings(sandbox, readingsOf(variants))
      documents = await watchDocuments(sandbox)
    },
    signal: settings.signal,
  })
  try {
    if (copy.failure) {
      const evidence = `your app did not start: ${copy.failure.problem}`
      return { finding: { verdict: 'too strict', evidence, flows: [] }, failed: flows[0] }
    }
    const app = { sandbox: copy.sandbox, driver: settings.drive(copy.app), isFresh: true }
    return await runFlows(trial, app, documents)
  } finally {
    await copy.close()
  }
}

/** Runs the flows with a worker. Sets the variants in its tenant and restores the readings. */
async function runOnWorker(trial: VariantsTrial, worker: Worker): Promise<VariantsResult> {
  const { sandbox, driver } = worker
  const own = trial.settings.own.get(sandbox)
  let documents: WatchedDocuments | undefined
  try {
    await setReadings(sandbox, readingsOf(trial.variants), own)
    const app = { sandbox, driver, isFresh: false }
    documents = await watchDocuments(sandbox)
    return await runFlows(trial, app, documents)
  } finally {
    await setReadings(sandbox, {}, own)
    await documents?.stop()
  }
}

/** Runs each flow and compares it with its usual end, up to the first failure. */
async function runFlows(
  { variants, flows, settings }: VariantsTrial,
  app: PreparedApp,
  watched: WatchedDocuments | undefined,
): Promise<VariantsResult> {
  const runs: ShownFlow[] = []
  const findings: TrialFinding[] = []
  for (const flow of flows) {
    const shown = await runFlow(flow, app, settings)
    const finding = compareFlows(settings.usual.get(flow.name) ?? shown, shown, settings.learned)
    if (finding.verdict === 'too strict') return { finding, failed: flow }
    runs.push(shown)
    findings.push(finding)
  }
  const documents = (await watched?.requested()) ?? []
  const open = findings.find((one) => !isGood(one))
  if (open) return { finding: open }
  const [variant, ...others] = variants
  // For a combination, each variant was already seen to make a difference alone.
  const unmet =
    variant && others.length === 0
      ? whyNotMet(variant, { runs, documents, isFresh: app.isFresh })
      : undefined
  if (unmet) return { finding: unmet }
  return {
    finding: {
      verdict: 'accepted',
      evidence: 'each flow ended as usual',
      flows: findings.flatMap((finding) => finding.flows),
    },
  }
}
