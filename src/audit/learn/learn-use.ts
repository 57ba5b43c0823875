import type { Browser } from '../agent/browser.ts'
import type { AuditedApp, Driver } from '../drive/driver.ts'
import type { FlowPlan } from '../drive/flow-run.ts'
import { inTurn } from '../drive/in-turn.ts'
import { type Observation, observe } from '../drive/observation.ts'
import type { TestedPersonas } from '../drive/tested-personas.ts'
import type { DeclaredRules } from './accepted-rule.ts'
import { candidatePaths } from './candidate-paths.ts'
import { checkAdults, checkControls, type RefusalKind } from './check-controls.ts'
import { checkVisit } from './check-learned.ts'
import { type FlowParts, type LearnedFlow, learnFlow } from './learned-flow.ts'
import { readRun } from './read-run.ts'
import { lookAt, type SeenRun, type ShownPages, seeRun } from './see-run.ts'
import { findSteadyPaths, findWait } from './steady-paths.ts'

export const DENIED: FlowPlan = { use: { outcome: 'access_denied' } }
/** Number of browsers without an answer. They request the candidate pages as a control. */
const CONTROL_BROWSERS = 8
/** Maximum number of further adults to learn from if the flow does not recognise an adult. */
const MORE_ADULTS = 3

interface Learner {
  readonly app: AuditedApp
  readonly driver: Driver
  readonly personas: TestedPersonas
  readonly rules: DeclaredRules
  readonly see: See
}

/** Runs a plan and evaluates the declared rules. */
type See = (plan: FlowPlan) => Promise<SeenRun>

/** A user between two thresholds. */
export interface UserBetween {
  readonly persona: string
  /** The lowest threshold that the user does not reach, in years. */
  readonly misses: number
  readonly seen: SeenRun
}

/** The runs of each kind of user. */
interface SeenUsers {
  readonly denials: readonly [SeenRun, SeenRun]
  readonly minors: readonly [SeenRun, SeenRun]
  readonly adults: readonly SeenRun[]
  /** Runs with an invented id_token, which the sandbox never issued. */
  readonly invented: readonly SeenRun[]
  readonly between: readonly UserBetween[]
}

interface LearnedUse {
  readonly use: LearnedFlow
  readonly seen: SeenUsers
  readonly letsIn: readonly RefusalKind[]
  readonly signOut: readonly string[]
}

export function createSee(app: AuditedApp, driver: Driver, rules: DeclaredRules): See {
  return async (plan) => {
    const run = await driver.run(plan)
    if (app.agent === 'function') await checkVisit(run, app.sandbox)
    // Evaluated immediately, because later users may change what the app shows.
    return seeRun(run, { rules, probes: [], waitMs: 0 }, driver)
  }
}

/**
 * Learns how success and refusal look in Use.
 * @throws AuditProblem with one line when a yes cannot be told from a refusal
 */
export async function learnUse(
  first: Readonly<Record<'denial' | 'minor' | 'adult', SeenRun>>,
  learner: Learner,
): Promise<LearnedUse> {
  const { app, driver, personas, rules } = learner
  const { paths, signOut, controls } = await findCandidates(first.adult, learner)
  const refusals = [{ label: '', seen: [first.denial, first.minor] }]
  const isToldByPage = learnFlow({ rules, ins: [first.adult], outs: refusals }).tells
  const waitMs = isToldByPage ? 0 : await findWait(paths, first.adult, controls, driver)
  const seen = await seeUsers(first, { paths, waitMs }, learner)
  const begun = await seeWithoutAnswer(paths, learner)
  const parts = { rules, ins: seen.adults, outs: [], fresh: begun.pages, paths }
  const steady = await findSteadyPaths(parts, controls, driver)
  const adults = steady.ins

  checkAdults(adults, { app, personas, rules })
  const { letsIn, known } = await checkControls(
    { minor: seen.minors, access_denied: seen.denials, adult: adults },
    { app, driver, personas, rules, fresh: begun.pages, paths: steady.paths },
  )
  const byInvented = learnFromInvented(seen.invented, known)
  const learned = learnFlow({ ...known, ...byInvented, first: begun.first, waitMs })
  const use = await learnMoreAdults(learned, learner)
  return { use, seen: { ...seen, adults }, letsIn, signOut }
}

interface Candidates {
  /** Pages that may show who is in. */
  readonly paths: readonly string[]
  readonly signOut: readonly string[]
  readonly controls: readonly Browser[]
}

/** Finds candidate pages. A visit function has no browser, so it has no candidates. */
async function findCandidates(adult: SeenRun, { app, driver }: Learner): Promise<Candidates> {
  if (app.agent === 'function') return { paths: [], signOut: [], controls: [] }
  const candidates = await candidatePaths(adult.run, app.page, driver)
  const controls = await inTurn(Array.from({ length: CONTROL_BROWSERS }), () => driver.newBrowser())
  return { ...candidates, controls }
}

/** Runs further users, and requests the pages of `paths` in the browser of each user. */
async function seeUsers(
  { denial, minor, adult }: Readonly<Record<'denial' | 'minor' | 'adult', SeenRun>>,
  { paths, waitMs }: { readonly paths: readonly string[]; readonly waitMs: number },
  { driver, personas, see }: Learner,
): Promise<SeenUsers> {
  const seeAs = (persona: string, outcome = 'verified') => see({ use: { persona, outcome } })
  const look = async (seen: SeenRun): Promise<SeenRun> =>
    seen.probes.size > 0 ? seen : { ...seen, probes: await lookAt(paths, seen.run.browser, driver) }
  // Looks at once, before a background job of the app can let the user in.
  const secondMinor = await look(await seeAs(personas.minor))
  const secondDenial = await look(await see(DENIED))
  const adults = [adult, await seeAs(personas.adult), await seeAs(personas.adult)]
  const invented = [
    await seeAs(personas.adult, 'id_token.invented'),
    await seeAs(personas.adult, 'id_token.invented'),
  ]
  const between = await inTurn(personas.between, async (user) => ({
    ...user,
    seen: await seeAs(user.persona),
  }))
  await driver.wait(waitMs)
  return {
    denials: [await look(denial), await look(secondDenial)],
    minors: [await look(minor), await look(secondMinor)],
    adults: await inTurn(adults, look),
    invented: await inTurn(invented, look),
    between: await inTurn(between, async (user) => ({ ...user, seen: await look(user.seen) })),
  }
}

interface PagesWithoutAnswer {
  readonly pages: ShownPages
  readonly first: Observation | undefined
}

/** Requests the pages in a browser that began a flow but received no answer. */
async function seeWithoutAnswer(
  paths: readonly string[],
  { app, driver }: Learner,
): Promise<PagesWithoutAnswer> {
  if (app.agent === 'function') return { pages: new Map(), first: undefined }
  const { browser } = await driver.run({ ...DENIED, holds: 'E1' })
  const pages = await lookAt(paths, browser, driver)
  return { pages, first: observe(await driver.open({ url: app.page }, browser)) }
}

/**
 * Adds the pages of an invented token to the refusals if they look like refusals. `isRefuted`: the
 * page of a yes proves nothing, because an invented token and no answer at all lead to it too.
 */
function learnFromInvented(
  invented: readonly SeenRun[],
  known: LearnedFlow,
): Required<Pick<FlowParts, 'outs' | 'isRefuted'>> {
  const isYes = (page: Observation) => known.page?.compare(page).as === 'in'
  const results = invented.map((seen) => readRun(seen, known).says)
  const isRefused =
    results.every((says) => says === 'out' || says === 'unknown') &&
    !invented.some(({ run }) => isYes(run.observation))
  const kind = { label: 'an invented token', seen: invented }
  const isByPage = known.probes.length === 0 && !known.rules.accepted
  return {
    outs: isRefused ? [...known.outs, kind] : known.outs,
    isRefuted: isByPage && [...known.fresh.values()].some(isYes) && results.includes('in'),
  }
}

/**
 * Learns from further adults until the flow recognises an adult. Three adults may share features by
 * chance, for example the variant of an experiment. No row has run yet that could break the app.
 */
async function learnMoreAdults(
  learned: LearnedFlow,
  { driver, personas, rules, see }: Learner,
): Promise<LearnedFlow> {
  let use = learned
  for (let more = 0; more < MORE_ADULTS && use.probes.length > 0 && !rules.accepted; more++) {
    const { run } = await see({ use: { persona: personas.adult, outcome: 'verified' } })
    const adult = await seeRun(run, use, driver)
    if (readRun(adult, use).says !== 'unknown') break
    use = learnFlow({ ...use, ins: [...use.ins, adult] })
  }
  return use
}
