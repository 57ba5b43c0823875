import type { Callback } from '../../oidc/callback.ts'
import type { Decisions } from '../../oidc/decisions.ts'
import type { ServerCall } from '../../oidc/endpoints.ts'
import type { AnswerChange, Apply, OutcomeFlow } from '../outcomes/outcome.ts'
import type { TamperTools } from '../outcomes/tamper-tools.ts'

export const inClaims = (apply: Apply<'claims'>): AnswerChange => ({ flow: 'use', seam: 'claims', apply })

export const inTokens = (apply: Apply<'token'>): AnswerChange => ({ flow: 'use', seam: 'token', apply })

/** The callbacks of both flows; `change` is told the flow of each. */
export const inCallbacks = (
  change: (callback: Callback, tools: TamperTools, flow: OutcomeFlow) => Callback,
): readonly AnswerChange[] =>
  (['use', 'create'] as const).map((flow) => ({
    flow,
    seam: 'callback',
    apply: (callback, tools) => change(callback, tools, flow),
  }))

/** The replies to the server-to-server calls of one flow. */
export const inReplies = (flow: ServerCall, apply: Apply<'reply'>): AnswerChange => ({
  flow,
  seam: 'reply',
  apply,
})

/** One way to read a silence of the specification. */
export interface Variant {
  /** Unique within its reading: `200`, `absent`. */
  readonly name: string
  /** What the service does then, as one sentence. */
  readonly summary: string
  /** What makes it a legal way: a section of an RFC, of OpenID Connect or of the specification. */
  readonly source: string
  /** What the service then decides otherwise than it does anyway. */
  readonly decisions?: Partial<Record<keyof Decisions, string | number>>
  /** How its answers are changed, as forced outcomes change them; a text is the id of a row: `use/id_token.azp_own`. */
  readonly changes?: readonly (AnswerChange | string)[]
}

/** One silence of the specification, and the ways to read it. */
export interface Reading {
  /** `refused_token_status`: unique in the table. */
  readonly name: string
  /** What is left open, in a few words. */
  readonly point: string
  /** The heading of the specification under which it is left open. */
  readonly section: string
  /** The sentence of the specification that leaves it open, word for word. */
  readonly quote: string
  /** What the sentence does not say; absent when the sentence is "... not shown". */
  readonly open?: string
  /** The name of the variant that holds when none is set. */
  readonly default: string
  /** The default among them. */
  readonly variants: readonly Variant[]
  /** Variants of two readings that cannot both hold: `{ minimal: ['unknown_members=everywhere'] }`. */
  readonly excludes?: Readonly<Record<string, readonly string[]>>
  /** Rows of the catalogue of outcomes whose run shows the difference: `par/par.401`. */
  readonly shownBy: readonly string[]
}

/** A reading as its table has it. Variants stand by their names, and share the source; rows that do not say otherwise are shown by `use/verified`. */
export type ReadingRow = Omit<Reading, 'default' | 'variants' | 'shownBy'> &
  Partial<Pick<Reading, 'shownBy'>> &
  Pick<Variant, 'source'> &
  (Deciding | (VariantsNamed<string> & { readonly decides?: never }))

interface VariantsNamed<Name extends string> {
  readonly default: Name
  readonly variants: Readonly<Record<Name, string | (Pick<Variant, 'summary'> & Partial<Omit<Variant, 'name'>>)>>
}

/** The name of each variant is the value of a decision. */
type Deciding = {
  [Name in keyof Decisions]-?: VariantsNamed<`${NonNullable<Decisions[Name]>}`> & { readonly decides: Name }
}[keyof Decisions]

/** What is set: the name of a variant by that of its reading. */
export type Readings = Readonly<Record<string, string>>

/** `refused_token_status=403` */
export const readingId = (reading: string, variant: string): string => `${reading}=${variant}`
