import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Readings } from '../../sandbox/readings/reading.ts'
import type { AuditedApp, StartFresh } from '../drive/audited-app.ts'
import { chooseCast } from '../drive/cast.ts'
import type { Driver } from '../drive/driver.ts'
import type { DocumentName } from './delivery.ts'
import { openReadings, type TenantReadings } from './tenant-readings.ts'
import { type FlowSettings, runFlow, type ShownFlow, type Stage, type TriedFlow } from './tried-flow.ts'

/** Where flows are run under readings: a running app and its tenant, or a copy of it that is started for each set of readings. */
export interface Bench {
  /** Runs flows until `isOver` says so. */
  run(readings: Readings, options: RunOptions): Promise<BenchRun>
  /** The app starts under the readings, so that it meets them in what it fetches at its start. */
  readonly isFresh: boolean
}

interface RunOptions {
  readonly flows: readonly TriedFlow[]
  isOver(flow: TriedFlow, shown: ShownFlow): boolean
}

interface BenchRun {
  readonly runs: readonly { readonly flow: TriedFlow; readonly shown: ShownFlow }[]
  /** What the app's server fetched meanwhile. */
  readonly documents: ReadonlySet<DocumentName>
  /** The app did not come up under the readings: why. */
  readonly notStarted?: string | undefined
}

async function runAll(stage: Stage, settings: FlowSettings, { flows, isOver }: RunOptions): Promise<BenchRun['runs']> {
  const runs: { flow: TriedFlow; shown: ShownFlow }[] = []
  for (const flow of flows) {
    const shown = await runFlow(flow, stage, settings)
    runs.push({ flow, shown })
    if (isOver(flow, shown)) break
  }
  return runs
}

/** The app as it runs. */
export function benchOf(stage: Stage, readings: TenantReadings, settings: FlowSettings): Bench {
  const { sandbox } = stage.readers
  return {
    isFresh: false,
    async run(changed, options) {
      await readings.set(changed)
      const before = await fetchesOf(sandbox)
      const runs = await runAll(stage, settings, options)
      return { runs, documents: newIn(await fetchesOf(sandbox), before) }
    },
  }
}

export interface FreshSettings extends FlowSettings {
  readonly startFresh: StartFresh
  readonly drive: (app: AuditedApp) => Driver
  readonly signal: AbortSignal
}

/** A copy of the app for each run, on a tenant that has the readings before it starts. */
export function freshBench({ startFresh, drive, signal, ...settings }: FreshSettings): Bench {
  const { use, reading } = settings.learned
  return {
    isFresh: true,
    async run(changed, options) {
      const copy = await startFresh({ prepare: async (sandbox) => (await openReadings(sandbox)).set(changed), signal })
      const { app, sandbox, failure } = copy
      try {
        if (!app) return { runs: [], documents: await fetched(sandbox), notStarted: failure.problem }
        const driver = drive(app)
        const cast = await chooseCast(sandbox, use.profile.claims)
        const runs = await runAll({ readers: { ...reading, sandbox, driver }, driver, cast }, settings, options)
        return { runs, documents: await fetched(sandbox) }
      } finally {
        await copy.close()
      }
    },
  }
}

type Fetches = Readonly<Record<DocumentName, number>>

/** How often the documents of a tenant were sent. */
async function fetchesOf(sandbox: SandboxApi): Promise<Fetches> {
  const { calls } = await sandbox.coverage.get()
  const countOf = (name: DocumentName) => calls[name]?.['success']?.count ?? 0
  return { discovery: countOf('discovery'), jwks: countOf('jwks') }
}

const fetched = async (sandbox: SandboxApi) => newIn(await fetchesOf(sandbox), { discovery: 0, jwks: 0 })

const newIn = (now: Fetches, before: Fetches): ReadonlySet<DocumentName> =>
  new Set((['discovery', 'jwks'] as const).filter((name) => now[name] > before[name]))
