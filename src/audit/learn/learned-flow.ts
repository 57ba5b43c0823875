import type { FlowRun } from '../drive/driver.ts'
import type { DeclaredRules } from './accepted-rule.ts'
import { type Likeness, learnLikeness } from './likeness.ts'
import { describeFeatures, type Observation } from './observation.ts'

/** What pages show a browser that asks for them again, by their paths. */
export type ShownPages = ReadonlyMap<string, Observation>

/** All that was seen of one run. What is read of it may change, when more of the app is known. */
export interface SeenRun {
  readonly run: FlowRun
  readonly accepted?: boolean | undefined
  readonly refused?: boolean | undefined
  readonly probes: ShownPages
}

/** A path that shows whether its browser is in, asked for again after the answer. */
export type Probe = { readonly path: string; readonly likeness: Likeness }

/** Runs of refusals that ended alike. */
export type SeenKind = { readonly label: string; readonly seen: readonly SeenRun[] }

export interface FlowParts {
  readonly rules: DeclaredRules
  readonly ins: readonly SeenRun[]
  readonly outs: readonly SeenKind[]
  /** What the pages show in a browser that has done nothing. */
  readonly fresh?: ShownPages
  /** Pages that may tell, which each run was asked for. */
  readonly paths?: readonly string[]
  /** The page where a user begins, in a browser that has proved nothing. */
  readonly first?: Observation | undefined
  /** An invented answer gets the page of a yes too, so that this page proves nothing. */
  readonly isRefuted?: boolean
  /** How long the app takes after the answer until a probe shows who is in. */
  readonly waitMs?: number
}

/** How the end of one flow of an app is read: by what is declared, by probes, then by the page of the answer. */
export type LearnedFlow = ReturnType<typeof learnFlow>

/** Each probe is one more request in each visit. */
const MAX_PROBES = 3

export const observed = (runs: readonly SeenRun[]): readonly Observation[] => runs.map(({ run }) => run.observation)

/** The pages that tell who is in. */
export function findProbes({ ins, outs, fresh, paths = [] }: FlowParts): readonly Probe[] {
  return paths.flatMap((path) => {
    const isTold = ({ status }: Observation) => status !== 429
    const at = (runs: readonly SeenRun[]) => runs.flatMap(({ probes }) => probes.get(path) ?? []).filter(isTold)
    const stranger = { label: '', seen: [fresh?.get(path) ?? []].flat().filter(isTold) }
    const byStrangers = learnLikeness(at(ins), [stranger], { isProbe: true })
    // A user who was refused, and is shown the page of a yes where others of that kind are not, was let in since.
    const kinds = kindsOf(outs, at).map(({ label, seen }) => {
      const stay = seen.filter((one) => byStrangers?.compare(one).as !== 'in')
      return { label, seen: stay.length > 0 ? stay : seen }
    })
    const likeness = learnLikeness(at(ins), [...kinds, stranger], { isProbe: true })
    return likeness ? [{ path, likeness }] : []
  })
}

const kindsOf = (kinds: readonly SeenKind[], see: typeof observed) =>
  kinds.map(({ label, seen }) => ({ label, seen: see(seen) }))

/** Learns how a flow is read from runs that ended well, and from kinds of refusals. */
export function learnFlow(parts: FlowParts) {
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

/** For the report and for people. */
export function describeFlow({ page, probes, ins, outs }: LearnedFlow) {
  const told = probes.map(({ path, likeness }) => `asked again, ${path} is ${describeFeatures(likeness.marks)}`)
  const yes = page ? [describeFeatures(page.marks)] : observed(ins.slice(0, 1)).map(({ summary }) => summary)
  const no = [...new Set(outs.flatMap(({ seen }) => observed(seen).map(({ summary }) => summary)))]
  return { yes: [...yes, ...told].join('; '), no }
}
