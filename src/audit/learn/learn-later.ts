import { AuditProblem } from '../audit-problem.ts'
import type { AuditedApp, Driver } from '../drive/driver.ts'
import type { FlowPlan } from '../drive/flow-run.ts'
import { inTurn } from '../drive/in-turn.ts'
import type { TestedPersonas } from '../drive/tested-personas.ts'
import type { AuditRunOptions } from '../options.ts'
import { type DeclaredRules, declaredRules } from './accepted-rule.ts'
import type { AppProfile } from './app-profile.ts'
import { candidatePaths } from './candidate-paths.ts'
import { failureOf, findProgress, isUnderWay, type LaterProgress } from './later-progress.ts'
import { type LearnedFlow, learnFlow, type Probe, type SeenKind } from './learned-flow.ts'
import { planOfCreate } from './plan-create.ts'
import { readRun } from './read-run.ts'
import { lookAt, type SeenRun, type ShownPages, seeRun } from './see-run.ts'
import { findSteadyPaths, MAX_WAIT_MS, STEP_MS } from './steady-paths.ts'

/** What the audit learned about Create or Upgrade. */
export type LearnedLater =
  /**
   * The learned flow. `reason`: why its rows cannot be tried, if a visit function returns the same
   * value for each end.
   */
  | { readonly kind: 'learned'; readonly flow: LearnedFlow; readonly reason?: string }
  /** The app fails the flow even with right answers. `rows` are the right answers that it fails. */
  | { readonly kind: 'refused'; readonly rows: readonly string[]; readonly reason: string }
  /**
   * The app does not use the flow. `letsIn`: a run in which the app took the request for an age key
   * as a proof of age.
   */
  | { readonly kind: 'absent'; readonly reason: string; readonly letsIn?: SeenRun | undefined }

type LaterName = 'create' | 'upgrade'

interface Subject {
  readonly app: AuditedApp
  readonly driver: Driver
  readonly personas: TestedPersonas
  readonly options: AuditRunOptions
  readonly profile: AppProfile
  readonly use: LearnedFlow
}

/** Runs that have to end well. */
interface GoodRuns {
  readonly ins: readonly SeenRun[]
  readonly progress: LaterProgress
  /** Milliseconds that the audit waited for the last step of the app. */
  readonly waitedMs: number
}

/** Outcomes that refuse a flow, one list for each kind of refusal. */
const REFUSALS = {
  create: [['access_denied', 'access_denied'], ['callback.state_changed']],
  upgrade: [['token.code_expired'], ['upgrade.token_expired']],
}

/**
 * Learns how success and refusal look in Create or Upgrade.
 * @throws AuditProblem with one line when the declared rule does not hold after success
 */
export async function learnLater(name: LaterName, subject: Subject): Promise<LearnedLater> {
  const { app, options, profile, use } = subject
  const advice =
    app.agent === 'function' ? '' : `; name its page under ${name}.start if it has ${name}`
  const absent = (reason: string) => ({ kind: 'absent', reason: `your app ${reason}` }) as const
  if (name === 'create' && !profile.canCreate && !options.create?.start)
    return absent(`sends no can_create=true${advice}`)
  if (name === 'upgrade' && !profile.upgradeScope)
    return absent('does not ask for the upgrade scope')

  const rules = declaredRules(options[name])
  const { ins, progress, waitedMs } = await seeGoodRuns(name, rules, subject)
  const failure = failureOf(progress, ins)
  if (failure) return { kind: 'refused', rows: progress.rows, reason: failure }
  const { missing, lost } = progress
  if (missing) {
    const isLetIn = lost && profile.canCreate && readRun(lost, use).says === 'in'
    return { ...absent(missing + advice), ...(isLetIn && { letsIn: lost }) }
  }
  requireAccepted(name, ins, rules)
  return learnEnds(name, { ins, rules, waitMs: 2 * waitedMs }, subject)
}

/**
 * Runs the flow twice with right answers. Waits for an upgrade, because a background job of the app
 * may exchange the code later.
 */
async function seeGoodRuns(
  name: LaterName,
  rules: DeclaredRules,
  subject: Subject,
): Promise<GoodRuns> {
  const { app, driver } = subject
  const plan = planLater(name, {}, subject)
  const ins = await inTurn([plan, plan], (one) => seeLater(one, rules, subject))
  let progress = await findProgress(name, ins, app)
  let waitedMs = 0
  while (name === 'upgrade' && isUnderWay(progress, ins) && waitedMs < MAX_WAIT_MS) {
    await driver.wait(STEP_MS)
    progress = await findProgress(name, ins, app)
    waitedMs += STEP_MS
  }
  return { ins, progress, waitedMs }
}

/** Plans a run that ends with `outcome`; without `outcome` the run ends well. */
function planLater(
  name: LaterName,
  { outcome, waitMs = 0 }: { readonly outcome?: string; readonly waitMs?: number },
  { personas, profile, options }: Subject,
): FlowPlan {
  const page = options[name]?.start
  if (name === 'create') return planOfCreate(personas.newcomer, { profile, page, outcome })
  const use = { persona: personas.minor, outcome: 'code_issued' }
  if (outcome === undefined) return { use, page, waitMs }
  const flow = outcome.startsWith('token.') ? 'token' : 'upgrade'
  return { use, page, waitMs, later: { flow, outcome } }
}

async function seeLater(plan: FlowPlan, rules: DeclaredRules, subject: Subject): Promise<SeenRun> {
  const { driver, use } = subject
  const probes = use.paths.map((path) => ({ path }))
  return seeRun(await driver.run(plan), { rules, probes, waitMs: 0 }, driver)
}

/** @throws AuditProblem with one line when the declared rule does not hold after success */
function requireAccepted(
  name: LaterName,
  ins: readonly SeenRun[],
  { accepted }: DeclaredRules,
): void {
  const unaccepted = accepted && ins.find((seen) => !seen.accepted)
  if (!unaccepted) return
  const shown = `your app shows ${unaccepted.run.observation.summary}`
  throw new AuditProblem(
    `${name}.accepted ${JSON.stringify(accepted.text)} does not hold after ${name}: ${shown}`,
  )
}

/** Learns to tell success from refusals. */
async function learnEnds(
  name: LaterName,
  good: {
    readonly ins: readonly SeenRun[]
    readonly rules: DeclaredRules
    readonly waitMs: number
  },
  subject: Subject,
): Promise<LearnedLater> {
  const { app, driver, use } = subject
  const { rules, waitMs } = good
  const isFunction = app.agent === 'function'
  const refusals = await seeRefusals(name, good, subject)
  const { ins, kinds, fresh, paths } = isFunction
    ? { ins: good.ins, kinds: refusals, fresh: new Map(), paths: [] }
    : await lookAtEnds(name, { ...good, kinds: refusals }, subject)
  const ends = { rules: {}, ins, fresh, paths }
  // An end that looks like a yes is no refusal.
  const isRefusal = (kind: SeenKind) => learnFlow({ ...ends, outs: [kind] }).tells
  const { probes } = learnFlow({ ...ends, outs: [] })
  // If a refusal looks like a yes but adds words, such as "not saved", no page decides.
  const isTold =
    isFunction || kinds.every((kind) => isRefusal(kind) || saysNothingNew(kind, ins, probes))
  // The minor of Use may have been upgraded since, so the runs of minors are no refusals.
  const ofUse = name === 'create' ? [] : use.outs.filter(({ label }) => label !== 'minor')
  const outs = isTold ? [...kinds, ...ofUse].filter(isRefusal) : []
  const parts = { rules, ins, outs, fresh: isTold ? fresh : new Map(), paths }
  const steady = await findSteadyPaths(parts, [], driver)
  const flow = learnFlow({ ...parts, ...steady, waitMs })
  if (!isFunction || outs.length > 0) return { kind: 'learned', flow }
  // A function that drives only Use returns the same for each end.
  const [said] = ins.map(({ run }) => run.observation.summary)
  const silence = `${said} whether ${name} ended well or not; return true for flow ${name} when it did`
  return { kind: 'learned', flow, reason: silence }
}

const seeRefusals = (
  name: LaterName,
  { rules, waitMs }: { readonly rules: DeclaredRules; readonly waitMs: number },
  subject: Subject,
): Promise<readonly SeenKind[]> =>
  inTurn(REFUSALS[name], async (outcomes) => ({
    label: outcomes.join(),
    seen: await inTurn(outcomes, (outcome) =>
      seeLater(planLater(name, { outcome, waitMs }, subject), rules, subject),
    ),
  }))

interface Ends {
  readonly ins: readonly SeenRun[]
  readonly kinds: readonly SeenKind[]
}

/**
 * Requests the pages that may show how the flow ended, in the browsers of all runs and in a browser
 * that began the flow but received no answer.
 */
async function lookAtEnds(
  name: LaterName,
  { ins, kinds, waitMs }: Ends & { readonly waitMs: number },
  subject: Subject,
): Promise<Ends & { readonly fresh: ShownPages; readonly paths: readonly string[] }> {
  const { app, driver, use } = subject
  const holds = name === 'create' ? 'E3' : 'E1'
  const begun = await driver.run({ ...planLater(name, { waitMs }, subject), holds })
  const [good] = ins
  const more = good ? (await candidatePaths(good.run, app.page, driver)).paths : []
  const paths = [...new Set([...use.paths, ...more])]
  const look = (runs: readonly SeenRun[]) =>
    inTurn(runs, async (seen) => ({
      ...seen,
      probes: await lookAt(paths, seen.run.browser, driver),
    }))
  return {
    ins: await look(ins),
    kinds: await inTurn(kinds, async ({ label, seen }) => ({ label, seen: await look(seen) })),
    fresh: await lookAt(paths, begun.browser, driver),
    paths,
  }
}

/** Whether the probes show nothing after a refusal that they do not also show after success. */
function saysNothingNew(
  { seen }: SeenKind,
  ins: readonly SeenRun[],
  probes: readonly Probe[],
): boolean {
  const featuresAt = (runs: readonly SeenRun[], path: string) =>
    runs.flatMap(({ probes: shown }) => [...(shown.get(path)?.features ?? [])])
  return probes.every(({ path }) => {
    const known = featuresAt(ins, path)
    return featuresAt(seen, path).every((feature) => known.includes(feature))
  })
}
