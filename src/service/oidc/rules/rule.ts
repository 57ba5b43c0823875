import type { ErrorCode } from './error-codes.ts'
import type { Profile } from './profile.ts'

/** `error` refuses the request, `advice` only says so. */
export const LEVELS = ['error', 'advice'] as const
export type Level = (typeof LEVELS)[number]

/**
 * Rules by their id, which is stable: it stands in error bodies, in the documentation and in tests.
 */
export type RuleTable = Readonly<Record<string, Omit<RuleRow, 'id'>>>

/** One checkable rule, as data. */
export interface RuleRow {
  readonly id: string
  /**
   * The part of the specification or the RFC whose sentence carries the rule, or `decision of the
   * sandbox`.
   */
  readonly section: string
  readonly sentence: string
  /** What to do about it. */
  readonly hint: string
  /**
   * The OAuth error code of a request refused by this rule. A missing required parameter is always
   * `invalid_request`.
   */
  readonly error: ErrorCode
  /** `error` in every profile when left out. */
  readonly level?: Level | Readonly<Record<Profile, Level>>
}
