import { type Cast, chooseCast } from '../drive/cast.ts'
import type { FlowPlan } from '../drive/driver.ts'
import { type AppProfile, profileOf } from './app-profile.ts'
import {
  checkFragmentPath,
  checkGoodAnswers,
  findLetIn,
  type LetIn,
  type SeenRun,
  type Subject,
} from './check-learned.ts'
import { requireValidRequest } from './describe-errors.ts'
import { holds } from './flow-reader.ts'
import { learnSignature, noOf, type ObservedClass, type Signature } from './signature.ts'
import { strayUse } from './stray-answer.ts'

/** What the first visits of an app show. */
export interface LearnedUse {
  readonly profile: AppProfile
  readonly cast: Cast
  readonly signature: Signature
  /** Kinds of no after which the app does what it does after a yes. */
  readonly letsIn: readonly LetIn[]
  readonly denied: ObservedClass
  /** After a denial the app goes on to Create by itself. */
  readonly createsAfterDenial: boolean
  /** What the app shows for an answer that its browser did not ask for. */
  readonly strays: readonly ObservedClass[]
}

const DENIED = { use: { outcome: 'access_denied' } } as const

/**
 * Runs denials, minors and adults in turn, each in a fresh browser; a minor comes before the first adult, so that an app that
 * remembers its users is seen.
 * @throws AuditProblem when nothing can be learned
 */
export async function learnUse(subject: Subject): Promise<LearnedUse> {
  const { sandbox, page, readsFragments } = subject
  const see = (plan: FlowPlan) => seeRun(plan, subject)
  const first = await see(DENIED)
  const asked = profileOf(first.run, { page, baseUrl: sandbox.baseUrl, readsFragments })
  await requireValidRequest(first.run, sandbox)
  const cast = await chooseCast(sandbox, asked.claims)
  const be = (role: 'adult' | 'minor') => cast.as(role, (persona) => see({ use: { persona, outcome: 'verified' } }))
  const minor = await be('minor')
  const adult = await be('adult')
  const minors = [minor, await be('minor')] as const
  const denied = [first, await see(DENIED)] as const
  const adults = [adult, await be('adult')] as const

  const names = { adult: cast.nameOf('adult'), minor: cast.nameOf('minor') }
  if (subject.agent === 'http') checkFragmentPath(adults)
  checkGoodAnswers(adults, names.adult)
  const letsIn = await findLetIn({ adults, minors, denied }, { names, subject })
  const classes = {
    denied: classOf('access_denied', denied),
    strays: await strayUse(first.run, asked, subject.driver),
  }
  const observed = adults.map(({ run }) => run.observation)
  const signature = learnSignature(observed, [classes.denied, classOf(names.minor, minors)])
  const createsAfterDenial = denied.some(({ run }) => run.reachesCreate)
  const profile = { ...asked, repeatsState: repeatState([...denied, ...adults]) }
  return {
    profile,
    cast,
    signature: classes.strays.reduce(withStray, signature),
    letsIn,
    createsAfterDenial,
    ...classes,
  }
}

/** Runs the app once; a rule that was given is asked at once, because the app may remember what comes later. */
async function seeRun(plan: FlowPlan, { driver, rules }: Subject): Promise<SeenRun> {
  const run = await driver.run(plan)
  return { run, accepted: rules.accepted && (await holds(rules.accepted, run, driver)) }
}

/** Whether each request has the same state. */
const repeatState = (seen: readonly SeenRun[]): boolean =>
  new Set(seen.map(({ run }) => run.request?.parameters['state'])).size === 1

const classOf = (label: string, seen: readonly SeenRun[]): ObservedClass => ({
  label,
  observations: seen.map(({ run }) => run.observation),
})

/** A page that refuses a stray answer is a no, unless it looks like a yes. */
function withStray(signature: Signature, stray: ObservedClass): Signature {
  const no = noOf(signature.yes, stray)
  const isNo = no.lacks.size > 0 && stray.observations.every((one) => one.end === 'page')
  return isNo ? { ...signature, noes: [...signature.noes, no] } : signature
}
