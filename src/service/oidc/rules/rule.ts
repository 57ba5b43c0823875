import type { ErrorCode } from './error-codes.ts'
import type { Profile } from './profile.ts'

/** `error` refuses the request; `advice` does not. */
export const LEVELS = ['error', 'advice'] as const
export type Level = (typeof LEVELS)[number]

/** Rules by their id. An id never changes: error bodies, the documentation and tests use it. */
export type RuleTable = Readonly<Record<string, Omit<RuleRow, 'id'>>>

/** A rule that the service checks, as data. */
export interface RuleRow {
  readonly id: string
  /** The section of the specification or RFC that states the rule, or `decision of the sandbox`. */
  readonly section: string
  readonly sentence: string
  /** What the author of the client should do. */
  readonly hint: string
  /**
   * The OAuth error code of a request that breaks the rule. A missing required parameter is always
   * `invalid_request`.
   */
  readonly error: ErrorCode
  /** Default: `error` in every profile. */
  readonly level?: Level | Readonly<Record<Profile, Level>>
}
