import { parseInstant } from './calendar.ts'
import type { Claims } from './claims.ts'
import type { Method } from './methods.ts'
import { instantsOf } from './signal-instants.ts'
import type { AgeSignal } from './signal-schema.ts'
import type { Check } from './trace.ts'
import { matchesPattern, reaches } from './vocabulary.ts'

/**
 * A check whose reason is written on demand: answers need no reasons, and a reason repeats lists of
 * the request.
 */
export interface Verdict extends Pick<Check, 'filter' | 'passed'> {
  readonly reason: () => string
  /**
   * The member of the claims that requires the check, such as `overrides.id_doc_scan.iso_27566_1`;
   * absent when no member requires it.
   */
  readonly member?: string
}

/** The requirements of a request for one method. */
export type Override = NonNullable<NonNullable<Claims['overrides']>[Method]>

/**
 * The six checks of a signal that do not depend on a threshold, in the order of application. A
 * failed check does not stop the others, so that a reader sees everything that would have to
 * change.
 */
export function filterChecks(signal: AgeSignal, claims: Claims): Verdict[] {
  const override = claims.overrides?.[signal.method]
  return [
    methodCheck(signal, claims),
    verifiedAfterCheck(signal, claims, override),
    deniedCheck(signal, claims),
    allowedCheck(signal, claims),
    assuranceCheck(signal, claims, override),
    attributesCheck(signal, override),
  ]
}

function methodCheck({ method }: AgeSignal, { allowed_methods: allowed }: Claims): Verdict {
  if (!allowed) return absent('allowed_methods')
  const passed = allowed.includes(method)
  return {
    filter: 'allowed_methods',
    member: 'allowed_methods',
    passed,
    reason: () => `${method} is ${passed ? '' : 'not '}among ${allowed.join(', ')}`,
  }
}

function verifiedAfterCheck(signal: AgeSignal, claims: Claims, override?: Override): Verdict {
  const { method, verified_at: verifiedAt } = signal
  const filter = 'verified_after'
  const limit = override?.verified_after ?? claims.verified_after
  if (limit === undefined) return absent(filter)
  const name = override?.verified_after === undefined ? filter : `overrides.${method}.${filter}`
  // Strictly after: a verification at exactly this instant does not pass.
  const passed = instantsOf(signal).verified > instantOf(limit)
  return {
    filter,
    member: name,
    passed,
    reason: () => `verified ${verifiedAt}, ${passed ? 'after' : 'not after'} ${limit} by ${name}`,
  }
}

let last = { text: '', instant: Number.NaN }

/**
 * Parses a limit and caches the last one, because all signals of a request are compared with the
 * same limit.
 */
function instantOf(limit: string): number {
  if (limit !== last.text) last = { text: limit, instant: parseInstant(limit) ?? Number.NaN }
  return last.instant
}

function deniedCheck({ provenance }: AgeSignal, claims: Claims): Verdict {
  const filter = 'provenance.denied'
  const denied = claims.provenance?.denied
  if (!denied) return absent(filter)
  const match = denied.find((pattern) => matchesPattern(pattern, provenance))
  return match === undefined
    ? {
        filter,
        member: filter,
        passed: true,
        reason: () => `${provenance} matches no denied pattern`,
      }
    : {
        filter,
        member: filter,
        passed: false,
        reason: () => `${provenance} matches the denied pattern ${match}`,
      }
}

function allowedCheck({ provenance }: AgeSignal, claims: Claims): Verdict {
  const filter = 'provenance.allowed'
  const allowed = claims.provenance?.allowed
  if (!allowed) return absent(filter)
  const match = allowed.find((pattern) => matchesPattern(pattern, provenance))
  if (match !== undefined)
    return {
      filter,
      member: filter,
      passed: true,
      reason: () => `${provenance} matches the allowed pattern ${match}`,
    }
  const reason = () =>
    allowed.length === 0
      ? 'an empty list allows nothing'
      : `${provenance} matches none of ${allowed.join(', ')}`
  return { filter, member: filter, passed: false, reason }
}

function assuranceCheck(
  { method, iso_27566_1: level }: AgeSignal,
  claims: Claims,
  override?: Override,
): Verdict {
  const filter = 'iso_27566_1'
  const required = override?.iso_27566_1 ?? claims.iso_27566_1
  if (!required) return absent(filter)
  const name = override?.iso_27566_1 === undefined ? filter : `overrides.${method}.${filter}`
  return {
    filter,
    member: name,
    passed: reaches(level, required),
    reason: () => `needs ${required} by ${name}, ${level ? `is ${level}` : 'is not certified'}`,
  }
}

function attributesCheck({ method, attributes = {} }: AgeSignal, override?: Override): Verdict {
  const filter = 'attributes'
  if (!override?.attributes) return absent(filter)
  const member = `overrides.${method}.attributes`
  for (const [name, required] of Object.entries(override.attributes)) {
    const value = attributes[name]
    const isAccepted = Array.isArray(required)
      ? required.some((accepted) => accepted === value)
      : required === value
    // A requirement of `undefined` counts as absent. JSON cannot contain it, but a program can pass
    // it.
    if (required === undefined || isAccepted) continue
    const needs = () =>
      Array.isArray(required) ? `one of ${required.join(', ')}` : String(required)
    return {
      filter,
      member,
      passed: false,
      reason: () => `needs ${name} ${needs()}, ${value === undefined ? 'has none' : `is ${value}`}`,
    }
  }
  return { filter, member, passed: true, reason: () => `meets ${member}` }
}

function absent(filter: Check['filter']): Verdict {
  return { filter, passed: true, reason: () => absentFilter(filter) }
}

/** The reason of a check that the request does not ask for. */
export const absentFilter = (filter: Check['filter']): string =>
  `no ${filter} filter in the request`
