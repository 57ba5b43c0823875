import type { Flow } from '../../client/shapes/flow.ts'
import { startStopwatch } from '../../sandbox/clock/clock.ts'
import type { AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import type { AuditedApp } from '../drive/audited-app.ts'
import { type Cast, chooseCast, type Role } from '../drive/cast.ts'
import type { Driver, FlowPlan } from '../drive/driver.ts'
import { inTurn } from '../drive/in-turn.ts'
import type { AuditOptions, FlowOptions } from '../options.ts'
import { declaredRules } from './accepted-rule.ts'
import { type AppProfile, profileOf } from './app-profile.ts'
import { candidatePaths } from './candidate-paths.ts'
import { checkAdults, checkControls, checkRealTime, checkVisit, type LetIn } from './check-learned.ts'
import { describeErrors, requireValidRequest } from './describe-errors.ts'
import { type LearnedFlow, learnFlow, type SeenKind, type SeenRun } from './learned-flow.ts'
import { learnLikeness } from './likeness.ts'
import type { Observation } from './observation.ts'
import { askRules, lookAt, readRun } from './read-run.ts'

/** All that is known of an app before it is judged. */
export interface LearnedApp {
  readonly profile: AppProfile
  readonly cast: Cast
  readonly use: LearnedFlow
  readonly create: LearnedLater
  readonly upgrade: LearnedLater
  /** Kinds of refusals after which the app does what it does after a yes. */
  readonly letsIn: readonly LetIn[]
  /** A user between two thresholds gets all that an adult gets. */
  readonly between: readonly BetweenThresholds[]
  /** After a denial the app goes on to Create by itself, so that Create is no sign of a yes. */
  readonly createsAfterDenial: boolean
  /** Paths by which a user signs out. */
  readonly signOut: readonly string[]
  /** Seconds that one visit took. */
  readonly visitSeconds: number
  /** For the report and for people. */
  readonly described: AuditReport['learned']
  readonly lines: readonly string[]
}

/** A user who reaches some of the thresholds that an app asks for. */
export interface BetweenThresholds {
  readonly persona: string
  /** The first threshold that the user does not reach. */
  readonly misses: number
  readonly isLetIn: boolean
  readonly seen: SeenRun
}

/** What is known of a flow that follows Use. */
export type LearnedLater =
  | { readonly kind: 'learned'; readonly flow: LearnedFlow; readonly silence?: string | undefined }
  /** The app does not get through the flow with right answers: which rows say so, and what was seen. */
  | { readonly kind: 'refused'; readonly rows: readonly string[]; readonly evidence: string }
  /** Why its rows cannot be tried; `letsIn` is a wish for an age key that the app took for a proof of age. */
  | { readonly kind: 'absent'; readonly reason: string; readonly letsIn?: SeenRun }

interface Subject {
  readonly app: AuditedApp
  readonly driver: Driver
  readonly options: AuditOptions
}

const DENIED: FlowPlan = { use: { outcome: 'access_denied' } }
/** An app may let users in by a job: it is waited for so long. */
const MAX_WAIT_MS = 5000
const STEP_MS = 500

/**
 * Learns how each flow of an app looks when it ends well and when it does not. Denials, minors and adults come in turn, each in a
 * fresh browser; a minor comes before the first adult, so that an app that remembers its users is seen.
 * @throws AuditProblem when nothing can be shown
 */
export async function learnApp(app: AuditedApp, driver: Driver, options: AuditOptions): Promise<LearnedApp> {
  const { sandbox, agent } = app
  const isVisited = agent === 'function'
  const rules = declaredRules(options.use)
  if (isVisited) await checkRealTime(sandbox)
  const see = async (plan: FlowPlan): Promise<SeenRun> => {
    const run = await driver.run(plan)
    if (isVisited) await checkVisit(run, sandbox)
    // At once, because the app may remember the users who come later.
    return { run, probes: new Map(), ...(await askRules(rules, run, driver)) }
  }
  const passed = startStopwatch()
  const first = await see(DENIED)
  const asked = profileOf(first.run, { ...app, baseUrl: sandbox.baseUrl })
  await requireValidRequest(first.run, sandbox)
  const cast = await chooseCast(sandbox, asked.claims)
  const be = (role: Role, outcome = 'verified') => cast.as(role, (persona) => see({ use: { persona, outcome } }))
  const minor = await be('minor')
  const adult = await be('adult')
  checkAdults([adult], { app, cast, rules })
  const visitSeconds = passed() / 3000

  const { paths, signOut } = isVisited ? { paths: [], signOut: [] } : await candidatePaths(adult.run, app.page, driver)
  const waitMs = tellsByPage([adult], [first, minor]) || rules.accepted ? 0 : await findWait(paths, adult, driver)
  const runs = {
    minor: [minor, await be('minor')],
    access_denied: [first, await see(DENIED)],
    adult: [adult, await be('adult'), await be('adult')],
    invented: [await be('adult', 'id_token.invented'), await be('adult', 'id_token.invented')],
    between: await inTurn(cast.between, ({ role }) => be(role)),
  }
  await driver.wait(waitMs)
  const probe = async (seen: SeenRun) => ({ ...seen, probes: await lookAt(paths, seen.run.browser, driver) })
  const [minors, denied, adults, invented, between] = await inTurn(Object.values(runs), (some) => inTurn(some, probe))
  if (!minors || !denied || !adults || !invented || !between) throw new Error('each kind of user has runs')
  // A browser that has begun and was given no answer.
  const begun = isVisited ? undefined : await driver.run({ ...DENIED, holds: true })
  const fresh = begun ? [await lookAt(paths, begun.browser, driver)] : []

  checkAdults(adults, { app, cast, rules })
  const controls = { minor: minors, access_denied: denied }
  const letsIn = await checkControls({ ...controls, adult: adults }, { app, driver, cast, rules, fresh, paths })
  const refusals = (['access_denied', 'minor'] as const).filter((label) => !letsIn.includes(label))
  const outs = refusals.map((label): SeenKind => ({ label, seen: controls[label] }))
  const parts = { rules, ins: adults, fresh, paths, waitMs }
  const known = learnFlow({ ...parts, outs })
  const byInvented = invented.map((seen) => readRun(seen, known))
  const isRefused = byInvented.every(({ says }) => says === 'out' || says === 'unknown')
  const kinds = isRefused ? [...outs, { label: INVENTED, seen: invented }] : outs
  const isIn = byInvented.some(({ says, isByPage }) => says === 'in' && isByPage)
  const use = learnFlow({ ...parts, outs: kinds, isRefuted: isIn && isShownToAll(adult, known, fresh) })

  const states = [...denied, ...adults].map(({ run }) => run.request?.parameters['state'])
  const profile = { ...asked, repeatsState: new Set(states).size === 1 }
  const later = { app, driver, options, profile, cast, paths, fresh, use }
  const create = await learnCreate(later)
  const upgrade = await learnUpgrade(later, kinds)
  const flows = { use, ...flowOf('create', create), ...flowOf('upgrade', upgrade) }
  const described = Object.fromEntries(Object.entries(flows).map(([name, flow]) => [name, flow.described]))
  return {
    profile,
    cast,
    use,
    create,
    upgrade,
    letsIn,
    between: cast.between.flatMap(({ persona, misses }, index) => {
      const seen = between[index]
      return seen ? [{ persona, misses, seen, isLetIn: getsAll(seen, use) }] : []
    }),
    createsAfterDenial: denied.some(({ run }) => run.reachesCreate),
    signOut,
    visitSeconds,
    described,
    lines: [...linesOf(described), ...[create, upgrade].flatMap(reasonOf)],
  }
}

const INVENTED = 'an invented token'

/** A browser that has done nothing is shown the page of a yes too, so that an answer that ends there proves nothing. */
function isShownToAll({ run }: SeenRun, { page }: LearnedFlow, fresh: readonly ReadonlyMap<string, Observation>[]) {
  const { pathname, search } = new URL(run.visit.page?.url ?? run.visit.url ?? 'about:blank')
  return fresh.some((shown) => {
    const one = shown.get(pathname + search)
    return one !== undefined && page?.compare(one).as === 'in'
  })
}

function tellsByPage(ins: readonly SeenRun[], outs: readonly SeenRun[]): boolean {
  const seen = (runs: readonly SeenRun[]) => runs.map(({ run }) => run.observation)
  return learnLikeness(seen(ins), [{ label: '', seen: seen(outs) }], { isProbe: false }) !== undefined
}

/** How long it takes after an answer until a page tells that the user is in. */
async function findWait(paths: readonly string[], { run }: SeenRun, driver: Driver): Promise<number> {
  const fresh = await lookAt(paths, await driver.newBrowser(), driver)
  for (let waited = 0; waited <= MAX_WAIT_MS; waited += STEP_MS) {
    const shown = await lookAt(paths, run.browser, driver)
    const tells = [...shown].some(([path, one]) => {
      const out = fresh.get(path)
      return out && learnLikeness([one], [{ label: '', seen: [out] }], { isProbe: true })
    })
    if (tells) return waited === 0 ? 0 : 2 * waited
    await driver.wait(STEP_MS)
  }
  return 0
}

/** Whether a user gets everything that an adult gets. */
function getsAll(seen: SeenRun, { probes, ...use }: LearnedFlow): boolean {
  if (probes.length === 0 || use.rules.accepted) return readRun(seen, { ...use, probes }).says === 'in'
  return probes.every(({ path, likeness }) => {
    const shown = seen.probes.get(path)
    return shown !== undefined && likeness.compare(shown).as === 'in'
  })
}

interface LaterSubject extends Subject {
  readonly profile: AppProfile
  readonly cast: Cast
  readonly paths: readonly string[]
  readonly fresh: readonly ReadonlyMap<string, Observation>[]
  readonly use: LearnedFlow
}

/** How the app is brought to Create: by the answer of Use, or by a page of its own. */
export const planOfCreate = (
  persona: string,
  { profile, start }: { profile: AppProfile; start: FlowOptions['start'] },
): FlowPlan => ({
  use: { persona, outcome: profile.canCreate ? 'create_requested' : 'access_denied' },
  create: { persona, outcome: 'created' },
  page: start,
})

/** Runs Create twice to its good end, twice to a denial, and once to an answer with another state. */
async function learnCreate({
  app,
  driver,
  options,
  profile,
  cast,
  paths,
  fresh,
  use,
}: LaterSubject): Promise<LearnedLater> {
  const { sandbox, agent } = app
  const { create: { start } = {} } = options
  const advice = (text: string) => (agent === 'function' ? '' : text)
  if (!profile.canCreate && !start) {
    const reason = `your app sends no can_create=true${advice('; name its page under create.start when it has Create')}`
    return { kind: 'absent', reason }
  }
  const rules = declaredRules(options.create)
  const end = (outcome: string) =>
    cast.as('newcomer', async (persona) => {
      const run = await driver.run({ ...planOfCreate(persona, { profile, start }), create: { persona, outcome } })
      const probes = await lookAt(paths, run.browser, driver)
      return { run, probes, ...(await askRules(rules, run, driver)) }
    })
  const first = await end('access_denied')
  if (!first.run.reachesCreate) {
    const refused = refusedCall(await sandbox.flows.list({ audit: 'also', flow: 'create', after: first.run.useFlow }))
    if (refused !== undefined)
      return { kind: 'refused', rows: ['use/create_requested', 'create/created'], evidence: refused }
    const reason = `your app began no Create flow after create_requested${advice('; name its page under create.start')}`
    const letsIn = profile.canCreate && readRun(first, use).says === 'in' ? first : undefined
    return { kind: 'absent', reason, ...(letsIn && { letsIn }) }
  }
  const created = [await end('created')]
  const denied = [first, await end('access_denied')]
  created.push(await end('created'))
  const failed = created.find(({ run }) => run.observation.status >= 400)
  if (failed) {
    const evidence = `after an age key was saved your app showed ${failed.run.observation.summary}`
    return { kind: 'refused', rows: ['create/created'], evidence }
  }
  const other = await end('callback.state_changed')
  const kinds = unlike(created, [
    { label: 'access_denied', seen: denied },
    { label: 'an answer with another state', seen: [other] },
  ])
  const silence = agent === 'function' && kinds.length === 0 ? silenceOf(created, SAYS_CREATE) : undefined
  return { kind: 'learned', flow: learnFlow({ rules, ins: created, outs: kinds, fresh, paths }), silence }
}

/** Runs Upgrade twice to its good end, and to replies by which it fails. */
async function learnUpgrade(
  { app, driver, options, profile, cast, paths, fresh }: LaterSubject,
  ofUse: readonly SeenKind[],
): Promise<LearnedLater> {
  if (!profile.upgradeScope) return { kind: 'absent', reason: 'your app does not ask for the upgrade scope' }
  const page = options.upgrade?.start
  const rules = declaredRules(options.upgrade)
  const end = (later?: FlowPlan['later']) =>
    cast.as('minor', async (persona) => {
      const run = await driver.run({ use: { persona, outcome: 'code_issued' }, page, ...(later && { later }) })
      const probes = await lookAt(paths, run.browser, driver)
      return { run, probes, ...(await askRules(rules, run, driver)) }
    })
  const upgraded = [await end(), await end()]
  const flows = await Promise.all(
    upgraded.map(({ run }) => (run.useFlow === undefined ? undefined : app.sandbox.flows.get(run.useFlow))),
  )
  const isDone = (endpoint: string) =>
    flows.every((flow) => flow?.calls.some((call) => call.endpoint === endpoint && call.status === 200))
  if (!isDone('E5')) {
    const failed = upgraded.find(({ run }) => run.observation.status >= 400)
    const after = isDone('E4') ? 'a right access token' : 'a code'
    const shown = failed && `after ${after} your app showed ${failed.run.observation.summary}`
    const evidence = refusedCall(flows.filter((flow) => flow !== undefined)) ?? shown
    if (evidence !== undefined) return { kind: 'refused', rows: ['use/code_issued'], evidence }
    const missing = isDone('E4') ? 'sent no upgrade (E5)' : 'exchanged no code'
    const advice = app.agent === 'function' ? '' : '; name its page under upgrade.start'
    return { kind: 'absent', reason: `your app ${missing} after code_issued${advice}` }
  }
  const kinds = unlike(upgraded, [
    { label: 'a refused code', seen: [await end({ flow: 'token', outcome: 'token.code_expired' })] },
    { label: 'a refused upgrade', seen: [await end({ flow: 'upgrade', outcome: 'upgrade.token_expired' })] },
    ...ofUse,
  ])
  const silence = app.agent === 'function' && kinds.length === 0 ? silenceOf(upgraded, SAYS_UPGRADE) : undefined
  return { kind: 'learned', flow: learnFlow({ rules, ins: upgraded, outs: kinds, fresh, paths }), silence }
}

/** The kinds of refusals that the app does not show as it shows a yes. */
const unlike = (ins: readonly SeenRun[], kinds: readonly SeenKind[]): readonly SeenKind[] =>
  kinds.filter(({ seen }) => tellsByPage(ins, seen))

const SAYS_CREATE = 'whether Create ended well or not; return true for flow create when the age key was saved'
const SAYS_UPGRADE = 'whether Upgrade ended well or not; return true for flow upgrade when it was upgraded'

/** A function that reads only Use says the same of each end of Create and Upgrade. */
const silenceOf = ([seen]: readonly SeenRun[], rest: string): string =>
  `visit returned ${seen?.run.observation.features.has('let in')} ${rest}`

/** What the sandbox found wrong with a call of the app's server. */
function refusedCall(flows: readonly Flow[]): string | undefined {
  const refused = flows
    .flatMap(({ calls }) => calls)
    .find(({ status, endpoint }) => status >= 400 && ['E2', 'E4', 'E5'].includes(endpoint))
  if (!refused) return undefined
  return `the sandbox refuses ${refused.endpoint} of your app with ${refused.status}: ${describeErrors([refused])}`
}

const flowOf = (name: string, later: LearnedLater): Readonly<Record<string, LearnedFlow>> =>
  later.kind === 'learned' ? { [name]: later.flow } : {}

const linesOf = (described: AuditReport['learned']): readonly string[] =>
  Object.entries(described).flatMap(([flow, seen]) =>
    seen ? [`${flow}: yes is ${seen.yes}`, ...seen.no.map((one) => `${flow}: no is ${one}`)] : [],
  )

function reasonOf(later: LearnedLater): readonly string[] {
  if (later.kind === 'absent') return [later.reason]
  if (later.kind === 'refused') return [later.evidence]
  return later.silence === undefined ? [] : [later.silence]
}
