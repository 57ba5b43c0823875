import type { Level } from './rule.ts'
import type { RuleId } from './rules.ts'

/** A rule that a request broke: what is wrong, where, and what to do about it. */
export interface Finding {
  readonly rule: RuleId
  /** `error`: the request is refused. `advice`: it is legal but risky. */
  readonly level: Level
  /** Where: `nonce`, `claims.age_thresholds[1]`, `authorization_details[0].age`. */
  readonly path: string
  readonly message: string
  readonly hint: string
}
