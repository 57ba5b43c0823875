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

/**
 * Changes the callbacks of both browser flows.
 * @param change receives the flow as its last argument
 */
export const inCallbacks = (
  change: (callback: Callback, tools: TamperTools, flow: CallName) => Callback,
): readonly AnswerChange[] =>
  (['use', 'create'] as const).map((flow) => ({
    flow,
    seam: 'callback',
    apply: (callback, tools) => change(callback, tools, flow),
  }))

/** Changes the successful replies to one server-to-server call. */
export const inReplies = (flow: ServerCall, apply: Apply<'reply'>): AnswerChange => ({
  flow,
  seam: 'reply',
  apply,
})

/** One way to read a point that the specification leaves open. */
export interface Variant {
  /** Unique within the reading: `200`, `absent`. */
  readonly name: string
  /** What the service does under this variant, in one sentence. */
  readonly summary: string
  /** The section of an RFC, of OpenID Connect or of the specification that allows the variant. */
  readonly source: string
  /** Constants of the policy that the variant changes. */
  readonly policy?: Partial<Record<keyof Policy, string | number>>
  /**
   * Changes to the answers, like the changes of a forced outcome. A text is the id of a row:
   * `use/id_token.azp_own`.
   */
  readonly changes?: readonly (AnswerChange | string)[]
}

/** One point that the specification leaves open, with its variants. */
export interface Reading {
  /** Unique in the table: `refused_token_status`. */
  readonly name: string
  /** The open point in a few words. */
  readonly point: string
  /** The heading of the specification that the quotation comes from. */
  readonly section: string
  /** The exact sentence of the specification that leaves the point open. */
  readonly quote: string
  /** What the sentence does not say; absent when the sentence itself ends with "not shown". */
  readonly open?: string
  /** The name of the default variant. */
  readonly default: string
  /** All variants, including the default. */
  readonly variants: readonly Variant[]
  /**
   * Variants of other readings that a variant excludes: `{ minimal: ['unknown_members=everywhere']
   * }`.
   */
  readonly excludes?: Readonly<Record<string, readonly string[]>>
  /** Rows of the catalogue whose answers show the difference, such as `par/par.401`. */
  readonly shownBy: readonly string[]
}

/**
 * A reading as written in its table. Variants are keyed by name and share one source. Defaults: the
 * default variant is the value in `DEFAULT_POLICY` if the reading decides a constant of the policy,
 * otherwise the first variant; `use/verified` shows the difference.
 */
export type ReadingRow = Omit<Reading, 'default' | 'variants' | 'shownBy'> &
  Partial<Pick<Reading, 'default' | 'shownBy'>> &
  Pick<Variant, 'source'> &
  (Deciding | { readonly decides?: never; readonly variants: VariantsNamed<string> })

type VariantsNamed<Name extends string> = Readonly<
  Record<Name, string | (Pick<Variant, 'summary'> & Partial<Omit<Variant, 'name'>>)>
>

/**
 * Readings that decide a constant of the policy. The names of the variants are the values of the
 * constant.
 */
type Deciding = {
  [Name in keyof Policy]-?: {
    readonly decides: Name
    readonly variants: VariantsNamed<`${NonNullable<Policy[Name]>}`>
  }
}[keyof Policy]

/** The readings that are set. Maps the name of a reading to the name of its variant. */
export type Readings = Readonly<Record<string, string>>

/** The id of a variant: `refused_token_status=403`. */
export const readingId = (reading: string, variant: string): string => `${reading}=${variant}`
