import { startStopwatch } from '../../sandbox/clock/clock.ts'
import type { AuditedApp, Driver } from '../drive/driver.ts'
import { chooseTestedPersonas, type TestedPersonas } from '../drive/tested-personas.ts'
import type { AuditRunOptions } from '../options.ts'
import { declaredRules } from './accepted-rule.ts'
import { type AppProfile, profileOf } from './app-profile.ts'
import { checkAdults, type RefusalKind } from './check-controls.ts'
import { checkRealTime, requireValidRequest } from './check-learned.ts'
import { type LearnedLater, learnLater } from './learn-later.ts'
import { createSee, DENIED, learnUse, type UserBetween } from './learn-use.ts'
import { type DescribedFlow, describeLearnedFlow, type LearnedFlow } from './learned-flow.ts'
import { readRun } from './read-run.ts'
import { type SeenRun, showsIn } from './see-run.ts'

/** What an audit knows of an app before the trials. */
export interface LearnedApp {
  readonly profile: AppProfile
  readonly personas: TestedPersonas
  readonly use: LearnedFlow
  readonly create: LearnedLater
  readonly upgrade: LearnedLater
  /** Kinds of refusals after which the app behaves as after a yes. */
  readonly letsIn: readonly RefusalKind[]
  /** A user below every threshold, with a right answer. */
  readonly minor: SeenRun
  /** Users between two thresholds, and whether they get everything that an adult gets. */
  readonly between: readonly (UserBetween & { readonly isLetIn: boolean })[]
  /** After a denial the app continues to Create by itself, so that Create is no sign of a yes. */
  readonly createsAfterDenial: boolean
  /** Paths that may sign a user out. */
  readonly signOut: readonly string[]
  readonly visitSeconds: number
  readonly described: {
    readonly use: DescribedFlow
    readonly create?: DescribedFlow
    readonly upgrade?: DescribedFlow
  }
  /** The same for people. */
  readonly lines: readonly string[]
}

/**
 * Learns how each flow of an app looks when it ends well and when it does not. Denials, minors and
 * adults take turns, each in a fresh browser; a minor precedes the first adult, so that an app
 * which remembers its users is noticed.
 * @throws AuditProblem when nothing can be shown
 */
export async function learnApp(
  app: AuditedApp,
  driver: Driver,
  options: AuditRunOptions,
): Promise<LearnedApp> {
  const { sandbox } = app
  const rules = declaredRules(options.use)
  await checkRealTime(sandbox)
  const passed = startStopwatch()
  const see = createSee(app, driver, rules)
  const denial = await see(DENIED)
  const asked = profileOf(denial.run, { ...app, baseUrl: sandbox.baseUrl })
  await requireValidRequest(denial.run, sandbox)
  const personas = await chooseTestedPersonas(sandbox, asked.claims)
  const minor = await see({ use: { persona: personas.minor, outcome: 'verified' } })
  const adult = await see({ use: { persona: personas.adult, outcome: 'verified' } })
  checkAdults([adult], { app, personas, rules })
  const visitSeconds = passed() / 3000

  const learner = { app, driver, personas, rules, see }
  const { use, seen, letsIn, signOut } = await learnUse({ denial, minor, adult }, learner)
  const states = [...seen.denials, ...seen.adults].map(
    ({ run }) => run.request?.parameters['state'],
  )
  const profile = { ...asked, repeatsState: new Set(states).size === 1 }
  const later = { app, driver, options, profile, personas, use }
  const create = await learnLater('create', later)
  const upgrade = await learnLater('upgrade', later)
  const described = {
    use: describeLearnedFlow(use),
    ...(create.kind === 'learned' && { create: describeLearnedFlow(create.flow) }),
    ...(upgrade.kind === 'learned' && { upgrade: describeLearnedFlow(upgrade.flow) }),
  }
  return {
    profile,
    personas,
    use,
    create,
    upgrade,
    letsIn,
    minor: seen.minors[0],
    between: seen.between.map((user) => ({ ...user, isLetIn: isLikeAdult(user.seen, use) })),
    createsAfterDenial: seen.denials.some(({ run }) => run.reachesCreate),
    signOut,
    visitSeconds,
    described,
    lines: [...linesOf(described), create.reason, upgrade.reason].filter(
      (line) => line !== undefined,
    ),
  }
}

/** Whether a user gets everything that an adult gets. */
const isLikeAdult = (seen: SeenRun, use: LearnedFlow): boolean =>
  use.probes.length > 0 && !use.rules.accepted
    ? use.probes.every((probe) => showsIn(probe, seen.probes))
    : readRun(seen, use).says === 'in'

const linesOf = (described: LearnedApp['described']): readonly string[] =>
  Object.entries(described).flatMap(([flow, { yes, no }]) => [
    `${flow}: yes: ${yes}`,
    ...no.map((refusal) => `${flow}: no: ${refusal}`),
  ])
