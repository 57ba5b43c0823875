import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Flow } from '../../client/shapes/flow.ts'
import type { Driver, FlowPlan, FlowRun } from '../drive/driver.ts'
import type { FlowOptions } from '../options.ts'
import { describeErrors } from './describe-errors.ts'
import type { LearnedUse } from './learn-use.ts'
import type { Observation } from './observation.ts'
import { constantOf, differenceTo, learnSignature, type ObservedClass, type Signature } from './signature.ts'
import { strayCreate } from './stray-answer.ts'

/** What is known of a flow that follows Use. */
export type LearnedLater =
  | {
      readonly kind: 'learned'
      readonly signature: Signature
      readonly no: readonly ObservedClass[]
      /** Why its last page tells nothing, when that is known: then only what the sandbox sees is judged. */
      readonly silence?: string
    }
  /** The app does not get through it with right answers: which rows say so, and what was seen. */
  | { readonly kind: 'refused'; readonly rows: readonly string[]; readonly evidence: string }
  /** Why its rows cannot be tried. */
  | { readonly kind: 'absent'; readonly reason: string }

interface Subject {
  readonly sandbox: SandboxApi
  readonly driver: Driver
  readonly use: LearnedUse
  readonly options: FlowOptions | undefined
  /** An app without this flow may have a page for it, which the options can name. */
  readonly hasPages: boolean
}

/** How the app is brought to Create: by the answer of Use, or by a page of its own. */
export const planOfCreate = (
  persona: string,
  { profile, start }: { profile: LearnedUse['profile']; start: FlowOptions['start'] },
): FlowPlan => ({
  use: { persona, outcome: profile.canCreate ? 'create_requested' : 'access_denied' },
  create: { persona, outcome: 'created' },
  page: start,
})

/** Runs Create twice to its good end and twice to a denial. */
export async function learnCreate({ sandbox, driver, use, options, hasPages }: Subject): Promise<LearnedLater> {
  const { profile, cast } = use
  if (!profile.canCreate && !options?.start) {
    return {
      kind: 'absent',
      reason: `your app sends no can_create=true${hasPages ? '; name its page under create.start when it has Create' : ''}`,
    }
  }
  const end = (outcome: string) =>
    cast.as('newcomer', (persona) => {
      const plan = planOfCreate(persona, { profile, start: options?.start })
      return driver.run({ ...plan, create: { persona, outcome } })
    })
  const first = await end('access_denied')
  if (!first.reachesCreate) {
    const refused = refusedCall(await sandbox.flows.list({ audit: 'also', flow: 'create', after: first.useFlow }))
    if (refused !== undefined) {
      return { kind: 'refused', rows: ['use/create_requested', 'create/created'], evidence: refused }
    }
    return {
      kind: 'absent',
      reason: `your app began no Create flow after create_requested${hasPages ? '; name its page under create.start' : ''}`,
    }
  }
  const created: [FlowRun, ...FlowRun[]] = [await end('created')]
  const denied = [first, await end('access_denied')].map(({ observation }) => observation)
  created.push(await end('created'))
  const failed = created.find(({ observation: { status } }) => status >= 400)
  if (failed) {
    const evidence = `after an age key was saved your app showed ${failed.observation.summary}`
    return { kind: 'refused', rows: ['create/created'], evidence }
  }
  const no = { label: 'after access_denied', observations: denied }
  if (isSilent(created, denied)) return learned(created, [no])
  // An app that takes each error for a success is known by what it shows for an answer that it did not ask for.
  return learned(created, [no, ...use.strays, ...(await strayCreate(created[0], driver))])
}

/**
 * Whether an app goes on to the same page of its own after a yes and after a no. Decision: only the page that answers at the
 * callback itself claims a success; another one, such as the first page, need not.
 */
function isSilent(created: readonly FlowRun[], denied: readonly Observation[]): boolean {
  const yes = constantOf(created.map(({ observation }) => observation))
  return differenceTo(yes, denied).size === 0 && !created.every(({ visit }) => visit.hops.at(-1)?.isCallback)
}

/** Runs Upgrade twice to its good end; its no is that of Use. */
export async function learnUpgrade({ sandbox, driver, use, options, hasPages }: Subject): Promise<LearnedLater> {
  const { profile, cast, denied, strays } = use
  if (!profile.upgradeScope) return { kind: 'absent', reason: 'your app does not ask for the upgrade scope' }
  const page = options?.start
  const upgrade = () => cast.as('minor', (persona) => driver.run({ use: { persona, outcome: 'code_issued' }, page }))
  const runs = [await upgrade(), await upgrade()]
  const flows = await Promise.all(
    runs.map(({ useFlow }) => (useFlow === undefined ? undefined : sandbox.flows.get(useFlow))),
  )
  const isDone = (endpoint: string) =>
    flows.every((flow) => flow?.calls.some((call) => call.endpoint === endpoint && call.status === 200))
  if (isDone('E5')) return learned(runs, [denied, ...strays])
  const failed = runs.find(({ observation: { status } }) => status >= 400)
  const shown =
    failed && `after ${isDone('E4') ? 'a right access token' : 'a code'} your app showed ${failed.observation.summary}`
  const evidence = refusedCall(flows.filter((flow) => flow !== undefined)) ?? shown
  if (evidence !== undefined) return { kind: 'refused', rows: ['use/code_issued'], evidence }
  const missing = isDone('E4') ? 'sent no upgrade (E5)' : 'exchanged no code'
  const advice = hasPages ? '; name its page under upgrade.start' : ''
  return { kind: 'absent', reason: `your app ${missing} after code_issued${advice}` }
}

/** What the sandbox found wrong with a call of the app's server. */
function refusedCall(flows: readonly Flow[]): string | undefined {
  const refused = flows
    .flatMap(({ calls }) => calls)
    .find(({ status, endpoint }) => status >= 400 && ['E2', 'E4', 'E5'].includes(endpoint))
  if (!refused) return undefined
  return `the sandbox refuses ${refused.endpoint} of your app with ${refused.status}: ${describeErrors([refused])}`
}

function learned(runs: readonly FlowRun[], no: readonly ObservedClass[]): LearnedLater {
  const yes = runs.map(({ observation }) => observation)
  // An app that begins again whatever comes shows nothing.
  const isMute = beginsAgain(yes) && no.some(({ observations }) => beginsAgain(observations))
  return { kind: 'learned', signature: learnSignature(yes, isMute ? [] : no), no }
}

const beginsAgain = (observations: readonly Observation[]): boolean =>
  observations.some(({ end }) => end === 'begins again')
