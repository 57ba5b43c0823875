import { excerpt, nearest } from '../../text/message-parts.ts'
import { percentDecoded } from './client-mistakes.ts'

/**
 * Parameters that hold JSON text, with the member names that identify an object whose members were
 * sent as single parameters.
 */
const JSON_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  claims: [
    'age_thresholds',
    'allowed_methods',
    'verified_after',
    'provenance',
    'overrides',
    'iso_27566_1',
  ],
  authorization_details: [
    'type',
    'method',
    'age',
    'verification_id',
    'verified_at',
    'provenance',
    'attributes',
  ],
}

/**
 * The separators that libraries put between the name of an object and the name of its member:
 * `claims[a]`, `claims.a`, `claims__a`.
 */
const BEHIND_NAME = /^[\w-]{5,}?(?=[[.:/(]|->|__)/

/**
 * The JSON parameter to which `name` belongs when a library made one parameter of each member:
 * `claims` for `claims[age_thresholds][]` and `claims.age_thresholds`.
 * @param isAbsent whether the endpoint knows the JSON parameter and did not receive it: in that
 * case the bare name of a member belongs to it too
 * @returns `undefined` for any other name
 */
export function objectOf(
  name: string,
  isAbsent: (parameter: string) => boolean,
): string | undefined {
  const spelt = percentDecoded(name.slice(0, MAX_NAME))
  const base = BEHIND_NAME.exec(spelt)?.[0]
  return Object.keys(JSON_PARAMETERS).find(
    (parameter) =>
      (base !== undefined && (base === parameter || nearest(base, [parameter]).length > 0)) ||
      isMember(spelt, `${parameter}_`, parameter) ||
      (isAbsent(parameter) && isMember(spelt, '', parameter)),
  )
}

/** Number of characters of a name that are examined. */
const MAX_NAME = 200

/**
 * Whether the prefix is followed by an index or by a member of the parameter:
 * `claims_age_thresholds`, `authorization_details_0_type`.
 */
function isMember(name: string, prefix: string, parameter: string): boolean {
  if (!name.startsWith(prefix)) return false
  const rest = name.slice(prefix.length)
  if (prefix !== '' && /^\d/.test(rest)) return true
  return (JSON_PARAMETERS[parameter] ?? []).some(
    (member) => rest === member || /^[[.:_]/.test(after(rest, member)),
  )
}

const after = (text: string, beginning: string) =>
  text.startsWith(beginning) ? text.slice(beginning.length) : ''

/** Maximum number of names that a message lists. */
const MAX_LISTED = 4

/**
 * The problem of an object that a library took apart: `claims[age_thresholds][], claims[overrides]
 * and 3 more were received: an object became many parameters`.
 * @param became what the members of the object became
 */
export function spreadProblem(parts: readonly string[], became: 'parameters' | 'members'): string {
  const distinct = [...new Set(parts)]
  const more = distinct.length - MAX_LISTED
  const shown =
    distinct.slice(0, MAX_LISTED).map(excerpt).join(', ') + (more > 0 ? ` and ${more} more` : '')
  return `${shown} ${distinct.length === 1 ? 'was' : 'were'} received: an object became many ${became}`
}
