import { excerpt, isNearMiss } from '../text/message-parts.ts'
import type { Issue } from './explain.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'

/**
 * Top-level members of a claims request of OpenID Connect Core section 5.5, and of OpenID Connect
 * for Identity Assurance.
 */
const TOP_MEMBERS: readonly string[] = ['id_token', 'userinfo', 'verified_claims']

/** Members of the request for one claim (OpenID Connect Core section 5.5.1). */
const CLAIM_MEMBERS = ['essential', 'value', 'values']

/** Maximum number of other members that a message lists. */
const MAX_LISTED = 4

/**
 * Explains claims that were written for OpenID Connect Core section 5.5. One issue replaces all
 * issues that this mistake causes, also the issue of the missing `age_thresholds`. Other issues are
 * returned unchanged.
 */
export function explainCoreClaims(issues: readonly Issue[], claims: unknown): readonly Issue[] {
  if (!isJsonObject(claims)) return issues
  const wrong = issues.filter(({ path, message }) => path.length > 0 && !isNearMiss(message))
  const ofCore = wrong.filter((one) => isOfCore(one, claims)).map(({ path }) => String(path[0]))
  const names = [...new Set(ofCore)]
  const [first] = names
  if (first === undefined) return issues
  const listed = names.slice(0, MAX_LISTED).map(excerpt).join(', ')
  const message = `claims must be the claims object of this service, is one of OpenID Connect Core section 5.5 (${listed}): age_thresholds stands at the top`
  const isMissing = !Object.hasOwn(claims, 'age_thresholds')
  const rest = issues.filter(({ path: [member] }) => {
    const isExplained =
      names.includes(String(member ?? '')) || (isMissing && member === 'age_thresholds')
    return !isExplained
  })
  return [{ rule: 'CLM-01', path: [first], message }, ...rest]
}

function isOfCore({ rule, path }: Issue, claims: JsonObject): boolean {
  const name = String(path[0])
  const value = claims[name]
  if (TOP_MEMBERS.includes(name)) return true
  // `null` requests a claim without further conditions. Here it only counts for an unknown member.
  if (value === null) return rule === 'CLM-01' && path.length === 1
  return isJsonObject(value) && CLAIM_MEMBERS.some((member) => Object.hasOwn(value, member))
}
