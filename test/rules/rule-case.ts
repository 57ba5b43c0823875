import type { Profile } from '../../src/oidc/profile.ts'
import type { Level } from '../../src/oidc/rules/rule.ts'
import type { RuleId } from '../../src/oidc/rules/rules.ts'
import type { RelyingParty } from '../support/relying-party.ts'
import type { TestSandbox } from '../support/sandbox.ts'

/** A request that breaks one rule and, but for recommendations, no other. */
export interface RuleCase {
  readonly rule: RuleId
  /** What the request does. */
  readonly breaks: string
  /** `error`, in every profile, when left out. */
  readonly level?: Level | Readonly<Record<Profile, Level>>
  /** Recommendations that such a request cannot help but miss too. */
  readonly beside?: readonly RuleId[]
  /** Sends it as the last call of the newest flow; `brand` is the word of the profile. */
  send(rp: RelyingParty, context: { sandbox: TestSandbox; brand: string }): Promise<unknown>
}
