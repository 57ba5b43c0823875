import type { SandboxApi } from '../../client/sandbox-api.ts'
import { rowId } from '../../sandbox/outcomes/catalogue.ts'
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

/** Readings that show in what an app fetches at its start, so that a fresh copy meets more of the difference. */
const READ_AT_START = ['discovery', 'key_set', 'key_members', 'unknown_members', 'callback_iss']

const isGood = ({ verdict }: Finding) => verdict === 'accepted'

/**
 * Tries variants together: runs flows up to the first that does not end as usual, and that one once more under the usual readings. What
 * an app fetches at its start is met by a copy of it that is started under the variants.
 */
export function readingTrial(variants: readonly ChosenVariant[], settings: ReadingSettings): Trial<Finding> {
  const { learned, usual, tenants, drive, signal } = settings
  const startFresh = variants.some(({ reading }) => READ_AT_START.includes(reading.name)) && settings.startFresh
  const all = [...new Map(variants.flatMap(({ flows }) => flows.map((flow) => [flow.name, flow]))).values()]

  /** @returns what was found, and the flow that failed */
  async function runUnder(
    some: readonly ChosenVariant[],
    flows: readonly TriedFlow[],
    stage: Stage,
  ): Promise<{ finding: Finding; failed?: TriedFlow | undefined }> {
    const readings = Object.fromEntries(some.map(({ reading, variant }) => [reading.name, variant.name]))
    const prepare = async (sandbox: SandboxApi) => (await openReadings(sandbox)).set(readings)
    const copy = startFresh ? await startFresh({ prepare, signal }) : undefined
    const tenant = copy ? undefined : tenants.get(stage.sandbox)
    const runs: ShownFlow[] = []
    const findings: Finding[] = []
    try {
      if (copy?.failure) {
        const evidence = `your app did not start: ${copy.failure.problem}`
        return { finding: { verdict: 'too strict', evidence, flows: [] }, failed: flows[0] }
      }
      await tenant?.set(readings)
      const { sandbox } = copy ?? stage
      const place = { sandbox, driver: copy ? drive(copy.app) : stage.driver }
      const before = copy ? {} : await fetchesOf(sandbox)
      for (const flow of flows) {
        const shown = await runFlow(flow, place, settings)
        const finding = compareFlows(usual.get(flow.name) ?? shown, shown, learned)
        if (finding.verdict === 'too strict') return { finding, failed: flow }
        runs.push(shown)
        findings.push(finding)
      }
      const after = Object.entries(await fetchesOf(sandbox))
      const documents = after.flatMap(([name, count]) => (count > (before[name] ?? 0) ? [name] : []))
      const open = findings.find((one) => !isGood(one))
      const [one, ...others] = some
      const why = one && others.length === 0 ? whyNotMet(one, runs, { documents, isFresh: copy !== undefined }) : ''
      if (open || why) return { finding: open ?? { verdict: 'undetermined', evidence: why, flows: [] } }
      const ended = { evidence: 'each flow ended as usual', flows: findings.flatMap(({ flows }) => flows) }
      return { finding: { verdict: 'accepted', ...ended } }
    } finally {
      await (copy ? copy.close() : tenant?.set({}))
    }
  }

  return {
    name: variants.map(nameOf).join(' '),
    runsAlone: true,
    async drive(stage) {
      const { finding, failed } = await runUnder(variants, all, stage)
      if (!failed || signal.aborted) return finding
      let { finding: control } = await runUnder([], [failed], stage)
      if (!isGood(control) && !startFresh && stage.program) {
        // An app that ended by what it met works again when it is started again. One that does not come up is lost, as the next run shows.
        await stage.program.restart().catch(() => {})
        control = (await runUnder([], [failed], stage)).finding
      }
      if (isGood(control)) return finding
      const evidence = `${finding.evidence}; afterwards it was so under the usual readings too: ${control.evidence}`
      return { ...finding, verdict: 'undetermined', reason: 'control_lost', evidence }
    },
    proof: (finding) => finding,
  }
}

/** How often each document of a tenant was sent. */
async function fetchesOf({ coverage }: SandboxApi): Promise<Readonly<Record<string, number>>> {
  const { calls } = await coverage.get()
  return Object.fromEntries(['discovery', 'jwks'].map((name) => [name, calls[name]?.['success']?.count ?? 0]))
}

/** The endpoint that a reading changes only for a second call with the same thing. */
const USED_TWICE: Readonly<Record<string, readonly [endpoint: string, used: string]>> = {
  code_use: ['E4', 'its code'],
  request_uri_use: ['E3', 'its request_uri'],
  access_token_use: ['E5', 'its access token'],
}

/** Why the app met no difference; empty when the journal or the counters show that it did. */
function whyNotMet(
  { reading: { name, shownBy } }: ChosenVariant,
  runs: readonly ShownFlow[],
  // What the server of the app fetched, and whether a copy was started to see more of that.
  { documents, isFresh }: { documents: readonly string[]; isFresh: boolean },
): string {
  const document = name === 'discovery' ? name : name === 'key_set' || name === 'key_members' ? 'jwks' : undefined
  if (document && !documents.includes(document)) return isFresh ? unread(document) : RESTART
  const calls = runs.flatMap(({ flows }) => flows.map((flow) => flow.calls))
  const [twice, used] = USED_TWICE[name] ?? []
  if (used && calls.every((ofFlow) => ofFlow.filter(({ endpoint }) => endpoint === twice).length < 2))
    return `your app used ${used} once, so that it met no difference`
  // With an error page of the service no callback comes: the page is what is sent.
  const isPage =
    name === 'expired_request_uri' && calls.flat().some(({ endpoint, status }) => endpoint === 'E3' && status >= 400)
  const isMet = runs.some(({ flow, isDelivered }) => shownBy.includes(rowId(flow.row)) && (isDelivered || isPage))
  return isMet ? '' : `the journal shows no answer in which it makes a difference: ${shownBy.join(', ')}`
}
