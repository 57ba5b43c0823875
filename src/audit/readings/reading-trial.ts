import { findRow, rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../sandbox/outcomes/outcome.ts'
import {
  type Reading,
  type Readings,
  readingId,
  type Variant,
} from '../../sandbox/readings/reading.ts'
import { READINGS } from '../../sandbox/readings/readings.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { TenantReadings } from '../../server/client/shapes.ts'
import { sentenceOf } from '../drive/observation.ts'
import type { Role } from '../drive/tested-personas.ts'
import { describeErrors } from '../learn/check-learned.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import { readRun } from '../learn/read-run.ts'
import { seeRun } from '../learn/see-run.ts'
import type { Reason } from '../report/audit-report.ts'
import type { AuditRun, Worker } from '../trials/audit-run.ts'
import { knownBefore, notForThisApp, RESTART } from '../trials/rows/known-before.ts'
import { findDelivery } from '../trials/rows/row-delivery.ts'
import { learnedFlowOf, readSeen } from '../trials/rows/row-finding.ts'
import { planRow, type RowSettings } from '../trials/rows/row-plan.ts'
import { unread } from '../trials/rows/start-trial.ts'
import { type Trial, type TrialFinding, undetermined } from '../trials/trial.ts'

export interface ReadingSettings
  extends Pick<AuditRun, 'learned' | 'options' | 'startFresh' | 'drive' | 'signal'> {
  /** The end of each flow under the usual readings, by the name of the flow. */
  readonly usual: ReadonlyMap<string, ShownFlow>
  /** The readings that the tenant of each worker had. */
  readonly own: ReadonlyMap<SandboxApi, TenantReadings>
}

export function setReadings(sandbox: SandboxApi, readings: Readings, own?: TenantReadings) {
  const all = Object.fromEntries(
    READINGS.map(({ name }) => [name, readings[name] ?? own?.readings[name] ?? null]),
  )
  return sandbox.configure({ readings: all })
}

/** Readings of what an app fetches at its start: only a fresh copy meets the whole difference. */
const READ_AT_START = [
  'discovery',
  'key_set',
  'key_members',
  'kid',
  'unknown_members',
  'callback_iss',
]

const isGood = ({ verdict }: TrialFinding) => verdict === 'accepted'

/**
 * Tries variants together, up to the first failing flow, which is run once more under the usual
 * readings.
 */
export function readingTrial(
  variants: readonly ChosenVariant[],
  settings: ReadingSettings,
): Trial<TrialFinding> {
  const { learned, usual, own, drive, signal } = settings
  const startFresh = variants.some(({ reading }) => READ_AT_START.includes(reading.name))
    ? settings.startFresh
    : undefined
  const all = [
    ...new Map(variants.flatMap(({ flows }) => flows.map((flow) => [flow.name, flow]))).values(),
  ]

  /** @returns the result, and the flow that failed */
  async function runUnder(
    some: readonly ChosenVariant[],
    flows: readonly TriedFlow[],
    worker: Worker,
  ): Promise<{ finding: TrialFinding; failed?: TriedFlow | undefined }> {
    const readings = Object.fromEntries(
      some.map(({ reading, variant }) => [reading.name, variant.name]),
    )
    const copy = await startFresh?.({
      prepare: (sandbox) => setReadings(sandbox, readings),
      signal,
    })
    const set = (some: Readings) => setReadings(worker.sandbox, some, own.get(worker.sandbox))
    const runs: ShownFlow[] = []
    const findings: TrialFinding[] = []
    try {
      if (copy?.failure) {
        const evidence = `your app did not start: ${copy.failure.problem}`
        return { finding: { verdict: 'too strict', evidence, flows: [] }, failed: flows[0] }
      }
      if (!copy) await set(readings)
      const { sandbox } = copy ?? worker
      const place = { sandbox, driver: copy ? drive(copy.app) : worker.driver }
      const before = copy ? {} : await fetchesOf(sandbox)
      for (const flow of flows) {
        const shown = await runFlow(flow, place, settings)
        const finding = compareFlows(usual.get(flow.name) ?? shown, shown, learned)
        if (finding.verdict === 'too strict') return { finding, failed: flow }
        runs.push(shown)
        findings.push(finding)
      }
      const after = Object.entries(await fetchesOf(sandbox))
      const documents = after.flatMap(([name, count]) =>
        count > (before[name] ?? 0) ? [name] : [],
      )
      const open = findings.find((one) => !isGood(one))
      const [one, ...others] = some
      const unmet =
        one &&
        others.length === 0 &&
        whyNotMet(one, runs, { documents, isFresh: copy !== undefined })
      const left = open ?? unmet
      if (left) return { finding: left }
      const ended = {
        evidence: 'each flow ended as usual',
        flows: findings.flatMap(({ flows }) => flows),
      }
      return { finding: { verdict: 'accepted', ...ended } }
    } finally {
      await (copy ? copy.close() : set({}))
    }
  }

  return {
    name: variants.map(chosenVariantName).join(' '),
    runs: 'alone',
    async drive(worker) {
      const { finding, failed } = await runUnder(variants, all, worker)
      if (!failed || signal.aborted) return finding
      let { finding: control } = await runUnder([], [failed], worker)
      if (!isGood(control) && !startFresh && worker.program) {
        // An app that ended may work again after a new start. If it does not start, the next run
        // shows that it is lost.
        await worker.program.restart().catch(() => {})
        control = (await runUnder([], [failed], worker)).finding
      }
      if (isGood(control)) return finding
      const evidence = `${finding.evidence}; afterwards it was so under the usual readings too: ${control.evidence}`
      return { ...finding, verdict: 'undetermined', reason: 'control_lost', evidence }
    },
    proof: (finding) => finding,
  }
}

async function fetchesOf({ coverage }: SandboxApi): Promise<Readonly<Record<string, number>>> {
  const { calls } = await coverage.get()
  return Object.fromEntries(
    ['discovery', 'jwks'].map((name) => [name, calls[name]?.['success']?.count ?? 0]),
  )
}

/** The endpoint of a reading that changes only a second call with the same value. */
const USED_TWICE: Readonly<Record<string, readonly [endpoint: string, used: string]>> = {
  code_use: ['E4', 'its code'],
  request_uri_use: ['E3', 'its request_uri'],
  access_token_use: ['E5', 'its access token'],
}

/** Why the app met no difference; absent when the journal or the counters show that it did. */
function whyNotMet(
  { reading: { name, shownBy }, variant }: ChosenVariant,
  runs: readonly ShownFlow[],
  // What the server of the app fetched, and whether a copy was started to see more of that.
  { documents, isFresh }: { documents: readonly string[]; isFresh: boolean },
): TrialFinding | undefined {
  const document =
    name === 'discovery'
      ? name
      : ['key_set', 'key_members', 'kid'].includes(name)
        ? 'jwks'
        : undefined
  if (document && !documents.includes(document))
    return isFresh ? notForThisApp(unread(document)) : undetermined(RESTART)
  const calls = runs.flatMap(({ flows }) => flows.map((flow) => flow.calls))
  const [twice, used] = USED_TWICE[name] ?? []
  if (
    used &&
    calls.every((ofFlow) => ofFlow.filter(({ endpoint }) => endpoint === twice).length < 2)
  )
    return notForThisApp(`your app uses ${used} once, so that it meets no difference`)
  // When the service answers by an error page, no callback comes; the page itself is the answer.
  const isPage =
    variant.name === 'page' &&
    calls
      .flat()
      .some(({ endpoint, status }) => (endpoint === 'E1' || endpoint === 'E3') && status >= 400)
  const isMet = runs.some(
    ({ flow, isDelivered }) => shownBy.includes(rowId(flow.row)) && (isDelivered || isPage),
  )
  return isMet
    ? undefined
    : undetermined(
        `the journal shows no answer in which it makes a difference: ${shownBy.join(', ')}`,
      )
}

/** The result of one run of a flow, and its flows in the journal, newest first. */
export type ShownFlow = Awaited<ReturnType<typeof runFlow>>

/** Flows of the journal that may belong to one run. */
const MAX_FLOWS = 100

/** Drives the app through a flow once, while no other run uses its tenant. */
export async function runFlow(
  flow: TriedFlow,
  { sandbox, driver }: Pick<Worker, 'sandbox' | 'driver'>,
  settings: RowSettings,
) {
  const { row, role } = flow
  const { learned } = settings
  const [newest] = await sandbox.flows.list({ audit: 'also', limit: 1 })
  const run = await driver.run(planRow(row, settings).plan(learned.personas[role]))
  const { missing } = await findDelivery(row, run, sandbox)
  const flows = await sandbox.flows.list({
    audit: 'also',
    ...(newest && { after: newest.id }),
    limit: MAX_FLOWS,
  })
  const seen = await seeRun(run, learnedFlowOf(row, learned) ?? learned.use, driver)
  return { flow, seen, flows, isDelivered: missing === undefined }
}

function read({ flow, seen }: ShownFlow, learned: LearnedApp) {
  const { says } = readSeen(flow.row, seen, learned)
  return says === 'unknown' ? readRun(seen, learned.use).says : says
}

/** The least share of the usual page for a page that says neither yes nor no. */
const ALIKE = 0.9

/**
 * Compares two runs: yes, no and successful calls must stay; crashes and missing pages count unless
 * they are usual.
 */
export function compareFlows(
  usual: ShownFlow,
  shown: ShownFlow,
  learned: LearnedApp,
): TrialFinding {
  const [{ observation: before }, { observation }] = [usual.seen.run, shown.seen.run]
  const [saysUsually, says] = [read(usual, learned), read(shown, learned)]
  const sentence = sentenceOf(observation)
  const flows = shown.flows.map(({ id }) => id).toReversed()
  const found = (verdict: TrialFinding['verdict'], text: string, reason?: Reason): TrialFinding => {
    const evidence = `in ${shown.flow.name} ${text}`
    return { verdict, reason, evidence, flows, isLimited: reason === 'control_lost' }
  }
  if (observation.status === 429)
    return found('undetermined', 'your app answers 429; raise its limit for tests', 'control_lost')
  const hasNoPage = ['restless', 'too_many_redirects', 'visit failed'].includes(observation.end)
  const isCrash = saysUsually !== 'broke' && (says === 'broke' || hasNoPage)
  if (isCrash || (saysUsually === 'in' && says !== 'in'))
    return found(
      'too strict',
      `${sentence}; usually ${sentenceOf(before).replace(/^your app showed /, 'it shows ')}`,
    )
  if (saysUsually === 'out' && says === 'in')
    return found('too strict', `${sentence}, as after a yes`)
  // At an error page of the service the user stays there, and the app is not called.
  const isEnded = observation.end === 'sandbox_page'
  const missing = missingCall(usual, shown)
  if (missing !== undefined && !isEnded) return found('too strict', `${missing}; ${sentence}`)
  const common = [...before.features].filter((one) => observation.features.has(one)).length
  const isAlike =
    before.status === observation.status && common > 0 && common >= ALIKE * before.features.size
  if (isEnded || isAlike || (says === saysUsually && says !== 'unknown'))
    return found('accepted', 'it ended as usual')
  return found(
    'undetermined',
    `${sentence}, which is neither the yes nor the no that was learned`,
    'page_unknown',
  )
}

/** What happened to a call that usually succeeds. */
function missingCall(usual: ShownFlow, shown: ShownFlow): string | undefined {
  const callsOf = ({ flows }: ShownFlow) => flows.flatMap(({ calls }) => calls)
  const answered = (flow: ShownFlow) =>
    callsOf(flow).filter(({ status }) => status > 0 && status < 400)
  const endpoints = answered(shown).map((call) => call.endpoint)
  const missing = answered(usual).find(({ endpoint }) => !endpoints.includes(endpoint))
  if (!missing) return undefined
  const refused = callsOf(shown).find(
    ({ endpoint, status }) => endpoint === missing.endpoint && status >= 400,
  )
  if (!refused) return `your app made no call of ${missing.endpoint}, which it usually makes`
  return `the service refused ${missing.endpoint} of your app with ${refused.status} (${describeErrors([refused])})`
}

/** A flow through which the app is driven under each reading: `use/verified as minor`. */
export type TriedFlow = ReturnType<typeof flowOf>

const flowOf = (row: AuditRow, role: Role) => ({ row, role, name: `${rowId(row)} as ${role}` })

/**
 * The flows that end as they should: an adult gets in, a minor and a denial do not, and the other
 * flows of the app.
 */
function goodFlowsOf({ create, upgrade }: LearnedApp): readonly TriedFlow[] {
  const find = (role: Role, ...ids: readonly string[]) =>
    ids.flatMap((id) => findRow(id) ?? []).map((row) => flowOf(row, role))
  return [
    ...find('adult', 'use/verified', 'use/access_denied'),
    ...find('minor', 'use/verified'),
    ...(create.kind === 'learned'
      ? find('newcomer', 'create/created', 'create/access_denied')
      : []),
    ...(upgrade.kind === 'learned' ? find('minor', 'use/code_issued') : []),
  ]
}

/** A variant of a reading, and the usual one. */
export interface ChosenVariant {
  readonly reading: Reading
  readonly variant: Variant
  readonly usual: string
  /** The flows of an app that may show the difference. */
  readonly flows: readonly TriedFlow[]
  readonly absent?: TrialFinding | undefined
}

/** `refused_token_status=403` */
export const chosenVariantName = ({ reading, variant }: NamedVariant): string =>
  readingId(reading.name, variant.name)

type NamedVariant = Pick<ChosenVariant, 'reading'> & { readonly variant: Pick<Variant, 'name'> }

/**
 * All variants that the tenant does not have now. The good flows of an app come first, then those
 * of the rows that show the reading.
 */
export function unusualVariants(own: Readings, settings: RowSettings): readonly ChosenVariant[] {
  const { profile, create } = settings.learned
  const usualOf = (reading: Reading) => own[reading.name] ?? reading.default
  const good = goodFlowsOf(settings.learned)
  const set = READINGS.map((reading) => ({ reading, variant: { name: usualOf(reading) } }))
  const isRedirected = profile.responseMode !== 'form_post' || create.kind === 'learned'

  function whyAbsent(
    reading: Reading,
    rows: readonly AuditRow[],
    variant: Variant,
  ): TrialFinding | undefined {
    const { name } = reading
    // Decision: the brand word is a setting of an app that writes it into its requests, like the
    // base URL.
    if (name === 'brand_word' && profile.upgradeScope)
      return notForThisApp('your app names the brand word itself, in the upgrade scope')
    const other = set.find((one) => isExcluded({ reading, variant }, one))
    if (other) return undetermined(`it excludes ${chosenVariantName(other)}, which the tenant has`)
    const known = rows.flatMap((row) => knownBefore(row, settings) ?? [])
    if (known.length === rows.length) {
      const masked = known.find(({ verdict }) => verdict !== 'not for this app')
      return masked ? undetermined(masked.evidence, 'masked') : known[0]
    }
    // Answers of Create always come in a redirect.
    if (!isRedirected && (name === 'redirect_status' || name === 'callback_spaces'))
      return undetermined('your app asks for form_post, and its answers come in no redirect')
    return undefined
  }

  return READINGS.flatMap((reading) => {
    const usual = usualOf(reading)
    const rows = reading.shownBy.flatMap((id) => findRow(id) ?? [])
    const others = rows.filter(
      (row) => !knownBefore(row, settings) && !good.some((flow) => flow.row === row),
    )
    const flows = [
      ...good,
      ...others.flatMap((row) => planRow(row, settings).roles.map((role) => flowOf(row, role))),
    ]
    return reading.variants
      .filter(({ name }) => name !== usual)
      .map((variant) => ({
        reading,
        variant,
        usual,
        flows,
        absent: whyAbsent(reading, rows, variant),
      }))
  })
}

export const mayMeet = (one: ChosenVariant, other: ChosenVariant): boolean =>
  one.reading !== other.reading && !isExcluded(one, other)

/** Whether two variants exclude each other; the table says it for either of them. */
function isExcluded(one: NamedVariant, other: NamedVariant): boolean {
  const excludes = ({ reading, variant }: NamedVariant, beside: NamedVariant) =>
    reading.excludes?.[variant.name]?.includes(chosenVariantName(beside)) === true
  return excludes(one, other) || excludes(other, one)
}
