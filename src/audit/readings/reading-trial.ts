import type { SandboxApi } from '../../client/sandbox-api.ts'
import { rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { Readings } from '../../sandbox/readings/reading.ts'
import type { AuditedApp, StartFresh } from '../drive/audited-app.ts'
import { chooseCast } from '../drive/cast.ts'
import type { Driver } from '../drive/driver.ts'
import type { Finding, Stage, Trial } from '../trials/trial.ts'
import { type DocumentName, needsStart, whyNotMet } from './delivery.ts'
import { openReadings, type TenantReadings } from './tenant-readings.ts'
import { compareFlows, type FlowSettings, runFlow, type ShownFlow, type TriedFlow } from './tried-flow.ts'
import { type ChosenVariant, nameOf } from './variants.ts'

export interface ReadingSettings extends FlowSettings {
  /** Each flow as it ends under the usual readings, by its name. */
  readonly usual: ReadonlyMap<string, ShownFlow>
  /** By the sandbox of a stage. */
  readonly tenants: ReadonlyMap<SandboxApi, TenantReadings>
  readonly startFresh?: StartFresh | undefined
  readonly signal: AbortSignal
  drive(app: AuditedApp): Driver
}

/** What the app did under a set of readings. */
interface SeenFlows {
  readonly runs: readonly ShownFlow[]
  /** What the app's server fetched meanwhile. */
  readonly documents: readonly DocumentName[]
  /** Why the app did not come up under the readings. */
  readonly notStarted?: string | undefined
}

interface SeenReadings extends SeenFlows {
  /** The flow that did not end as usual, once more under the usual readings. */
  readonly control?: SeenFlows
}

/**
 * Tries variants together: runs flows up to the first that does not end as usual, and that one once more under the usual readings. What
 * an app fetches at its start is met by a copy of it that is started under the variants.
 */
export function readingTrial(variants: readonly ChosenVariant[], settings: ReadingSettings): Trial<SeenReadings> {
  const { learned, usual, tenants, drive, signal } = settings
  const startFresh = variants.some(needsStart) ? settings.startFresh : undefined
  const all = [...new Map(variants.flatMap(({ flows }) => flows.map((flow) => [flow.name, flow]))).values()]

  const compare = (shown: ShownFlow): Finding => {
    const known = usual.get(shown.flow.name)
    if (!known) throw new Error(`${shown.flow.name} was not run as usual`)
    return compareFlows(known, shown, learned)
  }
  const isFailure = ({ verdict }: Finding) => verdict === 'too strict'
  const isUsual = ({ notStarted, runs }: SeenFlows) =>
    notStarted === undefined && runs.every((shown) => compare(shown).verdict === 'accepted')

  async function runUnder(readings: Readings, flows: readonly TriedFlow[], stage: Stage): Promise<SeenFlows> {
    const tenant = tenants.get(stage.sandbox)
    const prepare = async (sandbox: SandboxApi) => (await openReadings(sandbox)).set(readings)
    const copy = await startFresh?.({ prepare, signal })
    try {
      if (!copy) await tenant?.set(readings)
      const sandbox = copy?.sandbox ?? stage.sandbox
      const cast = copy ? await chooseCast(sandbox, learned.profile.claims) : stage.cast
      const driver = copy?.app ? drive(copy.app) : stage.driver
      const before = copy ? [] : await fetchesOf(sandbox)
      const runs: ShownFlow[] = []
      for (const flow of copy?.failure ? [] : flows) {
        const shown = await runFlow(flow, { sandbox, cast, driver }, settings)
        runs.push(shown)
        if (isFailure(compare(shown))) break
      }
      const fetches = await fetchesOf(sandbox)
      const documents = DOCUMENTS.filter((_name, index) => (fetches[index] ?? 0) > (before[index] ?? 0))
      return { runs, documents, notStarted: copy?.failure?.problem }
    } finally {
      await (copy ? copy.close() : tenant?.set({}))
    }
  }

  return {
    name: variants.map(nameOf).join(' '),
    runsAlone: true,
    async drive(stage) {
      const readings = Object.fromEntries(variants.map(({ reading, variant }) => [reading.name, variant.name]))
      const seen = await runUnder(readings, all, stage)
      const failed = seen.notStarted === undefined ? seen.runs.find((one) => isFailure(compare(one)))?.flow : all[0]
      if (!failed || signal.aborted) return seen
      const control = await runUnder({}, [failed], stage)
      if (isUsual(control) || startFresh || !stage.program) return { ...seen, control }
      // An app that ended by what it met works again when it is started again. One that does not come up is lost, as the next run shows.
      await stage.program.restart().catch(() => {})
      return { ...seen, control: await runUnder({}, [failed], stage) }
    },
    proof({ runs, documents, notStarted, control }) {
      const findings = runs.map(compare)
      const notUp: Finding = { verdict: 'too strict', evidence: `your app did not start: ${notStarted}`, flows: [] }
      const failed = notStarted === undefined ? findings.find(isFailure) : notUp
      if (failed && control && !isUsual(control)) {
        const after = control.notStarted ?? control.runs[0]?.seen.run.observation.summary
        const evidence = `${failed.evidence}; afterwards it was so under the usual readings too: ${after}`
        return { ...failed, verdict: 'undetermined', reason: 'control_lost', evidence }
      }
      const worst = failed ?? findings.find(({ verdict }) => verdict !== 'accepted')
      if (worst) return worst
      const evidence = 'each flow ended as usual'
      const [alone, ...others] = variants
      if (!alone || others.length > 0) return { verdict: 'accepted', evidence, flows: [] }
      const reason = whyNotMet(alone, { runs, documents, isFresh: startFresh !== undefined })
      if (reason !== undefined) return { verdict: 'undetermined', evidence: reason, flows: [] }
      const showing = runs.filter(({ flow: { row } }) => alone.reading.shownBy.includes(rowId(row)))
      return { verdict: 'accepted', evidence, flows: showing.flatMap((shown) => compare(shown).flows) }
    },
  }
}

const DOCUMENTS: readonly DocumentName[] = ['discovery', 'jwks']

/** How often each document of a tenant was sent. */
async function fetchesOf({ coverage }: SandboxApi): Promise<readonly number[]> {
  const { calls } = await coverage.get()
  return DOCUMENTS.map((name) => calls[name]?.['success']?.count ?? 0)
}
