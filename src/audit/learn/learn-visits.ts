import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { AuthorizationRequest } from '../agent/browser.ts'
import { AuditProblem } from '../audit-problem.ts'
import { type Cast, chooseCast } from '../drive/cast.ts'
import type { Driver, FlowPlan, FlowRun } from '../drive/driver.ts'
import { wishesOf } from './app-profile.ts'
import type { LetIn } from './check-learned.ts'
import { requireValidRequest } from './describe-errors.ts'
import type { LearnedLater } from './learn-later.ts'
import type { LearnedUse } from './learn-use.ts'
import { learnSignature, type ObservedClass } from './signature.ts'

interface Subject {
  readonly sandbox: SandboxApi
  readonly driver: Driver
}

/** A visit whose Use request came to the sandbox. */
type Visited = FlowRun & { readonly request: AuthorizationRequest }

const DENIED = { use: { outcome: 'access_denied' } } as const

/**
 * Learns what a function says: it has to be true for an adult, and false for a denial or a minor. A minor comes before the first
 * adult, so that an app that remembers its users is seen.
 * @throws AuditProblem when the function does not tell a yes from a no
 */
export async function learnVisits({ sandbox, driver }: Subject): Promise<LearnedUse> {
  await requireRealTime(sandbox)
  const see = async (plan: FlowPlan) => requireResult(await driver.run(plan), sandbox)
  const first = await see(DENIED)
  const profile = profileOf(first, sandbox)
  const cast = await chooseCast(sandbox, profile.claims)
  const be = (role: 'adult' | 'minor') => cast.as(role, (persona) => see({ use: { persona, outcome: 'verified' } }))
  const minor = await be('minor')
  const adult = await be('adult')
  const minors = [minor, await be('minor')] as const
  const denied = [first, await see(DENIED)] as const
  const adults = [adult, await be('adult')]
  checkAdults(adults, { cast, baseUrl: sandbox.baseUrl })
  const letsIn = findLetIn({ minor: minors, access_denied: denied }, cast)
  const classOf = (label: string, runs: readonly FlowRun[]): ObservedClass => ({
    label,
    observations: runs.map(({ observation }) => observation),
  })
  const ofDenied = classOf('access_denied', denied)
  const noes = [ofDenied, classOf(cast.nameOf('minor'), minors)]
  const states = [...denied, ...adults].map(({ request }) => request.parameters['state'])
  return {
    profile: { ...profile, repeatsState: new Set(states).size === 1 },
    cast,
    signature: learnSignature(
      adults.map(({ observation }) => observation),
      noes,
    ),
    letsIn,
    denied: ofDenied,
    createsAfterDenial: denied.some(({ reachesCreate }) => reachesCreate),
    strays: [],
  }
}

type Later = Readonly<Record<'create' | 'upgrade', LearnedLater>>

/** A function that reads only Use says the same of a good and of a bad end of Create or Upgrade. */
export const withSilence = ({ create, upgrade }: Later): Later => ({
  create: silentIfAlike(
    create,
    'whether Create ended well or not; return true for flow create when the age key was saved',
  ),
  upgrade: silentIfAlike(
    upgrade,
    'whether Upgrade ended well or not; return true for flow upgrade when it was upgraded',
  ),
})

function silentIfAlike(learned: LearnedLater, rest: string): LearnedLater {
  if (learned.kind !== 'learned' || learned.signature.noes.length > 0) return learned
  const said = learned.signature.yes.has('let in') ? 'true' : 'false'
  return { ...learned, silence: `visit returned ${said} ${rest}` }
}

/** @throws AuditProblem when what is expired for the sandbox is not for the app */
async function requireRealTime({ clock }: SandboxApi): Promise<void> {
  const { frozen, advanced_seconds: ahead } = await clock.state()
  if (!frozen && ahead === 0) return
  throw new AuditProblem(
    `the clock of the sandbox ${frozen ? 'stands still' : `is moved by ${ahead} seconds`}, so that what is expired for it is not for your app; set it back by sandbox.clock.reset()`,
  )
}

/** @throws AuditProblem when a visit said nothing, or brought no answer of the sandbox */
async function requireResult(run: FlowRun, sandbox: SandboxApi): Promise<Visited> {
  const { observation, request, brought } = run
  const flow = await requireValidRequest(run, sandbox)
  if (observation.end === 'visit failed') throw new AuditProblem(observation.summary)
  if (!request) {
    throw new AuditProblem(
      `${observation.summary}, and no Use request came to ${sandbox.baseUrl}; set your app's base URL to that address, and let visit follow redirects to it`,
    )
  }
  if (brought.E1) return { ...run, request }
  throw new AuditProblem(
    `${observation.summary}, and the sandbox has answered its Use request otherwise than it was to (${flow?.summary}); visit has to leave the choice to the audit, without a persona or an outcome of its own`,
  )
}

function profileOf({ request }: Visited, { baseUrl }: SandboxApi): Omit<LearnedUse['profile'], 'repeatsState'> {
  const { claims } = request.parameters
  if (claims === undefined) throw new AuditProblem(`no claims came to ${baseUrl}`)
  return { ...wishesOf(request), claims }
}

const isLetIn = ({ observation }: FlowRun): boolean => observation.features.has('let in')

/** @throws AuditProblem when the app keeps an adult out, or does so at times */
function checkAdults(adults: readonly FlowRun[], { cast, baseUrl }: { cast: Cast; baseUrl: string }): void {
  const results = adults.map(isLetIn)
  if (results.every(Boolean)) return
  const name = cast.nameOf('adult')
  if (results.some(Boolean)) {
    throw new AuditProblem(
      `visit returned ${results.join(', then ')} for a right token of ${name}: it has to be true each time`,
    )
  }
  throw new AuditProblem(
    `visit returned false for a right token of ${name}: your app refuses it, or visit does not bring the answer of the sandbox to your app; run: agekey-sandbox doctor --issuer ${baseUrl}/v1/oidc/use`,
  )
}

/**
 * Which kinds of no are taken for a yes.
 * @throws AuditProblem when both are, or when one is only after an adult was there
 */
function findLetIn(runs: Readonly<Record<LetIn, readonly [FlowRun, FlowRun]>>, cast: Cast): readonly LetIn[] {
  const nameOf = (kind: LetIn) => (kind === 'minor' ? cast.nameOf('minor') : kind)
  const kinds = ['minor', 'access_denied'] as const
  for (const kind of kinds) {
    const [before, after] = runs[kind].map(isLetIn)
    if (before || !after) continue
    throw new AuditProblem(
      `visit returned true for ${nameOf(kind)} after ${cast.nameOf('adult')} was let in: your app remembers the user; begin each visit in a fresh session, and as another user by n`,
    )
  }
  const letsIn = kinds.filter((kind) => runs[kind].every(isLetIn))
  if (letsIn.length < kinds.length) return letsIn
  throw new AuditProblem(
    `visit returned true for ${cast.nameOf('adult')}, for ${nameOf('minor')} and for access_denied; return false when the app refuses`,
  )
}
