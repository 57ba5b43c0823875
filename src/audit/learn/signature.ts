import type { Observation } from './observation.ts'

/** Observations of flows that ended alike: `after access_denied`. */
export interface ObservedClass {
  readonly label: string
  readonly observations: readonly Observation[]
}

/** How a yes and a no of an app look. */
export interface Signature {
  readonly yes: ReadonlySet<string>
  readonly noes: readonly LearnedNo[]
  readonly yesStatus: number
}

/** One kind of no. */
export interface LearnedNo {
  /** Features of each page. */
  readonly always: ReadonlySet<string>
  /** Features of a yes that no page of it has. */
  readonly lacks: ReadonlySet<string>
}

/** What an observation says about the answer that the app was given. */
export type Reading = 'yes' | 'no' | 'broke' | 'unknown'

/** Pages differ a little from visit to visit: so large a part of the features has to be there. */
const ENOUGH = 0.9

/** The share of `features` that an observation has; 0 of none. */
const share = (features: ReadonlySet<string>, observation: Observation): number =>
  features.size === 0 ? 0 : [...features].filter((one) => observation.features.has(one)).length / features.size

/** What a list of observations has in common. */
export function constantOf(observations: readonly Observation[]): ReadonlySet<string> {
  const [first, ...others] = observations
  return new Set([...(first?.features ?? [])].filter((one) => others.every(({ features }) => features.has(one))))
}

/** The features of a yes that none of the observations has. */
export function differenceTo(yes: ReadonlySet<string>, observations: readonly Observation[]): ReadonlySet<string> {
  return new Set([...yes].filter((one) => !observations.some(({ features }) => features.has(one))))
}

/** Learns from flows that ended well and from classes that did not; a class that looks like a yes is left out. */
export function learnSignature(yes: readonly Observation[], noes: readonly ObservedClass[]): Signature {
  const constant = constantOf(yes)
  const different = noes.filter(({ observations }) => differenceTo(constant, observations).size > 0)
  return { yes: constant, noes: different.map((one) => noOf(constant, one)), yesStatus: yes[0]?.status ?? 0 }
}

export const noOf = (yes: ReadonlySet<string>, { observations }: ObservedClass): LearnedNo => ({
  always: constantOf(observations),
  lacks: differenceTo(yes, observations),
})

/** Whether the features of a yes are there that each kind of no lacks. */
export const looksLikeYes = (noes: readonly Pick<LearnedNo, 'lacks'>[], observation: Observation): boolean =>
  noes.length > 0 && noes.every(({ lacks }) => share(lacks, observation) >= ENOUGH)

/**
 * Whether a page is one that was seen as a no, by the features that it has and a yes has not: a layout that both share says nothing.
 * A no that only leaves something out must have no other features. An error page says something else each time: it is a no when
 * nothing on it tells a yes, and it has status, path, and the title or half of the words of a no.
 */
function looksLikeNo({ always, lacks }: LearnedNo, yes: ReadonlySet<string>, observation: Observation): boolean {
  const own = new Set([...always].filter((feature) => !yes.has(feature)))
  const isSame =
    own.size === 0 ? [...observation.features].every((one) => always.has(one)) : share(own, observation) >= ENOUGH
  if (isSame && share(always, observation) >= ENOUGH) return true
  if (share(lacks, observation) > 0 || share(ofKinds(always, 'status', 'at'), observation) < 1) return false
  return share(ofKinds(own, 'titled'), observation) === 1 || share(ofKinds(own, 'says'), observation) >= HALF
}

const HALF = 0.5
const MIN_COMMON_WORDS = 2
/** Words such as "the" may be common by chance. */
const MOST = 0.75

/**
 * Whether a page says what two different kinds of no say in common and a yes does not ("No age was proved: ..."), and nothing that
 * tells a yes. An app of one page has the same status, path and title for all, so that words decide.
 */
function saysCommonNo({ yes, noes }: Signature, observation: Observation): boolean {
  const ownOf = ({ always }: LearnedNo) => [...ofKinds(always, 'says')].filter((word) => !yes.has(word))
  return noes.some((one) =>
    noes.some((other) => {
      const others = new Set(ownOf(other))
      const common = ownOf(one).filter((word) => others.has(word))
      if (common.length < MIN_COMMON_WORDS || share(new Set(common), observation) < MOST) return false
      const place = new Set([...ofKinds(one.always, 'status', 'at'), ...ofKinds(other.always, 'status', 'at')])
      const telling = new Set([...one.lacks, ...other.lacks])
      return share(place, observation) === 1 && share(telling, observation) === 0
    }),
  )
}

const ofKinds = (features: ReadonlySet<string>, ...kinds: readonly string[]): ReadonlySet<string> =>
  new Set([...features].filter((feature) => kinds.some((kind) => feature.startsWith(`${kind} `))))

/**
 * Reads a page. Decision: a no is an explicit one only by a status from 400 to 499, by beginning again, or by a page that was seen
 * as a no before; any other page that is no yes is unknown, because silence proves nothing.
 */
export function readObservation(signature: Signature, observation: Observation): Reading {
  const { end, status } = observation
  if (end === 'timed out' || end === 'dropped' || end === 'unreachable') return 'broke'
  // After Create and after an upgrade an app may begin Use again to go on.
  const isUsual = end === 'begins again' && signature.yes.has(end)
  if (end === 'begins again' && !isUsual) return 'no'
  if (end !== 'page' && !isUsual) return 'unknown'
  if (looksLikeYes(signature.noes, observation)) return 'yes'
  if (isUsual) return 'unknown'
  if (status >= 500) return 'broke'
  if (status === 429) return 'unknown'
  if (status >= 400 && signature.yesStatus < 400) return 'no'
  const isNo = signature.noes.some((no) => looksLikeNo(no, signature.yes, observation))
  return isNo || saysCommonNo(signature, observation) ? 'no' : 'unknown'
}

/** What tells a yes, for people: `200 at /callback, says "welcome"`. */
export function describeYes({ yes, noes }: Signature): string {
  const telling = new Set(noes.flatMap(({ lacks }) => [...lacks]))
  return describeFeatures(telling.size > 0 ? telling : yes)
}

const MAX_WORDS = 6

export function describeFeatures(features: ReadonlySet<string>): string {
  const valuesOf = (kind: string) =>
    [...features].filter((one) => one.startsWith(`${kind} `)).map((one) => one.slice(kind.length + 1))
  const [status] = valuesOf('status')
  const [path] = valuesOf('at')
  const words = valuesOf('says').slice(0, MAX_WORDS)
  const parts = [
    [status, path && `at ${path}`].filter(Boolean).join(' '),
    valuesOf('with').join(' '),
    words.length > 0 ? `says ${JSON.stringify(words.join(' '))}` : '',
    valuesOf('sets')
      .map((name) => `sets cookie ${name}`)
      .join(', '),
  ]
  const known = parts.filter((part) => part !== '')
  return known.length > 0 ? known.join(', ') : [...features].join(', ')
}
