import type { SandboxApi } from '../../client/sandbox-api.ts'
import { rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { Readings } from '../../sandbox/readings/reading.ts'
import { chooseCast } from '../drive/cast.ts'
import { RESTART } from '../trials/known-before.ts'
import { unread } from '../trials/start-trials.ts'
import type { AuditRun, Finding, Stage, Trial } from '../trials/trial.ts'
import { openReadings, type TenantReadings } from './tenant-readings.ts'
import { compareFlows, runFlow, type ShownFlow, type TriedFlow } from './tried-flow.ts'
import { type ChosenVariant, nameOf } from './variants.ts'

export interface ReadingSettings extends Pick<AuditRun, 'learned' | 'options' | 'startFresh' | 'drive' | 'signal'> {
  /** Each flow as it ends under the usual readings, by its name. */
  readonly usual: ReadonlyMap<string, ShownFlow>
  /** By the sandbox of a stage. */
  readonly tenants: ReadonlyMap<SandboxApi, TenantReadings>
}

/** What the app did under a set of readings. */
interface SeenReadings {
  readonly runs: readonly ShownFlow[]
  /** Of each run; or that the app did not start. */
  readonly findings: readonly Finding[]
  /** What its server fetched, and whether a copy was started to see more of that. */
  readonly documents: readonly string[]
  readonly isFresh: boolean
  /** The flow that did not end as usual, once more under the usual readings. */
  readonly control?: SeenReadings
}

const isFailure = ({ verdict }: Finding) => verdict === 'too strict'
const isOpen = ({ verdict }: Finding) => verdict !== 'accepted'

/** Readings that show in what an app fetches at its start, so that a fresh copy meets more of the difference. */
const READ_AT_START = ['discovery', 'key_set', 'key_members', 'unknown_members', 'callback_iss']

/**
 * Tries variants together: runs flows up to the first that does not end as usual, and that one once more under the usual readings. What
 * an app fetches at its start is met by a copy of it that is started under the variants.
 */
export function readingTrial(variants: readonly ChosenVariant[], settings: ReadingSettings): Trial<SeenReadings> {
  const { learned, usual, tenants, drive, signal } = settings
  const startFresh = variants.some(({ reading }) => READ_AT_START.includes(reading.name)) && settings.startFresh
  const all = [...new Map(variants.flatMap(({ flows }) => flows.map((flow) => [flow.name, flow]))).values()]

  async function runUnder(readings: Readings, flows: readonly TriedFlow[], stage: Stage): Promise<SeenReadings> {
    const prepare = async (sandbox: SandboxApi) => (await openReadings(sandbox)).set(readings)
    const copy = startFresh ? await startFresh({ prepare, signal }) : undefined
    const tenant = copy ? undefined : tenants.get(stage.sandbox)
    const runs: ShownFlow[] = []
    const findings: Finding[] = []
    const isFresh = copy !== undefined
    try {
      if (copy?.failure) {
        const evidence = `your app did not start: ${copy.failure.problem}`
        return { runs, findings: [{ verdict: 'too strict', evidence, flows: [] }], documents: [], isFresh }
      }
      await tenant?.set(readings)
      const { sandbox } = copy ?? stage
      const cast = copy ? await chooseCast(sandbox, learned.profile.claims) : stage.cast
      const place = { sandbox, cast, driver: copy ? drive(copy.app) : stage.driver }
      const before = copy ? {} : await fetchesOf(sandbox)
      for (const flow of flows) {
        const shown = await runFlow(flow, place, settings)
        runs.push(shown)
        findings.push(compareFlows(usual.get(flow.name) ?? shown, shown, learned))
        if (findings.some(isFailure)) break
      }
      const after = Object.entries(await fetchesOf(sandbox))
      const documents = after.flatMap(([name, count]) => (count > (before[name] ?? 0) ? [name] : []))
      return { runs, findings, documents, isFresh }
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
      if (!seen.findings.some(isFailure) || signal.aborted) return seen
      const failed = [seen.runs.at(-1)?.flow ?? all[0]].flatMap((flow) => flow ?? [])
      const control = await runUnder({}, failed, stage)
      if (!control.findings.some(isOpen) || startFresh || !stage.program) return { ...seen, control }
      // An app that ended by what it met works again when it is started again. One that does not come up is lost, as the next run shows.
      await stage.program.restart().catch(() => {})
      return { ...seen, control: await runUnder({}, failed, stage) }
    },
    proof(seen) {
      const { findings, control } = seen
      const failed = findings.find(isFailure)
      const lost = control?.findings.find(isOpen)
      if (failed && lost) {
        const evidence = `${failed.evidence}; afterwards it was so under the usual readings too: ${lost.evidence}`
        return { ...failed, verdict: 'undetermined', reason: 'control_lost', evidence }
      }
      const worst = failed ?? findings.find(isOpen)
      if (worst) return worst
      const [first, ...others] = variants
      const evidence = first && others.length === 0 && whyNotMet(first, seen)
      if (evidence) return { verdict: 'undetermined', evidence, flows: [] }
      return {
        verdict: 'accepted',
        evidence: 'each flow ended as usual',
        flows: findings.flatMap(({ flows }) => flows),
      }
    },
  }
}

/** How often each document of a tenant was sent. */
async function fetchesOf({ coverage }: SandboxApi): Promise<Readonly<Record<string, number>>> {
  const { calls } = await coverage.get()
  return Object.fromEntries(['discovery', 'jwks'].map((name) => [name, calls[name]?.['success']?.count ?? 0]))
}

type WhyNot = (seen: SeenReadings, one: ChosenVariant) => string | false

const callsOf = ({ runs }: SeenReadings) => runs.flatMap(({ flows }) => flows.map(({ calls }) => calls))

const unfetched = (document: 'discovery' | 'jwks') => (seen: SeenReadings) =>
  !seen.documents.includes(document) && (seen.isFresh ? unread(document) : RESTART)

const usedOnce = (called: string, used: string) => (seen: SeenReadings) =>
  callsOf(seen).every((calls) => calls.filter(({ endpoint }) => endpoint === called).length < 2) &&
  `your app used ${used} once, so that it met no difference`

// Answers of Create always come in a redirect.
const notRedirected: WhyNot = ({ runs }) =>
  runs.every(
    ({ flow, seen }) => flow.row.flow !== 'create' && seen.run.request?.parameters['response_mode'] === 'form_post',
  ) && 'your app asks for form_post, and its answers come in no redirect'

/** Readings that not every app meets which is sent a row of theirs. */
const WHY_NOT: Readonly<Record<string, WhyNot>> = {
  discovery: unfetched('discovery'),
  key_set: unfetched('jwks'),
  key_members: unfetched('jwks'),
  code_use: usedOnce('E4', 'its code'),
  request_uri_use: usedOnce('E3', 'its request_uri'),
  access_token_use: usedOnce('E5', 'its access token'),
  redirect_status: notRedirected,
  callback_spaces: notRedirected,
  code_lifetime: (_seen, { variant, usual }) =>
    `an audit does not wait for ${Math.min(Number(variant.name), Number(usual))} seconds before your app exchanges its code`,
}

/** Why the app met no difference; `false` when the journal or the counters show that it did. */
function whyNotMet(one: ChosenVariant, seen: SeenReadings): string | false {
  const { name, shownBy } = one.reading
  // With an error page of the service no callback comes: the page is what is sent.
  const isPage = callsOf(seen)
    .flat()
    .some(({ endpoint, status }) => endpoint === 'E3' && status >= 400)
  const isSent = (shown: ShownFlow) => shown.isDelivered || (name === 'expired_request_uri' && isPage)
  const isMet = seen.runs.some((shown) => shownBy.includes(rowId(shown.flow.row)) && isSent(shown))
  const why = WHY_NOT[name]?.(seen, one)
  return why || (!isMet && `the journal shows no answer in which it makes a difference: ${shownBy.join(', ')}`)
}
