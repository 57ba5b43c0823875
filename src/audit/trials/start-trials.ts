import type { SandboxApi } from '../../client/sandbox-api.ts'
import { messageOf } from '../../files/caught.ts'
import { rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { AuditedApp, FreshCopy, StartFresh } from '../drive/audited-app.ts'
import type { Driver } from '../drive/driver.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import type { SeenRun } from '../learn/learned-flow.ts'
import { readRun, seeRun } from '../learn/read-run.ts'
import { withLog } from './refusing-check.ts'
import { findingOfVisit } from './row-trial.ts'
import { runTrials } from './run-trials.ts'
import type { Finding, Stage, Trial } from './trial.ts'

/** What an app reads when it starts or for its first token: the replies that only a fresh copy of it meets. */
export type ReadFlow = 'jwks' | 'discovery'

export const isReadFlow = (flow: Outcome['flow']): flow is ReadFlow => flow === 'jwks' || flow === 'discovery'

export interface StartSettings {
  readonly startFresh: StartFresh
  drive(app: AuditedApp): Driver
  readonly learned: LearnedApp
  readonly signal: AbortSignal
  readonly repeat: number
  /** Each is a place for a copy, which is started and ended by its trial. */
  readonly stages: readonly Stage[]
  onFinding(trial: Trial, finding: Finding): void
}

export interface StartRun {
  readonly findings: ReadonlyMap<string, Finding>
  /** Why the app is given no row of a flow. */
  readonly unread: Readonly<Partial<Record<ReadFlow, string>>>
  readonly notes: readonly string[]
}

export const UNREAD: Readonly<Record<ReadFlow, string>> = {
  discovery: 'your app does not read a discovery document, not at its start and not for a token',
  jwks: 'your app does not read the key set, not at its start and not for a token',
}

/** So many reads are answered by the row: more than an app makes in a visit. */
const READS = 10_000

/** What a copy of the app showed that was started for a row alone. */
interface SeenStart {
  readonly isRead: boolean
  readonly isTrapped: boolean
  /** Why the copy did not come up. */
  readonly failure?: { readonly problem: string; readonly isEnded: boolean } | undefined
  readonly seen?: SeenRun | undefined
  readonly log: readonly string[]
}

/**
 * Tries rows of the key set and of discovery, each by a copy of the app that is started for it alone, on a tenant in which every read
 * is answered by the row. What has to be accepted comes first: it shows whether the app reads the document at all.
 */
export async function runStarts(rows: readonly Outcome[], settings: StartSettings): Promise<StartRun> {
  const { signal, repeat, startFresh } = settings
  const findings = new Map<string, Finding>()
  const unread: Partial<Record<ReadFlow, string>> = {}
  const notes: string[] = []
  let isLost = false
  const stages = settings.stages.map((stage) => ({ ...stage, name: 'a copy of your app', program: undefined }))
  const isControl = ({ correctClient }: Outcome) => correctClient === 'accept'
  for (const isDue of [isControl, (row: Outcome) => !isControl(row)]) {
    const due = rows.filter((row) => isDue(row) && !(isReadFlow(row.flow) && unread[row.flow] !== undefined))
    const trials = due.map((row) => startTrial(row, settings))
    const run = await runTrials(trials, {
      stages,
      visitsEach: 1,
      repeat,
      signal,
      findLoss: async () => undefined,
      onFinding: settings.onFinding,
    })
    for (const trial of trials) findings.set(trial.name, run.findingOf(trial))
    for (const flow of ['jwks', 'discovery'] as const) {
      const own = rows.flatMap((row) => (row.flow === flow ? (findings.get(rowId(row)) ?? []) : []))
      if (own.length > 0 && own.every(({ evidence }) => evidence.endsWith(UNREAD[flow]))) unread[flow] = UNREAD[flow]
    }
  }
  const lost = findings.size === 0 || signal.aborted ? undefined : await findLossOfStart(startFresh, settings)
  if (lost !== undefined) {
    isLost = true
    notes.push(
      `a copy of your app that was started without any fault: ${lost}; rows of jwks and discovery do not count`,
    )
  }
  for (const [name, finding] of isLost ? findings : []) {
    if (finding.verdict === 'undetermined' || finding.verdict === 'let in') continue
    const evidence = `${finding.evidence}; then a plain start did not let an adult in either`
    findings.set(name, { ...finding, verdict: 'undetermined', reason: 'control_lost', evidence })
  }
  return { findings, unread, notes }
}

function startTrial(row: Outcome, { startFresh, drive, learned, signal }: StartSettings): Trial<SeenStart> {
  const { flow, name: outcome } = row
  return {
    name: rowId(row),
    runsAlone: true,
    async drive() {
      const queue = async (sandbox: SandboxApi) => void (await sandbox.next({ flow, outcome, times: READS }))
      const copy = await startFresh({ prepare: queue, signal })
      try {
        const seen = await visitAsAdult(copy, { drive, learned })
        const calls = (await copy.sandbox.flows.list({ audit: 'also' })).flatMap((one) => one.calls)
        return {
          isRead: await isRead(copy.sandbox),
          isTrapped: calls.some(({ endpoint }) => endpoint === 'trap'),
          failure: copy.failure,
          seen,
          log: await copy.log(),
        }
      } finally {
        await copy.close()
      }
    },
    // A limit of a copy that was started for one row is not met by slower trials.
    proof: (start) => ({ ...withLog(row, findingOfStart(row, start, learned), start.log), isLimited: false }),
  }
}

async function visitAsAdult(
  { app }: FreshCopy,
  { drive, learned: { use, cast } }: Pick<StartSettings, 'drive' | 'learned'>,
): Promise<SeenRun | undefined> {
  if (!app) return undefined
  const driver = drive(app)
  return cast.as('adult', async (persona) =>
    seeRun(await driver.run({ use: { persona, outcome: 'verified' } }), use, driver),
  )
}

function findingOfStart(
  row: Outcome,
  { isRead: read, isTrapped, failure, seen }: SeenStart,
  { use, cast }: LearnedApp,
): Finding {
  const flows = seen?.run.useFlow === undefined ? [] : [seen.run.useFlow]
  const shown = failure
    ? `your app did not start: ${failure.problem}`
    : `your app showed ${seen?.run.observation.summary ?? 'nothing'}`
  if (!read) {
    const evidence = !failure && isReadFlow(row.flow) ? UNREAD[row.flow] : `it read no reply of ${rowId(row)}; ${shown}`
    return { verdict: 'undetermined', reason: 'not_reached', evidence, flows }
  }
  // Decision: an app that ends because of what it read says no, and one that hangs says nothing. Before the browser is sent to the
  // service, a page of 500 and above says that the app cannot begin: a no.
  const reading = seen && readRun(seen, use)
  const cannotBegin = seen && !seen.run.request && seen.run.observation.status >= 500
  const says = failure ? (failure.isEnded ? 'out' : 'broke') : cannotBegin ? 'out' : (reading?.says ?? 'unknown')
  const sign = isTrapped ? 'your app fetched the address that the reply named' : undefined
  const run = seen?.run ?? {
    observation: { end: 'unreachable' as const, status: 0, features: new Set<string>(), summary: shown },
  }
  const visit = { as: cast.nameOf('adult'), flows, sign, seen: { run } }
  return findingOfVisit(row, visit, { says, isByPage: false, evidence: shown })
}

/** Whether the reply that was queued for a fresh tenant was read: then it is held, or a part of it is used up. */
async function isRead(sandbox: SandboxApi): Promise<boolean> {
  const [left] = await sandbox.expectations.list()
  return left === undefined || left.held_since !== undefined || left.remaining < left.times
}

/** What a copy shows that was started without any fault and lets no adult in; `undefined` when it does. */
async function findLossOfStart(
  startFresh: StartFresh,
  { drive, learned, signal }: StartSettings,
): Promise<string | undefined> {
  const copy = await startFresh({ prepare: async () => {}, signal })
  try {
    if (!copy.app) return copy.failure.problem
    const seen = await visitAsAdult(copy, { drive, learned })
    return seen && readRun(seen, learned.use).says === 'in' ? undefined : `it showed ${seen?.run.observation.summary}`
  } catch (error) {
    return messageOf(error)
  } finally {
    await copy.close()
  }
}
