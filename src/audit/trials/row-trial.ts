import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Flow } from '../../client/shapes/flow.ts'
import type { Reason, VerdictName } from '../../sandbox/outcomes/audit-report.ts'
import { rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { AuditRow, Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { Browser } from '../agent/browser.ts'
import type { Role } from '../drive/cast.ts'
import type { FlowRun } from '../drive/driver.ts'
import { inTurn } from '../drive/in-turn.ts'
import { asksTheApp } from '../learn/accepted-rule.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import type { LearnedFlow, SeenRun } from '../learn/learned-flow.ts'
import { cookiesSet } from '../learn/observation.ts'
import { askRules, lookAt, pathsOf, type Reading, readRun, seeRun } from '../learn/read-run.ts'
import type { AuditOptions } from '../options.ts'
import { planRow } from './plan-row.ts'
import { withLog } from './refusing-check.ts'
import type { Finding, Stage, Trial } from './trial.ts'

/** What one run of a row showed. */
export interface SeenVisit {
  /** Persona of the sandbox. */
  readonly as: string
  readonly seen: SeenRun
  readonly flows: readonly string[]
  /** The row was sent to the app; else why that is not known. */
  readonly missing?: Reason | undefined
  /** What the sandbox saw that an app does only with an answer that it took for a good one. */
  readonly sign?: string | undefined
}

type Pages = Pick<AuditOptions, 'create' | 'upgrade'>

/** Tries a row of the catalogue: one visit for each role. The worst visit counts. */
export function rowTrial(
  row: Outcome,
  { learned, pages }: { learned: LearnedApp; pages: Pages },
): Trial<readonly SeenVisit[]> {
  const { roles, plan, runsAlone } = planRow(row, { profile: learned.profile, pages })
  const flow = flowReading(row, learned)

  async function visit(role: Role, stage: Stage): Promise<SeenVisit> {
    const { cast, driver, sandbox } = stage
    return cast.as(role, async (persona) => {
      const browser = row.prelude === undefined ? undefined : await browserAfterFlow(stage, learned)
      const run = await driver.run({ ...plan(persona), ...(browser && { browser }) })
      const known = await findFlow(row, run, sandbox)
      const flows = [...new Set([run.useFlow, run.createFlow, known?.id].filter((id) => id !== undefined))]
      const base = { as: cast.nameOf(role), flows }
      const missing = known && isDelivered(row, run, known) ? undefined : whyMissing(run, known)
      if (!known || missing !== undefined)
        return { ...base, seen: { run, probes: new Map() }, missing: missing ?? 'not_reached' }
      const sign = await findSign(row, { run, flow: known, sandbox, isAlone: runsAlone, learned })
      return { ...base, sign, seen: await seeRun(run, flow ?? learned.use, driver) }
    })
  }

  return {
    name: rowId(row),
    runsAlone,
    async drive(stage) {
      const visits: SeenVisit[] = []
      for (const role of roles) visits.push(await visit(role, stage))
      return visits
    },
    proof: (visits) => worstOf(visits.map((one) => findingOfVisit(row, one, readSeen(row, one.seen, learned)))),
    ...lookingAgain(flow ?? learned.use),
    withLog: (finding, lines) => withLog(row, finding, lines),
  }
}

/** Asks the browsers of visits again, when anything of the app can be asked. */
export function lookingAgain({ rules, probes }: LearnedFlow): Pick<Trial<readonly SeenVisit[]>, 'lookAgain'> {
  if (probes.length === 0 && !(rules.accepted && asksTheApp(rules.accepted))) return {}
  return {
    lookAgain: (visits, { driver }) =>
      inTurn(visits, async (visit) => {
        const { run } = visit.seen
        if (visit.missing !== undefined) return visit
        const shown = await lookAt(pathsOf(probes), run.browser, driver)
        return { ...visit, seen: { run, ...(await askRules(rules, run, driver)), probes: shown } }
      }),
  }
}

/** The flow whose last page shows how a row ended. */
export function flowOfPage({ flow }: Pick<Outcome, 'flow'>): 'use' | 'create' | 'upgrade' {
  if (flow === 'create' || flow === 'par') return 'create'
  return flow === 'token' || flow === 'upgrade' ? 'upgrade' : 'use'
}

function flowReading(row: Outcome, learned: LearnedApp): LearnedFlow | undefined {
  const name = flowOfPage(row)
  if (name === 'use') return learned.use
  const later = learned[name]
  return later.kind === 'learned' ? later.flow : undefined
}

/** A call that failed ends the later flow before it began: then the page is one of Use, and may be a refusal there. */
export function readSeen(row: Outcome, seen: SeenRun, learned: LearnedApp) {
  const flow = flowReading(row, learned)
  const own = flow && readRun(seen, flow)
  if (own && (own.says !== 'unknown' || flow === learned.use)) return own
  const asUse = readRun(seen, learned.use)
  return asUse.says === 'out' || asUse.says === 'broke' ? asUse : (own ?? { ...asUse, says: 'unknown' as const })
}

/** What a visit says of a row, when its end is read so. */
export function findingOfVisit(
  row: AuditRow,
  visit: Omit<SeenVisit, 'seen'> & { readonly seen: { readonly run: Pick<FlowRun, 'observation'> } },
  reading: Reading,
): Finding {
  const { as, flows, missing, sign, seen } = visit
  const { observation } = seen.run
  const found = (verdict: VerdictName, evidence: string, reason?: Reason): Finding => ({
    verdict,
    evidence: `as ${as}: ${evidence}`,
    flows,
    ...(reason && { reason }),
  })
  if (observation.status === 429)
    return { ...found('undetermined', `your app answers ${observation.summary}`, 'control_lost'), isLimited: true }
  if (missing !== undefined) return found('undetermined', observation.summary, missing)
  const isTaken = sign !== undefined || reading.says === 'in'
  const evidence = sign ?? reading.evidence
  // The flow cannot have gone on behind the page: the sandbox saw no next call.
  const isOver = observation.end === 'page' && (row.flow === 'par' || row.flow === 'token')
  if (!isTaken && observation.end === 'visit failed') return found('undetermined', observation.summary, 'visit_failed')
  if (!isTaken && !isOver && reading.says === 'unknown') return found('undetermined', evidence, 'page_unknown')
  switch (row.correctClient) {
    case 'depends':
      return found('observed', evidence)
    case 'accept':
      return found(isTaken ? 'accepted' : 'too strict', evidence)
    case 'refuse': {
      if (isTaken) return found('let in', evidence)
      if (reading.says === 'broke') return found('broke', evidence)
      // An honest minor gets this page, and an invented token another one: the app read the answers, and took them for a plain no.
      const isOfAnswers = row.breaks.includes('age_thresholds') || row.breaks.includes('requested_thresholds')
      const isIgnored = reading.like === 'minor' && isOfAnswers && !row.plainNo
      return found(isIgnored ? 'ignored' : 'refused', evidence)
    }
  }
}

const WORST: readonly VerdictName[] = [
  'let in',
  'too strict',
  'broke',
  'undetermined',
  'ignored',
  'observed',
  'refused',
  'accepted',
]

export function worstOf(findings: readonly Finding[]): Finding {
  const [worst] = findings.toSorted((one, other) => WORST.indexOf(one.verdict) - WORST.indexOf(other.verdict))
  if (!worst) throw new Error('a row is run by a role')
  return { ...worst, flows: findings.flatMap(({ flows }) => flows), isLimited: findings.some((one) => one.isLimited) }
}

/**
 * A browser that has been through a good flow, and has lost the proof that the answer left: the cookies that were set then are removed,
 * as when the session of the app is over. `undefined` when the app still knows the user: then the row takes a fresh browser.
 */
export async function browserAfterFlow({ cast, driver }: Stage, { use }: LearnedApp): Promise<Browser | undefined> {
  const { browser, visit } = await cast.as('adult', (persona) => driver.run({ use: { persona, outcome: 'verified' } }))
  browser.forget(cookiesSet(visit))
  if (use.probes.length > 0) {
    await driver.wait(use.waitMs)
    const shown = await lookAt(pathsOf(use.probes), browser, driver)
    const isOut = use.probes.every(({ path, likeness }) => {
      const page = shown.get(path)
      return page !== undefined && likeness.compare(page).as === 'out'
    })
    return isOut ? browser : undefined
  }
  // A denial answers nothing that can be replayed.
  const denied = await driver.run({ use: { outcome: 'access_denied' }, browser })
  const { says } = readRun(await seeRun(denied, use, driver), use)
  return denied.request && says !== 'in' ? browser : undefined
}

/** The flow of the journal in which a row is sent. */
export async function findFlow(
  row: Outcome,
  { useFlow, createFlow }: FlowRun,
  sandbox: SandboxApi,
): Promise<Flow | undefined> {
  if (row.flow === 'par') {
    const flows = await sandbox.flows.list({ audit: 'also', flow: 'create', ...(useFlow && { after: useFlow }) })
    // A browser that is sent on with a request_uri that was never issued begins a flow of its own.
    return flows.find(({ calls }) => calls.some(({ endpoint }) => endpoint === 'E2'))
  }
  const id = row.flow === 'create' ? createFlow : useFlow
  return id === undefined ? undefined : sandbox.flows.get(id)
}

/** Whether the app got the answer of a row: the journal says what was sent, the browser that it was brought. */
export function isDelivered({ flow, name }: Outcome, run: FlowRun, { calls, outcome }: Flow): boolean {
  const { brought, isLaterMet } = run
  const isMet = (endpoint: string) => isLaterMet === true && calls.some((call) => call.endpoint === endpoint)
  switch (flow) {
    case 'par':
      return isMet('E2')
    case 'token':
      return isMet('E4')
    case 'upgrade':
      return isMet('E5')
    default:
      return outcome === name && brought[flow === 'create' ? 'E3' : 'E1']
  }
}

function whyMissing({ observation, isLaterMet }: FlowRun, flow: Flow | undefined): Reason {
  if (observation.end === 'visit failed') return 'visit_failed'
  if (observation.end === 'timed out') return 'timed_out'
  return flow && isLaterMet !== false ? 'not_delivered' : 'not_reached'
}

interface SignSettings {
  readonly run: FlowRun
  readonly flow: Flow
  readonly sandbox: SandboxApi
  readonly isAlone: boolean
  readonly learned: Pick<LearnedApp, 'createsAfterDenial'>
}

async function findSign(
  row: Outcome,
  { run, flow, sandbox, isAlone, learned }: SignSettings,
): Promise<string | undefined> {
  const isIn = ({ calls }: Flow, endpoint: string) => calls.some((call) => call.endpoint === endpoint)
  // A call with a code or token that the sandbox did not issue is a flow of its own.
  const isCalled = async (endpoint: string) =>
    isIn(flow, endpoint) ||
    (isAlone &&
      (await sandbox.flows.list({ audit: 'also', flow: 'upgrade', after: flow.id })).some((one) => isIn(one, endpoint)))
  if (isIn(flow, 'trap')) return 'your app fetched an address that the answer named, or followed a redirect there'
  switch (row.flow) {
    case 'use': {
      if (await isCalled('E4')) return 'your app exchanged the code (E4)'
      const isSign = !learned.createsAfterDenial || row.ending?.kind === 'create_requested'
      return run.reachesCreate && isSign ? 'your app began to create an age key (E3)' : undefined
    }
    case 'par':
      return run.reachesCreate ? 'your app sent the browser on to Create (E3)' : undefined
    case 'token':
      return (await isCalled('E5')) ? 'your app sent an upgrade (E5)' : undefined
    default:
      return undefined
  }
}
