import { describeFeatures, type Observation } from '../drive/observation.ts'
import type { DeclaredRules } from './accepted-rule.ts'
import { type Likeness, learnLikeness } from './likeness.ts'
import { observed, type SeenRun, type ShownPages } from './see-run.ts'

/** A page that shows whether the user of a browser is in. It is requested after the answer. */
export type Probe = { readonly path: string; readonly likeness: Likeness }

/** Runs that were refused for the same reason. */
export type SeenKind = { readonly label: string; readonly seen: readonly SeenRun[] }

export interface FlowParts {
  readonly rules: DeclaredRules
  /** Runs that ended well. */
  readonly ins: readonly SeenRun[]
  readonly outs: readonly SeenKind[]
  /** The pages of `paths` as a browser without an answer sees them. */
  readonly fresh?: ShownPages
  /** Paths that may become probes. Each run has requested them. */
  readonly paths?: readonly string[]
  /** The start page, as a browser without an answer sees it. */
  readonly first?: Observation | undefined
  /** Whether an invented answer leads to the page of a yes too: this page proves nothing. */
  readonly isRefuted?: boolean
  /** Milliseconds from the answer until a probe shows who is in. */
  readonly waitMs?: number
}

/** How to read the end of a flow: by declared rules, then by probes, then by the answer page. */
export interface LearnedFlow extends Required<FlowParts> {
  /** Reads the answer page; `undefined` if the pages of yes and refusal look alike. */
  readonly page: Likeness | undefined
  /** At most `MAX_PROBES`. */
  readonly probes: readonly Probe[]
  /** Whether a yes can be told from a refusal at all. */
  readonly tells: boolean
}

/** Maximum number of probes of a flow. Each probe costs a request in every visit. */
const MAX_PROBES = 3

/** Learns how to read the end of a flow, from runs that ended well and from refusals. */
export function learnFlow(parts: FlowParts): LearnedFlow {
  const all = {
    fresh: new Map<string, Observation>(),
    paths: [],
    isRefuted: false,
    waitMs: 0,
    first: undefined,
    ...parts,
  }
  const { rules, ins, outs } = all
  const page = learnLikeness(observed(ins), kindsOf(outs, observed), { isProbe: false })
  const probes = findProbes(all).slice(0, MAX_PROBES)
  const tells = rules.accepted !== undefined || page !== undefined || probes.length > 0
  return { ...all, page, probes, tells }
}

export function findProbes({ ins, outs, fresh, paths = [] }: FlowParts): readonly Probe[] {
  return paths.flatMap((path) => {
    const hasPage = ({ status }: Observation) => status !== 429
    const pagesOf = (runs: readonly SeenRun[]) =>
      runs
        .flatMap(({ probes, again }) => [probes.get(path) ?? [], again?.get(path) ?? []].flat())
        .filter(hasPage)
    const yes = pagesOf(ins)
    const withoutAnswer = { label: '', seen: [fresh?.get(path) ?? []].flat().filter(hasPage) }
    const byFresh = learnLikeness(yes, [withoutAnswer], { isProbe: true })
    // If only some refused users of a kind get the page of a yes, the app let them in later.
    const kinds = kindsOf(outs, pagesOf).map(({ label, seen }) => {
      const refused = seen.filter((page) => byFresh?.compare(page).as !== 'in')
      return { label, seen: refused.length > 0 ? refused : seen }
    })
    const likeness = learnLikeness(yes, [...kinds, withoutAnswer], { isProbe: true })
    return likeness ? [{ path, likeness }] : []
  })
}

const kindsOf = (kinds: readonly SeenKind[], see: typeof observed) =>
  kinds.map(({ label, seen }) => ({ label, seen: see(seen) }))

/** A learned flow in words. */
export interface DescribedFlow {
  readonly yes: string
  /** The answer pages of refusals. */
  readonly no: string[]
}

export function describeLearnedFlow({ page, probes, ins, outs }: LearnedFlow): DescribedFlow {
  const again = probes.map(
    ({ path, likeness }) => `asked again, ${path} is ${describeFeatures(likeness.marks)}`,
  )
  const yes = page
    ? [describeFeatures(page.marks)]
    : observed(ins.slice(0, 1)).map(({ summary }) => summary)
  const no = [...new Set(outs.flatMap(({ seen }) => observed(seen).map(({ summary }) => summary)))]
  return { yes: [...yes, ...again].join('; '), no }
}
