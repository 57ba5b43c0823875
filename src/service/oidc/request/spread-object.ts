import { excerpt, nearest } from '../../text/message-parts.ts'
import { percentDecoded } from './client-mistakes.ts'

/**
 * Parameters that hold JSON text, with the members by which an object that was taken apart is
 * recognised.
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
 * What libraries put between the name of an object and the name of its member: `claims[a]`,
 * `claims.a`, `claims__a`.
 */
const BEHIND_NAME = /^[\w-]{5,}?(?=[[.:/(]|->|__)/

/**
 * The JSON parameter of which `name` is a part, because a library made one parameter of each
 * member: `claims` for `claims[age_thresholds][]` and for `claims.age_thresholds`.
 * @param isAbsent whether an endpoint knows the JSON parameter and did not receive it: then the
 * name of a member alone is a part, too
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

/** Characters of a name that are looked at. */
const MAX_NAME = 200

/**
 * Whether a member of the parameter, or an index, stands behind the prefix:
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

/** Names of parts that a message lists, at most. */
const MAX_LISTED = 4

/**
 * `claims[age_thresholds][], claims[overrides] and 3 more were received: an object became many
 * parameters`.
 * @param became what the members of the object became
 */
export function spreadProblem(parts: readonly string[], became: 'parameters' | 'members'): string {
  const distinct = [...new Set(parts)]
  const more = distinct.length - MAX_LISTED
  const shown =
    distinct.slice(0, MAX_LISTED).map(excerpt).join(', ') + (more > 0 ? ` and ${more} more` : '')
  return `${shown} ${distinct.length === 1 ? 'was' : 'were'} received: an object became many ${became}`
}
