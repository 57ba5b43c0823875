import { startStopwatch } from '../../sandbox/clock/clock.ts'
import type { Browser } from '../agent/browser.ts'
import { AuditProblem } from '../audit-problem.ts'
import type { AuditedApp, Driver, FlowPlan } from '../drive/driver.ts'
import { inTurn } from '../drive/in-turn.ts'
import { observe } from '../drive/observation.ts'
import { chooseTestedPersonas } from '../drive/tested-personas.ts'
import type { AuditRunOptions } from '../options.ts'
import { declaredRules } from './accepted-rule.ts'
import { candidatePaths } from './candidate-paths.ts'
import {
  type AppProfile,
  type Controls,
  checkAdults,
  checkControls,
  checkRealTime,
  checkVisit,
  describeErrors,
  profileOf,
  requireValidRequest,
} from './check-learned.ts'
import {
  describeLearnedFlow,
  type FlowParts,
  findProbes,
  type LearnedFlow,
  learnFlow,
  lookAt,
  observed,
  type Probe,
  readRun,
  type SeenKind,
  type SeenRun,
  type ShownPages,
  seeRun,
  showsIn,
} from './learned-flow.ts'

export type LearnedApp = Awaited<ReturnType<typeof learnApp>>

export type LearnedLater =
  /**
   * A flow; with a reason why its rows cannot be tried, when a function returns the same for each
   * end.
   */
  | { readonly kind: 'learned'; readonly flow: LearnedFlow; readonly reason?: string }
  /**
   * The app does not complete the flow with right answers: the rows that show it, and what was
   * seen.
   */
  | { readonly kind: 'refused'; readonly rows: readonly string[]; readonly reason: string }
  /**
   * Why its rows cannot be tried. `letsIn`: the app took a wish for an age key for a proof of age.
   */
  | { readonly kind: 'absent'; readonly reason: string; readonly letsIn?: SeenRun | undefined }

const DENIED: FlowPlan = { use: { outcome: 'access_denied' } }
/** Browsers that proved nothing and request the pages that seem to tell. */
const STRANGERS = 8
/** Further adults to learn from, while the earlier ones do not recognise each other. */
const MORE_ADULTS = 3
/** Milliseconds to wait for a job of the app that lets users in. */
const MAX_WAIT_MS = 5000
const STEP_MS = 500

/**
 * Learns how each flow of an app looks when it ends well and when it does not. Denials, minors and
 * adults take turns, each in a fresh browser; a minor precedes the first adult, so that an app
 * which remembers its users is noticed.
 * @throws AuditProblem when nothing can be shown
 */
export async function learnApp(app: AuditedApp, driver: Driver, options: AuditRunOptions) {
  const { sandbox, agent } = app
  const isVisited = agent === 'function'
  const rules = declaredRules(options.use)
  await checkRealTime(sandbox)
  const all: SeenRun[] = []
  const see = async (plan: FlowPlan): Promise<SeenRun> => {
    const run = await driver.run(plan)
    if (isVisited) await checkVisit(run, sandbox)
    // Rules are asked at once, because the app may remember later users.
    const seen = await seeRun(run, { rules, probes: [], waitMs: 0 }, driver)
    all.push(seen)
    return seen
  }
  const passed = startStopwatch()
  const denial = await see(DENIED)
  const asked = profileOf(denial.run, { ...app, baseUrl: sandbox.baseUrl })
  await requireValidRequest(denial.run, sandbox)
  const personas = await chooseTestedPersonas(sandbox, asked.claims)
  const be = (persona: string, outcome = 'verified') => see({ use: { persona, outcome } })
  const minor = await be(personas.minor)
  const adult = await be(personas.adult)
  const subject = { app, driver, personas, rules }
  checkAdults([adult], subject)
  const visitSeconds = passed() / 3000

  const { paths: some, signOut } = isVisited
    ? { paths: [], signOut: [] }
    : await candidatePaths(adult.run, app.page, driver)
  const strangers = isVisited
    ? []
    : await inTurn(Array.from({ length: STRANGERS }), () => driver.newBrowser())
  const isTold = learnFlow({
    rules,
    ins: [adult],
    outs: [{ label: '', seen: [denial, minor] }],
  }).tells
  const waitMs = isTold ? 0 : await findWait(some, adult, strangers, driver)
  const look = async (one: SeenRun) =>
    Object.assign(one, { probes: await lookAt(some, one.run.browser, driver) })
  // The second of each kind is checked before a job of the app can have let it in.
  const minors = [minor, await look(await be(personas.minor))]
  const denials = [denial, await look(await see(DENIED))]
  const ins = [adult, await be(personas.adult), await be(personas.adult)]
  const invented = [
    await be(personas.adult, 'id_token.invented'),
    await be(personas.adult, 'id_token.invented'),
  ]
  const between = await inTurn(personas.between, async (teen) => ({
    ...teen,
    seen: await be(teen.persona),
  }))
  await driver.wait(waitMs)
  for (const one of all) if (one.probes.size === 0) await look(one)
  // A browser that began a flow and received no answer.
  const begun = isVisited ? undefined : await driver.run({ ...DENIED, holds: 'E1' })
  const fresh: ShownPages = begun ? await lookAt(some, begun.browser, driver) : new Map()
  const first = begun && observe(await driver.open({ url: app.page }, begun.browser))
  const paths = await steadyPaths({ rules, ins, outs: [], fresh, paths: some }, strangers, driver)

  checkAdults(ins, subject)
  const seen = { minor: minors, access_denied: denials, adult: ins }
  const { letsIn, known } = await checkControls(seen, { ...subject, fresh, paths })
  const byInvented = invented.map((one) => readRun(one, known))
  const isYes = ({ run }: SeenRun) => known.page?.compare(run.observation).as === 'in'
  const isRefused =
    byInvented.every(({ says }) => says === 'out' || says === 'unknown') && !invented.some(isYes)
  const outs = isRefused
    ? [...known.outs, { label: 'an invented token', seen: invented }]
    : known.outs
  // A browser that did nothing also requests the page of a yes: an answer that ends there then
  // proves nothing.
  const isShown = [...fresh.values()].some((one) => known.page?.compare(one).as === 'in')
  const isByPage = known.probes.length === 0 && !rules.accepted
  const isRefuted = isByPage && isShown && byInvented.some(({ says }) => says === 'in')
  const use = learnFlow({ ...known, outs, first, waitMs, isRefuted })
  // Three adults may look alike by chance, as in an experiment or a greeting. No wrong answer can
  // have broken the app yet.
  for (let more = 0; more < MORE_ADULTS && use.probes.length > 0 && !rules.accepted; more++) {
    const next = await seeRun((await be(personas.adult)).run, use, driver)
    if (readRun(next, use).says !== 'unknown') break
    Object.assign(use, learnFlow({ ...use, ins: [...use.ins, next] }))
  }
  const isAdult = (one: SeenRun) =>
    use.probes.length > 0 && !rules.accepted
      ? use.probes.every((probe) => showsIn(probe, one.probes))
      : readRun(one, use).says === 'in'

  const states = [...denials, ...ins].map(({ run }) => run.request?.parameters['state'])
  const profile = { ...asked, repeatsState: new Set(states).size === 1 }
  const later = { app, driver, options, profile, personas, use }
  const create = await learnLater('create', later)
  const upgrade = await learnLater('upgrade', later)
  const described = {
    use: describeLearnedFlow(use),
    ...(create.kind === 'learned' && { create: describeLearnedFlow(create.flow) }),
    ...(upgrade.kind === 'learned' && { upgrade: describeLearnedFlow(upgrade.flow) }),
  }
  const lines = Object.entries(described).flatMap(([flow, { yes, no }]) => [
    `${flow}: yes: ${yes}`,
    ...no.map((one) => `${flow}: no: ${one}`),
  ])
  return {
    profile,
    personas,
    use,
    create,
    upgrade,
    /** Kinds of refusals after which the app behaves as after a yes. */
    letsIn,
    /** The result of a user below every threshold with a right answer. */
    minor,
    /**
     * Users between two thresholds: the first one that they miss, and whether they get everything
     * that an adult gets.
     */
    between: between.map((teen) => ({ ...teen, isLetIn: isAdult(teen.seen) })),
    /** After a denial the app continues to Create by itself, so that Create is no sign of a yes. */
    createsAfterDenial: denials.some(({ run }) => run.reachesCreate),
    signOut,
    visitSeconds,
    described,
    lines: [...lines, create.reason, upgrade.reason].filter((line) => line !== undefined),
  }
}

/** Twice the time from an answer until a page tells that the user is in. */
async function findWait(
  paths: readonly string[],
  { run }: SeenRun,
  strangers: readonly Browser[],
  driver: Driver,
) {
  const [stranger] = strangers
  const fresh = stranger && (await lookAt(paths, stranger, driver))
  for (let waited = 0; fresh && waited <= MAX_WAIT_MS; waited += STEP_MS) {
    // Requested twice, so that a chance difference of a page is no sign.
    const ins = await inTurn([run, run], async () => ({
      run,
      probes: await lookAt(paths, run.browser, driver),
    }))
    const told = await steadyPaths({ rules: {}, ins, outs: [], fresh, paths }, strangers, driver)
    if (told.length > 0) return 2 * waited
    await driver.wait(STEP_MS)
  }
  return 0
}

/**
 * The paths that tell who is in, and that tell the same when each browser requests them again: a
 * page with news, or variants of an experiment, may have told by chance. The second pages of users
 * who are in are learned too.
 * @param strangers browsers that proved nothing
 */
async function steadyPaths(parts: FlowParts, strangers: readonly Browser[], driver: Driver) {
  const paths = findProbes(parts).map(({ path }) => path)
  const browsersOf = (runs: readonly SeenRun[]) => runs.map(({ run }) => run.browser)
  const lookAgain = (browsers: readonly Browser[]) =>
    inTurn(browsers, (one) => lookAt(paths, one, driver))
  for (const one of parts.ins)
    Object.assign(one, { again: await lookAt(paths, one.run.browser, driver) })
  const probes = findProbes(parts).filter(({ path }) => paths.includes(path))
  const shownIns = await lookAgain(browsersOf(parts.ins))
  const shownOuts = await lookAgain([
    ...browsersOf(parts.outs.flatMap(({ seen }) => seen)),
    ...strangers,
  ])
  return probes.flatMap((probe) => {
    const isIn = (shown: ShownPages) => showsIn(probe, shown)
    return shownIns.map(isIn).includes(false) || shownOuts.some(isIn) ? [] : [probe.path]
  })
}

/** How the app gets to Create: by the answer of Use, or by a page of its own. */
export const planOfCreate = (
  persona: string,
  {
    profile,
    page,
    outcome = 'created',
  }: { profile: AppProfile; page: FlowPlan['page']; outcome?: string | undefined },
): FlowPlan => ({
  use: { persona, outcome: profile.canCreate ? 'create_requested' : 'access_denied' },
  create: { persona, outcome },
  page,
})

type Subject = Pick<Controls, 'app' | 'driver' | 'personas'> & {
  readonly options: AuditRunOptions
  readonly profile: AppProfile
  readonly use: LearnedFlow
}

/** The outcomes that refuse a flow, one for each kind of refusal. */
const REFUSALS = {
  create: [['access_denied', 'access_denied'], ['callback.state_changed']],
  upgrade: [['token.code_expired'], ['upgrade.token_expired']],
}

async function learnLater(name: 'create' | 'upgrade', subject: Subject): Promise<LearnedLater> {
  const { app, driver, options, profile, personas, use } = subject
  const isCreate = name === 'create'
  const isVisited = app.agent === 'function'
  const start = options[name]?.start
  const advice = isVisited ? '' : `; name its page under ${name}.start if it has ${name}`
  const absent = (reason: string) => ({ kind: 'absent', reason: `your app ${reason}` }) as const
  if (isCreate && !profile.canCreate && !start) return absent(`sends no can_create=true${advice}`)
  if (!isCreate && !profile.upgradeScope) return absent('does not ask for the upgrade scope')

  const later = {
    rules: declaredRules(options[name]),
    probes: use.paths.map((path) => ({ path })),
    waitMs: 0,
  }
  const planOf = (persona: string, outcome?: string): FlowPlan => {
    if (isCreate) return planOfCreate(persona, { profile, page: start, outcome })
    const flow = outcome?.startsWith('token.') ? 'token' : 'upgrade'
    const forced: FlowPlan = {
      use: { persona, outcome: 'code_issued' },
      page: start,
      waitMs: 2 * waited,
    }
    return outcome === undefined ? forced : { ...forced, later: { flow, outcome } }
  }
  let waited = 0
  const user = isCreate ? personas.newcomer : personas.minor
  const see = (...outcomes: readonly (string | undefined)[]) =>
    inTurn(outcomes, async (outcome) =>
      seeRun(await driver.run(planOf(user, outcome)), later, driver),
    )
  const ins = await see(undefined, undefined)
  let progress: Progress = await findProgress(name, ins, app)
  // A job of the app may exchange the code, and send the upgrade, after its page.
  for (; !isCreate && isUnderWay(progress, ins) && waited < MAX_WAIT_MS; waited += STEP_MS) {
    await driver.wait(STEP_MS)
    progress = await findProgress(name, ins, app)
  }
  const { rows, calls, missing, after, lost } = progress
  const refused = calls.find(
    ({ status, endpoint }) => status >= 400 && ['E2', 'E4', 'E5'].includes(endpoint),
  )
  const failing = after && ins.find(({ run }) => run.observation.status >= 400)
  const reason = refused
    ? `the sandbox refuses ${refused.endpoint} of your app with ${refused.status}: ${describeErrors([refused])}`
    : failing && `after ${after} your app showed ${failing.run.observation.summary}`
  if (reason) return { kind: 'refused', rows, reason }
  if (missing) {
    const isLetIn = lost && profile.canCreate && readRun(lost, use).says === 'in'
    return { ...absent(missing + advice), ...(isLetIn && { letsIn: lost }) }
  }
  const { accepted } = later.rules
  const unaccepted = accepted && ins.find((one) => !one.accepted)
  if (unaccepted) {
    const shown = `your app shows ${unaccepted.run.observation.summary}`
    throw new AuditProblem(
      `${name}.accepted ${JSON.stringify(accepted.text)} does not hold after ${name}: ${shown}`,
    )
  }
  const kinds = await inTurn(REFUSALS[name], async (some) => ({
    label: some.join(),
    seen: await see(...some),
  }))
  const beginning = { ...planOf(user), holds: isCreate ? ('E3' as const) : ('E1' as const) }
  const told = isVisited
    ? { fresh: new Map(), paths: [] }
    : await lookAtEnds({ ins, kinds, beginning }, subject)
  const ends = { rules: {}, ins, ...told }
  // An end that looks like a yes is no refusal.
  const isRefusal = (kind: SeenKind) => learnFlow({ ...ends, outs: [kind] }).tells
  const { probes } = learnFlow({ ...ends, outs: [] })
  // A refusal that looks like a yes but says more, such as "not saved", leaves open how to tell
  // them apart.
  const isTold =
    isVisited || kinds.every((kind) => isRefusal(kind) || saysNothingNew(kind, ins, probes))
  // A minor who was refused in Use has a code, and may be upgraded by now.
  const ofUse = isCreate ? [] : use.outs.filter(({ label }) => label !== 'minor')
  const outs = isTold ? [...kinds, ...ofUse].filter(isRefusal) : []
  const parts = { ...ends, rules: later.rules, outs, fresh: isTold ? told.fresh : new Map() }
  const flow = learnFlow({
    ...parts,
    paths: await steadyPaths(parts, [], driver),
    waitMs: 2 * waited,
  })
  if (!isVisited || outs.length > 0) return { kind: 'learned', flow }
  // A function that drives only Use returns the same for each end.
  const [said] = ins.map(({ run }) => run.observation.summary)
  const silence = `${said} whether ${name} ended well or not; return true for flow ${name} when it did`
  return { kind: 'learned', flow, reason: silence }
}

/**
 * What pages show after each end of a flow, and in a browser that began the flow and received no
 * answer.
 */
async function lookAtEnds(
  {
    ins,
    kinds,
    beginning,
  }: { ins: readonly SeenRun[]; kinds: readonly SeenKind[]; beginning: FlowPlan },
  { app, driver, use }: Subject,
): Promise<{ fresh: ShownPages; paths: readonly string[] }> {
  const begun = await driver.run(beginning)
  const [good] = ins
  const more = good ? (await candidatePaths(good.run, app.page, driver)).paths : []
  const paths = [...new Set([...use.paths, ...more])]
  for (const one of [...ins, ...kinds.flatMap(({ seen }) => seen)])
    Object.assign(one, { probes: await lookAt(paths, one.run.browser, driver) })
  return { fresh: await lookAt(paths, begun.browser, driver), paths }
}

/** Whether the telling pages say no more after a refusal than after a good end. */
function saysNothingNew(
  { seen }: SeenKind,
  ins: readonly SeenRun[],
  probes: readonly Probe[],
): boolean {
  const featuresAt = (runs: readonly SeenRun[], path: string) =>
    runs.flatMap((one) => [...(one.probes.get(path)?.features ?? [])])
  return probes.every(({ path }) => {
    const known = featuresAt(ins, path)
    return featuresAt(seen, path).every((feature) => known.includes(feature))
  })
}

/** No call of the app failed, and no page: what is missing may still come. */
const isUnderWay = ({ missing, calls }: Progress, ins: readonly SeenRun[]) =>
  missing !== undefined &&
  calls.every(({ status }) => status < 400) &&
  observed(ins).every(({ status }) => status < 400)
type Progress = Awaited<ReturnType<typeof findProgress>>

/**
 * How far the app came with right answers: its last step or the missing one, and the rows that fail
 * for this reason.
 */
async function findProgress(
  name: 'create' | 'upgrade',
  ins: readonly SeenRun[],
  { sandbox }: AuditedApp,
) {
  const done = {
    rows: ['create/created'],
    calls: [],
    after: undefined,
    missing: undefined,
    lost: undefined,
  }
  if (name === 'create') {
    const lost = ins.find(({ run }) => !run.reachesCreate)
    if (!lost) return { ...done, after: 'an age key was saved' }
    const flows = await sandbox.flows.list({ audit: 'also', flow: name, after: lost.run.useFlow })
    const missing = 'began no Create flow after create_requested'
    const rows = ['use/create_requested', 'create/created']
    return { ...done, rows, calls: flows.flatMap(({ calls }) => calls), missing, lost }
  }
  const calls = await inTurn(ins, async ({ run: { useFlow } }) =>
    useFlow === undefined ? [] : (await sandbox.flows.get(useFlow)).calls,
  )
  const isDone = (endpoint: string) =>
    calls.every((some) => some.some((call) => call.endpoint === endpoint && call.status === 200))
  if (isDone('E5')) return done
  const [after, missing] = isDone('E4')
    ? ['a right access token', 'sent no upgrade (E5)']
    : ['a code', 'exchanged no code']
  return {
    ...done,
    rows: ['use/code_issued'],
    calls: calls.flat(),
    after,
    missing: `${missing} after code_issued`,
  }
}
