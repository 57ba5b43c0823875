import { rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../sandbox/outcomes/outcome.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { Flow } from '../../server/client/shapes.ts'
import type { Browser } from '../agent/browser.ts'
import type { Driver, FlowPlan, FlowRun, StartFresh } from '../drive/driver.ts'
import { inTurn } from '../drive/in-turn.ts'
import { cookiesSet, type Observation, observe } from '../drive/observation.ts'
import type { Role } from '../drive/tested-personas.ts'
import { asksTheApp } from '../learn/accepted-rule.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import type { LearnedFlow } from '../learn/learned-flow.ts'
import { planOfCreate } from '../learn/plan-create.ts'
import { type RunResult, readRun } from '../learn/read-run.ts'
import { type SeenRun, seeRun } from '../learn/see-run.ts'
import type { Reason, VerdictName } from '../report/audit-report.ts'
import type { AuditRun, Worker } from './audit-run.ts'
import { withLog } from './library-messages.ts'
import { type Trial, type TrialFinding, undetermined } from './trial.ts'

interface Brought {
  readonly run: FlowRun
  readonly flows: readonly string[]
  /**
   * Why nobody knows that the row was sent to the app, or why the earlier session cannot be ended.
   */
  readonly missing?: Reason | 'session_stays' | undefined
  /** What the sandbox saw of an app that accepted the answer: its next call. */
  readonly sign?: string | undefined
}

/** The result of one run of a row, as a persona of the sandbox. */
type SeenVisit = Omit<Brought, 'run'> & { readonly as: string; readonly seen: SeenRun }

/**
 * How rows are judged: by the last page of `page`, in the answer of `sentBy`; `next` is called if
 * the app accepted it.
 */
const USE = {
  page: 'use',
  sentBy: 'E1',
  next: 'E4',
  sign: 'your app exchanged the code (E4)',
} as const
const TRACES = {
  use: USE,
  create: { page: 'create', sentBy: 'E3', next: undefined, sign: undefined },
  par: {
    page: 'create',
    sentBy: 'E2',
    next: 'E3',
    sign: 'your app sent the browser on to Create (E3)',
  },
  token: { page: 'upgrade', sentBy: 'E4', next: 'E5', sign: 'your app sent an upgrade (E5)' },
  upgrade: { page: 'upgrade', sentBy: 'E5', next: undefined, sign: undefined },
  discovery: USE,
  jwks: USE,
} as const

const TRAPPED = 'your app fetched an address that the answer named, or followed a redirect there'

export type RowSettings = Pick<AuditRun, 'learned' | 'options'>

/**
 * Tries a row: one visit for each role; the worst result counts. The browsers are asked again if
 * pages can be requested again.
 */
export function rowTrial(row: AuditRow, settings: RowSettings): Trial<readonly SeenVisit[]> {
  const { learned } = settings
  const { roles, plan, runs } = planRow(row, settings)
  const flow = learnedFlowOf(row, learned) ?? learned.use
  const { accepted } = flow.rules

  async function send(persona: string, worker: Worker): Promise<Brought> {
    const { driver, sandbox } = worker
    const browser = row.prelude === undefined ? undefined : await browserAfterFlow(worker, learned)
    const run = await driver.run({ ...plan(persona), ...(browser && { browser }) })
    const { known, missing } = await findDelivery(row, run, sandbox)
    const flows = [
      ...new Set([run.useFlow, run.createFlow, known?.id].filter((id) => id !== undefined)),
    ]
    if (!known || missing) return { run, flows, missing }
    // A call with a code or token that the sandbox did not issue is a flow of its own.
    const later = { audit: 'also', flow: 'upgrade', after: known.id } as const
    const all = [known, ...(runs === 'beside' ? [] : await sandbox.flows.list(later))]
    return { run, flows, sign: hasCall(known, 'trap') ? TRAPPED : signIn(all, run.reachesCreate) }
  }

  function signIn(flows: readonly Flow[], reachesCreate: boolean): string | undefined {
    const { next, sign } = TRACES[row.flow]
    if (next === 'E3') return reachesCreate ? sign : undefined
    if (next && flows.some((one) => hasCall(one, next))) return sign
    const isSign =
      row.flow === 'use' && (!learned.createsAfterDenial || row.ending?.kind === 'create_requested')
    return reachesCreate && isSign ? 'your app began to create an age key (E3)' : undefined
  }

  async function visit(role: Role, worker: Worker): Promise<SeenVisit> {
    const as = learned.personas[role]
    const { run, ...brought } = await (BROUGHT[row.name]?.(worker, learned) ?? send(as, worker))
    const seen = brought.missing
      ? { run, probes: new Map() }
      : await seeRun(run, flow, worker.driver)
    return { as, ...brought, seen }
  }
  const read = ({ seen, ...one }: SeenVisit) =>
    findingOfVisit(row, { ...one, ...seen.run }, readSeen(row, seen, learned))
  return {
    name: rowId(row),
    row,
    runs,
    drive: (worker) => inTurn(roles, (role) => visit(role, worker)),
    proof: (visits) => worstOf(visits.map(read)),
    ...((flow.probes.length > 0 || (accepted && asksTheApp(accepted))) && {
      lookAgain: (visits, { driver }) =>
        inTurn(visits, async (one) =>
          one.missing
            ? one
            : { ...one, seen: await seeRun(one.seen.run, { ...flow, waitMs: 0 }, driver) },
        ),
    }),
  }
}

/** How a row is brought to the app: one run for each role. */
export function planRow(row: AuditRow, { learned, options: { create, upgrade } }: RowSettings) {
  const { flow, name: outcome, ending, correctClient, bait } = row
  const { profile } = learned
  const start = create?.start
  const waitMs = learned.upgrade.kind === 'learned' ? learned.upgrade.flow.waitMs : 0
  const isOfUpgrade = flow === 'token' || flow === 'upgrade'
  const issuesCode = ending?.kind === 'verified' && ending.allFalse === true
  const plan = (persona: string): FlowPlan => {
    if (flow === 'create') return planOfCreate(persona, { profile, page: start, outcome })
    if (flow === 'par')
      return { ...planOfCreate(persona, { profile, page: start }), later: { flow, outcome } }
    if (flow === 'token' || flow === 'upgrade')
      return {
        use: { persona, outcome: 'code_issued' },
        later: { flow, outcome },
        page: upgrade?.start,
        waitMs,
      }
    const page =
      outcome === 'create_requested'
        ? start
        : outcome === 'code_issued'
          ? upgrade?.start
          : undefined
    const created = { persona, outcome: 'created' }
    return { use: { persona, outcome }, create: created, page, ...(issuesCode && { waitMs }) }
  }
  function rolesOf(): readonly Role[] {
    if (TRACES[flow].page === 'create' || ending?.kind === 'create_requested') return ['newcomer']
    if (isOfUpgrade || issuesCode) return ['minor']
    if (correctClient === 'accept' || ending?.kind === 'error') return ['adult']
    return bait === 'both' ? ['adult', 'minor'] : [bait]
  }
  const isAlone = flow === 'par' || row.prelude !== undefined
  const runs = isAlone ? 'alone' : flow === 'token' || issuesCode ? 'in turn' : 'beside'
  return { plan, roles: rolesOf(), runs } as const
}

/** The flow whose last page shows how a row ended; `undefined` when its pages were not learned. */
export function learnedFlowOf(row: AuditRow, learned: LearnedApp): LearnedFlow | undefined {
  // After a code an app continues with Upgrade.
  const page = row.name === 'code_issued' ? 'upgrade' : TRACES[row.flow].page
  if (page === 'use') return learned.use
  const later = learned[page]
  return later.kind === 'learned' ? later.flow : undefined
}

/**
 * A call that failed ends the later flow before it began: then the page is one of Use, and may be a
 * refusal there.
 */
export function readSeen(row: AuditRow, seen: SeenRun, learned: LearnedApp): RunResult {
  const flow = learnedFlowOf(row, learned)
  const own = flow && readRun(seen, flow)
  if (own && (own.says !== 'unknown' || flow === learned.use)) return own
  const asUse = readRun(seen, learned.use)
  return asUse.says === 'out' || asUse.says === 'broke'
    ? asUse
    : (own ?? { ...asUse, says: 'unknown' })
}

/** The verdict on a row from the end of a visit. */
export function findingOfVisit(
  row: AuditRow,
  visit: Omit<SeenVisit, 'seen'> & {
    readonly observation: Pick<Observation, 'end' | 'status' | 'summary'>
  },
  { says, like, evidence: shown, isLimited: isLimitedLater = false }: RunResult,
): TrialFinding {
  const { as, flows, missing, sign, observation } = visit
  const isLimited = observation.status === 429 || (isLimitedLater && sign === undefined)
  function found(verdict: VerdictName, text = sign ?? shown, reason?: Reason): TrialFinding {
    return { verdict, reason, evidence: `as ${as}: ${text}`, flows, isLimited }
  }
  const open = (reason: Reason, text = observation.summary) => found('undetermined', text, reason)
  if (isLimited)
    return open('control_lost', isLimitedLater ? shown : `your app answers ${observation.summary}`)
  // Decision: if the session of an app cannot be ended, nobody knows how the app would treat the
  // same answer afterwards.
  if (missing === 'session_stays')
    return found('observed', 'the audit found no way to end the session of your app')
  if (missing) return open(missing)
  const isTaken = sign !== undefined || says === 'in'
  // The flow cannot have gone on behind the page: the sandbox saw no next call.
  const isOver = observation.end === 'page' && (row.flow === 'par' || row.flow === 'token')
  if (!isTaken && observation.end === 'visit failed') return open('visit_failed')
  if (!isTaken && !isOver && says === 'unknown') return open('page_unknown', shown)
  if (row.correctClient === 'depends') return found('observed')
  if (row.correctClient === 'accept') return found(isTaken ? 'accepted' : 'too strict')
  if (isTaken) return found('let in')
  if (says === 'broke') return found('broke')
  // An honest minor gets this page, and an invented token another one: the app read the answers and
  // took them for a plain no.
  const isOfAnswers =
    row.breaks.includes('age_thresholds') || row.breaks.includes('requested_thresholds')
  return found(like === 'minor' && isOfAnswers && !row.plainNo ? 'ignored' : 'refused')
}

const WORST = [
  'let in',
  'too strict',
  'broke',
  'undetermined',
  'ignored',
  'observed',
  'refused',
  'accepted',
]

export function worstOf(findings: readonly TrialFinding[]): TrialFinding {
  const rankOf = ({ verdict }: TrialFinding) => WORST.indexOf(verdict)
  const worst = findings.reduce((one, other) => (rankOf(other) < rankOf(one) ? other : one))
  return {
    ...worst,
    flows: findings.flatMap(({ flows }) => flows),
    isLimited: findings.some((one) => one.isLimited),
  }
}

export const visitAs = (persona: string, driver: Driver, holds?: 'E1'): Promise<FlowRun> =>
  driver.run({ use: { persona, outcome: 'verified' }, ...(holds && { holds }) })

/**
 * Ends the session that an answer opened: by signing out, which leaves the request in the cookies,
 * otherwise by removing its cookies.
 */
async function endSession(
  run: FlowRun,
  worker: Worker,
  { use, signOut }: LearnedApp,
): Promise<boolean> {
  const { browser, visit } = run
  const hasProbes = use.probes.length > 0
  const byProbes = { ...use, rules: {}, page: undefined }
  const isSignedOut = async () =>
    readRun(await seeRun(run, byProbes, worker.driver), byProbes).says === 'out'
  for (const path of hasProbes ? signOut : []) {
    await worker.driver.open({ url: path }, browser)
    if (!(await isSignedOut())) continue
    // The effect of `before` may be gone too, such as a sign-in.
    await worker.driver.prepare(browser)
    return true
  }
  const proof = cookiesSet(visit)
  browser.forget(proof)
  // Where nothing shows who is in, the answer must have left something that is gone now.
  return hasProbes ? isSignedOut() : proof.length > 0
}

/**
 * A browser after a good flow whose session is over; `undefined` when the app still knows the user.
 */
async function browserAfterFlow(worker: Worker, learned: LearnedApp): Promise<Browser | undefined> {
  const { use, personas } = learned
  const run = await visitAs(personas.adult, worker.driver)
  const { browser } = run
  const isOver = await endSession(run, worker, learned)
  if (use.probes.length > 0) return isOver ? browser : undefined
  // A denial contains no answer to replay.
  const denied = await worker.driver.run({ use: { outcome: 'access_denied' }, browser })
  const { says } = readRun(await seeRun(denied, use, worker.driver), use)
  return denied.request && says !== 'in' ? browser : undefined
}

/**
 * The flow of the journal in which a row is sent, and why it is unknown whether the app received
 * the row.
 */
export async function findDelivery(row: AuditRow, run: FlowRun, sandbox: SandboxApi) {
  const { useFlow, createFlow, observation, isLaterMet, brought } = run
  const { sentBy } = TRACES[row.flow]
  const id = row.flow === 'create' ? createFlow : useFlow
  const begun = { audit: 'also', flow: 'create', ...(useFlow && { after: useFlow }) } as const
  // A browser with a request_uri that was never issued begins its own flow.
  const pushed =
    row.flow === 'par'
      ? (await sandbox.flows.list(begun)).find((flow) => hasCall(flow, 'E2'))
      : undefined
  const known = row.flow === 'par' || id === undefined ? pushed : await sandbox.flows.get(id)
  const isSent =
    sentBy === 'E1' || sentBy === 'E3'
      ? known?.outcome === row.name && brought[sentBy]
      : isLaterMet && known && hasCall(known, sentBy)
  if (isSent) return { known }
  const ends: Readonly<Record<string, Reason>> = {
    'visit failed': 'visit_failed',
    timed_out: 'timed_out',
  }
  const other: Reason = known && isLaterMet !== false ? 'not_delivered' : 'not_reached'
  return { known, missing: ends[observation.end] ?? other }
}

const hasCall = ({ calls }: Flow, endpoint: string) =>
  calls.some((call) => call.endpoint === endpoint)

/** Rows of the audit itself: a right answer that a browser brings in a wrong way. */
const BROUGHT: Readonly<Record<string, (worker: Worker, learned: LearnedApp) => Promise<Brought>>> =
  {
    /** A second browser begins a flow, then opens the answer to the flow of the first one. */
    async 'callback.of_other_browser'(worker, { personas: { adult } }) {
      const first = await visitAs(adult, worker.driver, 'E1')
      const second = await visitAs(adult, worker.driver, 'E1')
      return bring([first, second], second.browser, worker)
    },
    /** An adult brings an answer again after the session that it opened is over. */
    async 'callback.twice'(worker, learned) {
      const first = await visitAs(learned.personas.adult, worker.driver)
      if (await endSession(first, worker, learned)) return bring([first], first.browser, worker)
      return { run: first, flows: [first.useFlow ?? []].flat(), missing: 'session_stays' }
    },
  }

/** A browser opens the answer of the first run that has one. */
async function bring(
  runs: readonly [FlowRun, ...FlowRun[]],
  browser: Browser,
  { driver }: Worker,
): Promise<Brought> {
  const [run] = runs
  const flows = runs.flatMap(({ useFlow }) => useFlow ?? [])
  if (!run.answer) return { run, flows, missing: 'not_delivered' }
  const visit = await driver.open(run.answer, browser)
  return { run: { ...run, browser, visit, observation: observe(visit) }, flows }
}

/** Why the rows of a document are not for an app. */
export const unread = (flow: string): string =>
  `your app does not read ${flow === 'jwks' ? 'the key set' : 'a discovery document'}, not at its start and not for a token`

/** Reads that the row answers: more than an app makes in a visit. */
const READS = 10_000

/**
 * Makes trials of the key set and of discovery. Each starts a copy of the app on its own tenant, in
 * which the row answers every read. A row of Use queues nothing there, so that the copy starts
 * without a fault. Rows to accept come first: if the app reads a document in none of these starts,
 * no copy is started for the other rows of that document.
 */
export function createStarts(
  startFresh: StartFresh,
  { drive, learned: { use, personas }, signal }: AuditRun,
) {
  const reads = new Map<string, boolean>()

  async function start(row: AuditRow, mayRepeat = true): Promise<TrialFinding> {
    const { flow, name: outcome, correctClient, breaks } = row
    if (correctClient !== 'accept' && reads.get(flow) === false)
      return undetermined(unread(flow), 'not_reached')
    const prepare = async (sandbox: SandboxApi) => {
      if (flow !== 'use') await sandbox.next({ flow, outcome, times: READS })
    }
    const copy = await startFresh({ prepare, signal })
    const { app, sandbox, failure } = copy
    try {
      const driver = app && drive(app)
      const seen = driver && (await seeRun(await visitAs(personas.adult, driver), use, driver))
      const { observation, request, useFlow } = seen?.run ?? {}
      const calls = (await sandbox.flows.list({ audit: 'also' })).flatMap((one) => one.calls)
      const isTrapped = calls.some(({ endpoint }) => endpoint === 'trap')
      // A queued decision of an own tenant is held or partly used up once it was read.
      const [left] = await sandbox.expectations.list()
      const isRead =
        left === undefined || left.held_since !== undefined || left.remaining < left.times
      const read = seen && readRun(seen, use).says
      // An adult who is let in without a read proves that the app needs no such document.
      const isIn = read === 'in'
      if (isRead || isIn || failure || !mayRepeat || signal.aborted) {
        reads.set(flow, isRead || !isIn || reads.get(flow) === true)
        const flows = [useFlow ?? []].flat()
        const shown = failure
          ? `your app did not start: ${failure.problem}`
          : `your app showed ${observation?.summary ?? 'nothing'}`
        // Decision: an app that ends because of what it read says no, and an app that hangs says
        // nothing. Before the browser is sent to the service, a page of 500 and above says that the
        // app cannot begin: a no.
        const cannotBegin =
          failure?.isEnded || (observation && !request && observation.status >= 500)
        const says = cannotBegin ? 'out' : failure ? 'broke' : (read ?? 'unknown')
        const sign = isTrapped ? 'your app fetched the address that the reply named' : undefined
        const end = observation ?? { end: 'unreachable' as const, status: 0, summary: shown }
        const finding = isRead
          ? findingOfVisit(
              row,
              { as: personas.adult, flows, sign, observation: end },
              { says, evidence: shown },
            )
          : undetermined(
              isIn ? unread(flow) : `it read no reply of ${rowId(row)}; ${shown}`,
              'not_reached',
              flows,
            )
        // Slower trials do not help against the rate limit of a copy that was started for one row.
        return { ...withLog(finding, await copy.log(), breaks), isLimited: false }
      }
    } finally {
      await copy.close()
    }
    // The copy neither read the document nor let the adult in: another program may have taken its
    // port.
    return start(row, false)
  }

  return (row: AuditRow): Trial<TrialFinding> => ({
    name: rowId(row),
    row,
    runs: 'alone',
    drive: () => start(row),
    proof: (finding) => finding,
  })
}
