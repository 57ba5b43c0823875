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

/** What an audit knows about an app before the trials. */
export interface LearnedApp {
  readonly profile: AppProfile
  readonly personas: TestedPersonas
  readonly use: LearnedFlow
  readonly create: LearnedLater
  readonly upgrade: LearnedLater
  /** Kinds of refusals that the app mistakes for a yes. */
  readonly letsIn: readonly RefusalKind[]
  /** A run of a user below every threshold, with a right answer. */
  readonly minor: SeenRun
  /** Users between two thresholds, and whether the app lets them in like an adult. */
  readonly between: readonly (UserBetween & { readonly isLetIn: boolean })[]
  /** Whether the app continues to Create after a denial. If so, Create is no sign of a yes. */
  readonly createsAfterDenial: boolean
  /** Paths that may sign a user out. */
  readonly signOut: readonly string[]
  readonly visitSeconds: number
  readonly described: {
    readonly use: DescribedFlow
    readonly create?: DescribedFlow
    readonly upgrade?: DescribedFlow
  }
  /** `described` as lines for people, and why Create or Upgrade cannot be tried. */
  readonly lines: readonly string[]
}

/**
 * Learns how success and refusal look in each flow of an app. Denials, minors and adults take
 * turns, each in a fresh browser. A denial and a minor precede the first adult, which exposes an
 * app that remembers its users.
 * @throws AuditProblem with one line when success and refusal cannot be told apart
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

/** Whether the app shows a user all that it shows an adult. */
const isLikeAdult = (seen: SeenRun, use: LearnedFlow): boolean =>
  use.probes.length > 0 && !use.rules.accepted
    ? use.probes.every((probe) => showsIn(probe, seen.probes))
    : readRun(seen, use).says === 'in'

const linesOf = (described: LearnedApp['described']): readonly string[] =>
  Object.entries(described).flatMap(([flow, { yes, no }]) => [
    `${flow}: yes: ${yes}`,
    ...no.map((refusal) => `${flow}: no: ${refusal}`),
  ])
