import type { OutcomeFlow } from '../../sandbox/outcomes/outcome.ts'
import type { Claims } from './claims.ts'

/** How often something was delivered, and to which tests: the first 20. */
export interface Hits {
  readonly count: number
  /** Absent without a name. */
  readonly tests?: readonly string[] | undefined
}

type HitsTable = Readonly<Record<string, Hits>>
type SidesTable = Readonly<Record<string, HitsTable>>

/** What was delivered to one distinct `claims`. */
export interface ClaimsCounters {
  /** The first of those that count as the same: they differ in no more than `verified_after`. */
  readonly claims: Claims
  /** `"18"`: `true`, `false` */
  readonly thresholds: SidesTable
  /** `provenance.denied`: `passed`, `failed` */
  readonly filters: SidesTable
  /** `"18"`: `today`, `tomorrow` */
  readonly boundaries: SidesTable
}

/** One side of an item: seen so often, or what closes the gap. */
export interface CoverageSide {
  /** 0: a gap. */
  readonly count: number
  readonly tests?: readonly string[] | undefined
  /** What closes the gap, as a sentence. */
  readonly closes?: string | undefined
  readonly persona?: string | undefined
  readonly outcome?: string | undefined
}

/** One thing to see: covered when each of its sides was seen, half when some were. */
export interface CoverageItem {
  /** Stays the same from run to run: `use/id_token.expired`. */
  readonly id: string
  readonly title: string
  readonly state: 'covered' | 'half' | 'missing'
  /** What the decision that closes a gap is for. */
  readonly flow: OutcomeFlow
  /** The claims object that it is about, as JSON. */
  readonly claims?: string | undefined
  /** `true` and `false`; of what has one side, `seen`. */
  readonly sides: Readonly<Record<string, CoverageSide>>
}

export interface CoverageDimension {
  /** Sides that were seen. */
  readonly covered: number
  readonly total: number
  /** Rounded down; without any side 100, and 0 when no flow came at all. */
  readonly percent: number
  readonly items: readonly CoverageItem[]
}

/** What was delivered to clients, and what is missing. */
export interface Coverage {
  readonly format: 1
  /** Of agekey-sandbox. */
  readonly version: string
  /** Version of the catalogue of outcomes. */
  readonly catalogue: string
  readonly claims: readonly ClaimsCounters[]
  /** What the requests asked for. */
  readonly asked: HitsTable
  /** How flows ended for the client. */
  readonly endings: HitsTable
  /** `use/id_token.expired` */
  readonly rows: HitsTable
  /** `token`: `success`, `refusal`, `failure`, `timeout` */
  readonly calls: SidesTable
  /** Answers to more distinct claims than are counted. */
  readonly omitted: { readonly claims: number }
  readonly dimensions: {
    readonly answers: CoverageDimension
    readonly filters: CoverageDimension
    readonly boundaries: CoverageDimension
    readonly endings: CoverageDimension
    readonly must: CoverageDimension
    readonly calls: CoverageDimension
  }
  /** Flows that the app never used: nothing of them is a gap. */
  readonly unused: readonly { readonly flow: OutcomeFlow; readonly reason: string }[]
}
