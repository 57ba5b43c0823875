import { describeErrors } from '../learn/describe-errors.ts'
import { sentenceOf } from '../learn/observation.ts'
import type { ShownFlow } from './tried-flow.ts'

/** What a flow under a reading shows beside the same flow under the usual one. */
export type Comparison =
  /** It ended as it usually does. */
  | { readonly kind: 'same' }
  /** The end of a sentence about the app. */
  | { readonly kind: 'fails'; readonly evidence: string }
  | { readonly kind: 'unknown'; readonly reason: string; readonly isLimited?: true }

/** A page that says neither yes nor no is the usual one when it has so much of it. */
const ALIKE = 0.9

/**
 * Compares two runs of one flow: a yes has to be a yes, a no has to be a no, and each call that usually succeeds has to.
 * A crash and a page that does not come are never as usual, unless they are what the app usually shows.
 */
export function compareFlows(usual: ShownFlow, shown: ShownFlow): Comparison {
  const { status, end } = shown.observation
  if (status === 429) {
    return {
      kind: 'unknown',
      reason: 'your app answers 429; raise its limit for tests (control_lost)',
      isLimited: true,
    }
  }
  const fails = (what: string): Comparison => ({ kind: 'fails', evidence: what })
  const seen = sentenceOf(shown.observation)
  const instead = `${seen}; usually ${inPast(sentenceOf(usual.observation))}`
  if (usual.page !== 'broke' && (shown.page === 'broke' || isHang(end))) return fails(instead)
  if (usual.page === 'yes' && shown.page !== 'yes') return fails(instead)
  if (usual.page === 'no' && shown.page === 'yes') return fails(`${seen}, as after a yes`)
  const missing = [...usual.answered].find((endpoint) => !shown.answered.has(endpoint))
  if (missing !== undefined && !endsAtSandbox(shown)) return fails(`${whatBecameOf(missing, shown)}; ${seen}`)
  if (shown.page === usual.page && shown.page !== 'unknown') return { kind: 'same' }
  if (endsAtSandbox(shown) || isAlike(usual, shown)) return { kind: 'same' }
  return { kind: 'unknown', reason: `${seen}, which is neither the yes nor the no that was learned (page_unknown)` }
}

const inPast = (sentence: string) => sentence.replace(/^your app showed /, 'it shows ')

const isHang = (end: ShownFlow['observation']['end']) =>
  end === 'restless' || end === 'redirects for ever' || end === 'visit failed'

/** The user stays on a page of the service, and the app is not asked. */
const endsAtSandbox = ({ observation }: ShownFlow) => observation.end === 'refused by the sandbox'

function isAlike(usual: ShownFlow, shown: ShownFlow): boolean {
  const features = [...usual.observation.features]
  const common = features.filter((one) => shown.observation.features.has(one)).length
  return (
    features.length > 0 && usual.observation.status === shown.observation.status && common / features.length >= ALIKE
  )
}

function whatBecameOf(endpoint: string, { flows }: ShownFlow): string {
  const refused = flows.flatMap(({ calls }) => calls).find((call) => call.endpoint === endpoint && call.status >= 400)
  if (!refused) return `your app made no call of ${endpoint}, which it usually makes`
  const errors = describeErrors([refused])
  return `the service refused ${endpoint} of your app with ${refused.status}${errors === '' ? '' : ` (${errors})`}`
}
