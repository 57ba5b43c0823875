import type { Callback } from '../../service/oidc/callback.ts'
import type { CallName, ServerCall } from '../../service/oidc/endpoints.ts'
import type { Policy } from '../../service/oidc/policy.ts'
import type { AnswerChange, Apply } from '../outcomes/outcome.ts'
import type { TamperTools } from '../outcomes/tamper-tools.ts'

export const inClaims = (apply: Apply<'claims'>): AnswerChange => ({
  flow: 'use',
  seam: 'claims',
  apply,
})

export const inTokens = (apply: Apply<'token'>): AnswerChange => ({
  flow: 'use',
  seam: 'token',
  apply,
})

/** The callbacks of both flows; `change` is told the flow. */
export const inCallbacks = (
  change: (callback: Callback, tools: TamperTools, flow: CallName) => Callback,
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

/** One way to read what the specification leaves open. */
export interface Variant {
  /** Unique within its reading: `200`, `absent`. */
  readonly name: string
  /** What the service does under this variant, as one sentence. */
  readonly summary: string
  /**
   * What makes the variant legal: a section of an RFC, of OpenID Connect or of the specification.
   */
  readonly source: string
  /** Constants of the policy that the variant changes. */
  readonly policy?: Partial<Record<keyof Policy, string | number>>
  /**
   * Changes of the answers, like those of a forced outcome. A text is the id of a row:
   * `use/id_token.azp_own`.
   */
  readonly changes?: readonly (AnswerChange | string)[]
}

/** One point that the specification leaves open, and the ways to read it. */
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
  /** The name of the variant that holds by default. */
  readonly default: string
  /** The variants, the default among them. */
  readonly variants: readonly Variant[]
  /**
   * Variants of two readings that cannot both hold: `{ minimal: ['unknown_members=everywhere'] }`.
   */
  readonly excludes?: Readonly<Record<string, readonly string[]>>
  /** Rows of the catalogue whose answers show the difference: `par/par.401`. */
  readonly shownBy: readonly string[]
}

/**
 * A reading as its table states it. The variants are keyed by their names and share one source.
 * Unless a row says otherwise, the first variant is the default, of a decision its default value,
 * and `use/verified` shows the difference.
 */
export type ReadingRow = Omit<Reading, 'default' | 'variants' | 'shownBy'> &
  Partial<Pick<Reading, 'default' | 'shownBy'>> &
  Pick<Variant, 'source'> &
  (Deciding | { readonly decides?: never; readonly variants: VariantsNamed<string> })

type VariantsNamed<Name extends string> = Readonly<
  Record<Name, string | (Pick<Variant, 'summary'> & Partial<Omit<Variant, 'name'>>)>
>

/** The constant of the policy whose values are the names of the variants. */
type Deciding = {
  [Name in keyof Policy]-?: {
    readonly decides: Name
    readonly variants: VariantsNamed<`${NonNullable<Policy[Name]>}`>
  }
}[keyof Policy]

/** The readings that are set: variants by the names of their readings. */
export type Readings = Readonly<Record<string, string>>

/** `refused_token_status=403` */
export const readingId = (reading: string, variant: string): string => `${reading}=${variant}`
