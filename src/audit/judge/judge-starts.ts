import type { SandboxApi } from '../../client/sandbox-api.ts'
import { messageOf } from '../../files/caught.ts'
import { rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { AuditedApp, FreshCopy, StartFresh } from '../drive/audited-app.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import { readRun } from '../learn/flow-reader.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import type { Reading } from '../learn/signature.ts'
import { forEach } from './for-each.ts'
import { confirmFinding, type RowVerdict, verdictNameFor } from './judge-row.ts'
import type { RunVerdict } from './judge-run.ts'
import { withLog } from './refusing-check.ts'

/** What an app reads when it starts or for its first token: the replies that only a fresh copy of it meets. */
export type ReadFlow = 'jwks' | 'discovery'

export const isReadFlow = (flow: Outcome['flow']): flow is ReadFlow => flow === 'jwks' || flow === 'discovery'

interface Settings {
  readonly startFresh: StartFresh
  readonly drive: (app: AuditedApp) => Driver
  readonly learned: LearnedApp
  readonly signal: AbortSignal
  readonly repeat: number
  /** Copies that are started at the same time. */
  readonly jobs: number
}

interface JudgedStarts {
  readonly verdicts: ReadonlyMap<Outcome, RowVerdict>
  /** Why the app is given no row of a flow. */
  readonly unread: Readonly<Partial<Record<ReadFlow, string>>>
  readonly notes: readonly string[]
}

export const UNREAD: Readonly<Record<ReadFlow, string>> = {
  discovery: 'your app does not read a discovery document, not at its start and not for a token',
  jwks: 'your app does not read the key set, not at its start and not for a token',
}

/**
 * Judges rows of the key set and of discovery, each by a copy of the app that is started for it alone, on a tenant in which
 * every read is answered by the row. What has to be accepted comes first: it shows whether the app reads the document at all.
 */
export async function judgeStarts(
  rows: readonly Outcome[],
  settings: Settings,
  onVerdict: (row: Outcome, verdict: RowVerdict) => void,
): Promise<JudgedStarts> {
  const verdicts = new Map<Outcome, RowVerdict>()
  const unread: Partial<Record<ReadFlow, string>> = {}
  const judge = async (row: Outcome) => {
    if (settings.signal.aborted || (isReadFlow(row.flow) && unread[row.flow] !== undefined)) return
    const verdict = await judgeByStart(row, settings)
    if (settings.signal.aborted && verdict.verdict !== 'refused') return
    verdicts.set(row, verdict)
    onVerdict(row, verdict)
  }
  const isControl = ({ correctClient }: Outcome) => correctClient === 'accept'
  for (const isDue of [isControl, (row: Outcome) => !isControl(row)]) {
    await forEach(rows.filter(isDue), settings.jobs, judge)
    for (const flow of ['jwks', 'discovery'] as const) {
      const own = rows.filter((row) => row.flow === flow).flatMap((row) => verdicts.get(row) ?? [])
      if (own.length > 0 && own.every(({ evidence }) => evidence === UNREAD[flow])) unread[flow] = UNREAD[flow]
    }
  }
  const lost = verdicts.size === 0 || settings.signal.aborted ? undefined : await findLossOfStart(settings)
  if (lost === undefined) return { verdicts, unread, notes: [] }
  for (const [row, verdict] of verdicts) {
    if (verdict.verdict === 'undetermined' || verdict.verdict === 'let in') continue
    const evidence = `${verdict.evidence}; then a plain start did not let an adult in either`
    verdicts.set(row, { ...verdict, verdict: 'undetermined', reason: 'control_lost', evidence })
  }
  return {
    verdicts,
    unread,
    notes: [`a copy of your app that was started without any fault: ${lost}; rows of jwks and discovery do not count`],
  }
}

async function judgeByStart(row: Outcome, settings: Settings): Promise<RowVerdict> {
  const once = async (): Promise<RowVerdict> => {
    const { verdict, log } = await startOnce(row, settings)
    const { reason, evidence, flows } = verdict
    return withLog(row, { verdict: verdictNameFor(row, verdict), reason, evidence, flows }, log)
  }
  return confirmFinding(await once(), once, settings.repeat)
}

/** So many reads are answered by the row: more than an app makes in a visit. */
const READS = 10_000

/** Starts a copy on a tenant that answers by the row, and runs the good flow of an adult. */
async function startOnce(
  row: Outcome,
  { startFresh, drive, learned, signal }: Settings,
): Promise<{ verdict: RunVerdict; log: readonly string[] }> {
  const { flow, name: outcome } = row
  const queue = async (sandbox: SandboxApi) => void (await sandbox.next({ flow, outcome, times: READS }))
  const copy = await startFresh({ prepare: queue, signal })
  try {
    const verdict = await judgeCopy(copy, { row, drive, learned })
    return { verdict, log: await copy.log() }
  } finally {
    await copy.close()
  }
}

async function judgeCopy(
  { app, failure, sandbox }: FreshCopy,
  { row, drive, learned }: Pick<Settings, 'drive' | 'learned'> & { row: Outcome },
): Promise<RunVerdict> {
  const seen = app ? await visitAsAdult(drive(app), learned) : failure
  const isDown = 'problem' in seen
  const flows = isDown || seen.run.useFlow === undefined ? [] : [seen.run.useFlow]
  const shown = isDown ? `your app did not start: ${seen.problem}` : `your app showed ${seen.run.observation.summary}`
  if (!(await isRead(sandbox))) {
    const evidence = app && isReadFlow(row.flow) ? UNREAD[row.flow] : `it read no reply of ${rowId(row)}; ${shown}`
    return { verdict: 'undetermined', reason: 'not_reached', evidence, flows }
  }
  const calls = (await sandbox.flows.list({ audit: 'also' })).flatMap((one) => one.calls)
  if (calls.some(({ endpoint }) => endpoint === 'trap')) {
    return { verdict: 'taken', evidence: 'your app fetched the address that the reply named', flows }
  }
  // Decision: an app that ends because of what it read says no; one that hangs says nothing.
  if (isDown) return { verdict: seen.isEnded ? 'refused' : 'broke', evidence: shown, flows }
  const { request, observation } = seen.run
  if (observation.status === 429) return { verdict: 'undetermined', reason: 'control_lost', evidence: shown, flows }
  // Decision: before the browser is sent to the service, a page of 500 and above says that the app cannot begin: a no.
  if (!request && observation.status >= 500) return { verdict: 'refused', evidence: shown, flows }
  const reading = await seen.read()
  if (reading === 'unknown') return { verdict: 'undetermined', reason: 'page_unknown', evidence: shown, flows }
  const verdict = ({ yes: 'taken', no: 'refused', broke: 'broke' } as const)[reading]
  return { verdict, evidence: shown, flows }
}

/** The good flow of an adult, and how its last page is read. */
async function visitAsAdult(
  driver: Driver,
  { use, reading: { signatures, rules } }: LearnedApp,
): Promise<{ run: FlowRun; read(): Promise<Reading> }> {
  const run = await use.cast.as('adult', (persona) => driver.run({ use: { persona, outcome: 'verified' } }))
  return { run, read: () => readRun(run, { signature: signatures.use, rules: rules.use, driver }) }
}

/** Whether the reply that was queued for a fresh tenant was read: then it is held, or a part of it is used up. */
async function isRead(sandbox: SandboxApi): Promise<boolean> {
  const [left] = await sandbox.expectations.list()
  return left === undefined || left.held_since !== undefined || left.remaining < left.times
}

/** What a copy shows that was started without any fault and lets no adult in; `undefined` when it does. */
async function findLossOfStart({ startFresh, drive, learned, signal }: Settings): Promise<string | undefined> {
  const copy = await startFresh({ prepare: async () => {}, signal })
  try {
    if (!copy.app) return copy.failure.problem
    const { run, read } = await visitAsAdult(drive(copy.app), learned)
    return (await read()) === 'yes' ? undefined : `it showed ${run.observation.summary}`
  } catch (error) {
    return messageOf(error)
  } finally {
    await copy.close()
  }
}
