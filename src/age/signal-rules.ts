import * as z from 'zod'
import { didYouMean, foundInstead } from '../text/message-parts.ts'
import {
  completedYears,
  EARLIEST_ZONE,
  earliestInstant,
  parseCalendarDate,
  parseInstant,
  resolveRelativeDate,
} from './calendar.ts'
import { breaks, type Issue } from './explain.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { AGE_FORMATS, isMethod, METHODS } from './methods.ts'
import { PROVENANCE_PATH } from './vocabulary.ts'

/** How far the clock of a relying party may be ahead. */
const TOLERANCE_MILLISECONDS = 60_000

const MAX_YEARS = 150

// Paths start at the signal, and messages name no place: `signal.ts` adds where the signal stands.

/**
 * SIG-06, SIG-15: dates must be past at `now` (epoch milliseconds), and a date of birth not too long past. Decision: a `verified_at`
 * without a zone is in the future only if it is so in every zone. Days of birth follow the UTC calendar, as ages do.
 */
export function dateIssues({ age, verified_at }: JsonObject, now: number): Issue[] {
  const dateOfBirth = isJsonObject(age) ? age['date_of_birth'] : undefined
  return [...birthIssues(dateOfBirth, now), ...verificationIssues(verified_at, now)]
}

function birthIssues(dateOfBirth: unknown, now: number): Issue[] {
  const birth = typeof dateOfBirth === 'string' ? parseCalendarDate(dateOfBirth) : undefined
  if (typeof dateOfBirth !== 'string' || birth === undefined) return []
  if (birth <= now && completedYears(dateOfBirth, now) < MAX_YEARS) return []
  const path = ['age', 'date_of_birth']
  const today = resolveRelativeDate({ anchor: 'today', months: 0, milliseconds: 0 }, now)
  const earliest = resolveRelativeDate({ anchor: 'today', months: -12 * MAX_YEARS, milliseconds: 0 }, now)
  if (dateOfBirth > today) {
    const message = `must not be in the future, is ${dateOfBirth}; today is ${today} (UTC)`
    return [{ rule: 'SIG-06', path, message }]
  }
  if (dateOfBirth >= earliest) return []
  return [{ rule: 'SIG-06', path, message: `must be at most ${MAX_YEARS} years ago (${earliest}), is ${dateOfBirth}` }]
}

function verificationIssues(verifiedAt: unknown, now: number): Issue[] {
  const verified = typeof verifiedAt === 'string' ? earliestInstant(verifiedAt) : undefined
  if (verified === undefined || verified <= now + TOLERANCE_MILLISECONDS) return []
  const time = (instant: number) => resolveRelativeDate({ anchor: 'now', months: 0, milliseconds: 0 }, instant)
  const hasZone = verified === parseInstant(String(verifiedAt))
  const elsewhere = hasZone ? '' : `, which is ${time(now + EARLIEST_ZONE).slice(0, 16)} where it is latest, at UTC+14`
  const message = `must not be in the future, is ${verifiedAt}; it is ${time(now)}${elsewhere}`
  return [{ rule: 'SIG-15', path: ['verified_at'], message }]
}

/** SIG-18: the platform must be configured. */
export function platformIssues({ method, attributes }: JsonObject, platforms: readonly string[]): Issue[] {
  if (!isMethod(method) || !isJsonObject(attributes)) return []
  return Object.entries(METHODS[method].attributes).flatMap(([name, { kind }]) => {
    const platform = attributes[name]
    if (kind !== 'platform' || typeof platform !== 'string' || platforms.includes(platform)) return []
    const message = `must be one of ${platforms.join(', ')}${foundInstead(platform, platforms)}`
    return [{ rule: 'SIG-18', path: ['attributes', name], message }]
  })
}

/** SIG-20: the provenance must be one that the relying party registered. */
export function allowlistIssues({ provenance }: JsonObject, allowlist: readonly string[]): Issue[] {
  if (typeof provenance !== 'string' || !PROVENANCE_PATH.test(provenance) || allowlist.includes(provenance)) return []
  const message = `must be on the provenance allowlist${foundInstead(provenance, allowlist)}${didYouMean(provenance, allowlist) ? ' It' : '; it'} holds ${allowlist.join(' ')}`
  return [{ rule: 'SIG-20', path: ['provenance'], message }]
}

/** SIG-10, SIG-13, SIG-24: recommendations. */
export function recommendations({ method, age, verification_id: verificationId, verified_at }: JsonObject): Issue[] {
  const issues: Issue[] = []
  if (isMethod(method) && isJsonObject(age)) {
    const { ageFormats, preferredFormat } = METHODS[method]
    const given = AGE_FORMATS.find(
      (format) => format !== preferredFormat && ageFormats.includes(format) && age[format] !== undefined,
    )
    if (given) {
      const message = `should be ${preferredFormat} with ${method}, which stays right as time passes, is ${given} ${String(age[given]).slice(0, 20)}`
      issues.push({ rule: 'SIG-10', path: ['age', given], message })
    }
  }
  if (typeof verificationId === 'string' && !isUuidVersion7(verificationId)) {
    const message = `should be a UUID of version 7${foundInstead(verificationId)}`
    issues.push({ rule: 'SIG-13', path: ['verification_id'], message })
  }
  return [...issues, ...birthAfterVerification(age, verified_at)]
}

/** Compares both dates as written: a zone does not make a day of birth later. */
function birthAfterVerification(age: unknown, verifiedAt: unknown): Issue[] {
  const dateOfBirth = isJsonObject(age) ? age['date_of_birth'] : undefined
  if (typeof dateOfBirth !== 'string' || parseCalendarDate(dateOfBirth) === undefined) return []
  if (typeof verifiedAt !== 'string' || parseInstant(verifiedAt) === undefined) return []
  if (verifiedAt.slice(0, dateOfBirth.length) >= dateOfBirth) return []
  const message = `should not be before date_of_birth ${dateOfBirth}, is ${verifiedAt}`
  return [{ rule: 'SIG-24', path: ['verified_at'], message }]
}

const MAX_LENGTH = 100

/** The identifier that a client chose for a verification: SIG-12. */
export const verificationIdSchema = z
  .string({
    error: breaks('SIG-12', `must be 1 to ${MAX_LENGTH} characters: letters, digits and _ + / = . -`, { fault }),
  })
  .regex(/^[A-Za-z0-9_+/=.-]{1,100}$/)

/** The fault of a text: its length when it is too long, otherwise the first forbidden character. */
function fault(text: string): string {
  if (text.length > MAX_LENGTH) return ` (${text.length} characters)`
  const index = text.search(/[^A-Za-z0-9_+/=.-]/)
  if (index < 0) return ''
  const character = String.fromCodePoint(text.codePointAt(index) ?? 0)
  return ` (character ${index + 1} is ${character === ' ' ? 'a blank' : JSON.stringify(character)})`
}

const UUID_VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** What is recommended: SIG-13. */
export const isUuidVersion7 = (text: string): boolean => UUID_VERSION_7.test(text)
