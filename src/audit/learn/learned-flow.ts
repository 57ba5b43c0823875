import type { Learned } from '../../sandbox/outcomes/audit-report.ts'
import type { FlowRun } from '../drive/driver.ts'
import type { DeclaredRules } from './accepted-rule.ts'
import { type Kind, type Likeness, learnLikeness } from './likeness.ts'
import { describeFeatures, type Observation } from './observation.ts'

/** All that was seen of one run. What is read of it may change, when more of the app is known. */
export interface SeenRun {
  readonly run: FlowRun
  readonly accepted?: boolean | undefined
  readonly refused?: boolean | undefined
  /** What the pages of probes showed then, by their paths. */
  readonly probes: ReadonlyMap<string, Observation>
}

/** A page that shows whether its browser is in, asked for again after the answer. */
export interface Probe {
  /** A path of the app. */
  readonly path: string
  readonly likeness: Likeness
}

/** How the end of one flow of an app is read: by what is declared, by probes, then by the page of the answer. */
export interface LearnedFlow {
  readonly rules: DeclaredRules
  readonly probes: readonly Probe[]
  /** Absent when the page of the answer tells nothing. */
  readonly page: Likeness | undefined
  /** An invented answer gets the page of a yes too, so that this page proves nothing. */
  readonly isRefuted: boolean
  /** How long the app takes after the answer until a probe shows who is in. */
  readonly waitMs: number
  /** For the report and for people. */
  readonly described: Learned
  /** Whether anything tells a yes from a no. */
  readonly tells: boolean
  /** Learns from one more user who is in: the pages of an app may differ more than was seen first. */
  addIn(seen: SeenRun): void
}

/** Runs of refusals that ended alike. */
export interface SeenKind {
  readonly label: string
  readonly seen: readonly SeenRun[]
}

export interface FlowParts {
  readonly rules: DeclaredRules
  readonly ins: readonly SeenRun[]
  readonly outs: readonly SeenKind[]
  /** What the pages show in a browser that has done nothing. */
  readonly fresh?: readonly ReadonlyMap<string, Observation>[]
  /** Pages that may tell, which each run was asked for. */
  readonly paths?: readonly string[]
  readonly isRefuted?: boolean
  readonly waitMs?: number
}

/** Each probe is one more request in each visit. */
const MAX_PROBES = 3

/** Learns how a flow is read from runs that ended well, and from kinds of refusals. */
export function learnFlow(parts: FlowParts): LearnedFlow {
  const { rules, outs, fresh = [], paths = [], isRefuted = false, waitMs = 0 } = parts
  const ins = [...parts.ins]
  let read = derive()

  function derive() {
    const kinds = outs.map(({ label, seen }): Kind => ({ label, seen: seen.map(({ run }) => run.observation) }))
    const page = learnLikeness(
      ins.map(({ run }) => run.observation),
      kinds,
      { isProbe: false },
    )
    const probes = paths.flatMap((path): readonly Probe[] => {
      const at = ({ probes: all }: SeenRun) => all.get(path) ?? []
      const known = outs.map(({ label, seen }): Kind => ({ label, seen: seen.flatMap(at) }))
      const all = [...known, { label: '', seen: fresh.flatMap((one) => one.get(path) ?? []) }]
      const likeness = learnLikeness(
        ins.flatMap(at),
        all.filter(({ seen }) => seen.length > 0),
        { isProbe: true },
      )
      return likeness ? [{ path, likeness }] : []
    })
    return { page, probes: probes.slice(0, MAX_PROBES) }
  }

  return {
    rules,
    isRefuted,
    waitMs,
    get page() {
      return read.page
    },
    get probes() {
      return read.probes
    },
    get tells() {
      return rules.accepted !== undefined || read.page !== undefined || read.probes.length > 0
    },
    get described() {
      const { page, probes } = read
      const told = probes.map(({ path, likeness }) => `asked again, ${path} is ${describeFeatures(likeness.marks)}`)
      const yes = page ? [describeFeatures(page.marks)] : ins.slice(0, 1).map(({ run }) => run.observation.summary)
      return {
        yes: [...yes, ...told].join('; '),
        no: [...new Set(outs.flatMap(({ seen }) => seen.map(({ run }) => run.observation.summary)))],
      }
    },
    addIn(seen) {
      ins.push(seen)
      read = derive()
    },
  }
}
