import type { Callback } from '../../oidc/callback.ts'
import type { Decisions } from '../../oidc/decisions.ts'
import type { Provider } from '../../oidc/provider.ts'
import type { IdTokenClaims } from '../../oidc/seams.ts'
import type { OutcomeRow } from '../outcomes/outcome-row.ts'
import type { ServerFlow } from '../outcomes/reply-changes.ts'
import type { ServerReply } from '../outcomes/server-reply.ts'
import type { TamperTools } from '../outcomes/tamper-tools.ts'

export type ReplyChange = (reply: ServerReply, tools: TamperTools) => ServerReply | Promise<ServerReply>

/** The authorization request that a callback answers. */
export interface Answered {
  readonly flow: 'use' | 'create'
  readonly provider: Provider
}

/** What a variant changes: what the service decides, or its answers at the places where outcomes change them, too. */
export interface Effect {
  readonly decisions?: Partial<Decisions>
  /** Rows of the catalogue of outcomes that change one answer as the variant changes each. */
  readonly rows?: readonly OutcomeRow[]
  claims?(claims: IdTokenClaims, tools: TamperTools): IdTokenClaims
  callback?(callback: Callback, answered: Answered): Callback
  readonly replies?: Readonly<Partial<Record<ServerFlow, ReplyChange>>>
}

/** One way to read a silence of the specification. */
export interface Variant {
  /** Unique within its reading: `200`, `absent`. */
  readonly name: string
  /** What the service does then, as one sentence. */
  readonly summary: string
  /** What makes it a legal way: a section of an RFC or of OpenID Connect. */
  readonly source: string
  /** Absent when the service does so anyway. */
  readonly effect?: Effect
}

/** One silence of the specification, and the ways to read it. */
export interface Reading {
  /** `par_status`: unique in the table. */
  readonly name: string
  /** What is left open, in a few words. */
  readonly point: string
  /** The heading of the specification under which it is left open. */
  readonly section: string
  /** The words of the specification that leave it open, or what it says nothing of. */
  readonly quote: string
  /** The name of the variant that holds when none is set. */
  readonly default: string
  /** The default among them. */
  readonly variants: readonly Variant[]
  /** Variants of two readings that cannot both hold: `{ minimal: ['unknown_members=everywhere'] }`. */
  readonly excludes?: Readonly<Record<string, readonly string[]>>
  /** Rows of the catalogue of outcomes whose run shows the difference: `par/par.401`. */
  readonly shownBy: readonly string[]
}

/** What is set: the name of a variant by that of its reading. */
export type Readings = Readonly<Record<string, string>>

/** `par_status=200` */
export const readingId = (reading: string, variant: string): string => `${reading}=${variant}`
