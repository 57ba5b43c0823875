const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const DATE_TIME =
  /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d+)?)?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?$/

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The UTC offset of the earliest time zone, UTC+14, in milliseconds. */
export const EARLIEST_ZONE = 14 * HOUR

/** The forms that `parseInstant` accepts, in the words of a message. */
export const INSTANT_FORMS =
  'an ISO 8601 date or date-time on a day that exists, as YYYY-MM-DD or YYYY-MM-DDThh:mm[:ss[.fff]][Z or +hh:mm]'

/** Maximum length of a date or a date expression, in characters. */
const MAX_DATE_TEXT = 100

/**
 * Parses an ISO 8601 date (00:00:00Z of that day) or date-time. The day must exist. Seconds,
 * fraction and zone are optional; without a zone the time is UTC. The zones `+0200` and `+02` are
 * accepted too (see `zoneAdvice`).
 * @returns milliseconds since the UNIX epoch, possibly with a fraction; `undefined` for any other
 * text
 * @example
 * ```ts
 * parseInstant('2026-07-01T12:00:00.5+02:00') === Date.UTC(2026, 6, 1, 10) + 500
 * ```
 */
export function parseInstant(text: string): number | undefined {
  if (text.length > MAX_DATE_TEXT) return undefined
  const match = DATE_TIME.exec(text)
  if (!match) return parseCalendarDate(text)
  const [, hours, minutes, seconds = 0, fraction = 0, sign, zoneHours = 0, zoneMinutes = 0] = match
  const midnight = parseCalendarDate(text.slice(0, 10))
  if (midnight === undefined) return undefined
  const zone = Number(zoneHours) * HOUR + Number(zoneMinutes) * MINUTE
  const time =
    Number(hours) * HOUR +
    Number(minutes) * MINUTE +
    Number(seconds) * SECOND +
    Number(fraction) * SECOND
  return midnight + time - (sign === '-' ? -zone : zone)
}

/**
 * Advice on a zone that ISO 8601 allows but RFC 3339 does not: `+0200` and `+02`. A strict RFC 3339
 * parser refuses both.
 * @returns `undefined` if the zone is `Z` or like `+02:00`, if there is no zone, or if
 * `parseInstant` does not accept the text
 */
export function zoneAdvice(text: string): string | undefined {
  if (parseInstant(text) === undefined) return undefined
  const [, hours, minutes = ''] = /T.*([+-]\d{2})(\d{2})?$/.exec(text) ?? []
  if (hours === undefined) return undefined
  const right = `${hours}:${minutes || '00'}`
  return `should write its zone as ${right}, as RFC 3339 does, writes ${hours}${minutes}; a stricter parser refuses it`
}

/**
 * The first instant that `text` can mean. A text without a zone is read in UTC+14.
 * @returns see `parseInstant`
 */
export function earliestInstant(text: string): number | undefined {
  const instant = parseInstant(text)
  const hasZone = /T.*[Z+-]/.test(text)
  return instant === undefined || hasZone ? instant : instant - EARLIEST_ZONE
}

/**
 * Parses a date `YYYY-MM-DD`.
 * @returns 00:00:00Z of that day in milliseconds since the UNIX epoch; `undefined` when the day
 * does not exist
 */
export function parseCalendarDate(text: string): number | undefined {
  const match = DATE.exec(text)
  if (!match) return undefined
  const [, year, month, day] = match
  const date = new Date(0)
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  // A day that does not exist rolls over into another month.
  return date.getUTCMonth() === Number(month) - 1 ? date.getTime() : undefined
}

/**
 * The age in whole years at `now` of a person born on `dateOfBirth`, in the UTC calendar. A person
 * born on 29 February has the birthday on 1 March in common years. Negative before birth; `NaN`
 * when the day of birth does not exist.
 * @param dateOfBirth `YYYY-MM-DD`
 * @param now milliseconds since the UNIX epoch
 * @example
 * ```ts
 * completedYears('2008-02-29', Date.UTC(2026, 1, 28)) // 17
 * ```
 */
export function completedYears(dateOfBirth: string, now: number): number {
  return yearsBetween(new Date(parseCalendarDate(dateOfBirth) ?? Number.NaN), new Date(now))
}

/** The number of birthdays from `birth` to `day`; see `completedYears`. */
export function yearsBetween(birth: Date, day: Date): number {
  const months = day.getUTCMonth() - birth.getUTCMonth()
  const birthdayIsAhead = months < 0 || (months === 0 && day.getUTCDate() < birth.getUTCDate())
  return day.getUTCFullYear() - birth.getUTCFullYear() - (birthdayIsAhead ? 1 : 0)
}

/** A parsed relative date: the offset from the current time, and the precision of the result. */
export interface RelativeDate {
  /** `today` resolves to a date, `now` to a date-time. */
  readonly anchor: 'today' | 'now'
  readonly months: number
  readonly milliseconds: number
}

const EXPRESSION = /^\s*(today|now)(?:\s*[+-]\s*\d{1,6}\s*[ymwdh])*\s*$/
const TERMS = /[+-]\s*\d+\s*[ymwdh]/g

const MONTHS: Readonly<Record<string, number>> = { y: 12, m: 1 }
const MILLISECONDS: Readonly<Record<string, number>> = { w: 7 * DAY, d: DAY, h: HOUR }

/**
 * A thousand years in either direction are enough for any persona and stay within the range of
 * `Date`.
 */
const MAX_MONTHS = 12_000
const MAX_MILLISECONDS = 366_000 * DAY

const YEAR_0000 = -62_167_219_200_000
const END_OF_YEAR_9999 = 253_402_300_799_999

/**
 * Parses `today` or `now` with signed terms in years, months, weeks, days and hours, such as `today
 * - 18y + 1d`.
 * @returns `undefined` for any other text, and for offsets of more than a thousand years
 */
export function parseRelativeDate(text: string): RelativeDate | undefined {
  const match = text.length > MAX_DATE_TEXT ? null : EXPRESSION.exec(text)
  if (!match) return undefined
  let months = 0
  let milliseconds = 0
  for (const term of text.match(TERMS) ?? []) {
    const unit = term.slice(-1)
    const amount = (term.startsWith('-') ? -1 : 1) * Number(term.slice(1, -1))
    months += amount * (MONTHS[unit] ?? 0)
    milliseconds += amount * (MILLISECONDS[unit] ?? 0)
  }
  if (Math.abs(months) > MAX_MONTHS || Math.abs(milliseconds) > MAX_MILLISECONDS) return undefined
  return { anchor: match[1] === 'today' ? 'today' : 'now', months, milliseconds }
}

/**
 * Resolves a relative date at `base` (milliseconds since the UNIX epoch). Years and months are
 * added first and keep the day within its month; weeks, days and hours follow. On 29 February
 * `today - 18y` is 28 February and `today - 18y + 1d` is 1 March: the two dates are on either side
 * of the eighteenth birthday on every day of the year.
 * @returns `YYYY-MM-DD` for `today`, an ISO 8601 date-time in UTC for `now`
 */
export function resolveRelativeDate(expression: RelativeDate, base: number): string {
  const moved = addMonths(writable(base), expression.months) + expression.milliseconds
  const dateTime = new Date(writable(moved)).toISOString()
  return expression.anchor === 'today' ? dateTime.slice(0, 10) : dateTime
}

/**
 * Moves `instant` (milliseconds since the UNIX epoch) by calendar months in UTC. A day that the
 * target month does not have becomes the last day of that month: 18 years before 29 February 2024
 * is 28 February 2006, and a person born on that day is 18.
 */
function addMonths(instant: number, months: number): number {
  const date = new Date(instant)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months, 1)
  const lastDay = new Date(date.getTime())
  lastDay.setUTCMonth(date.getUTCMonth() + 1, 0)
  date.setUTCDate(Math.min(day, lastDay.getUTCDate()))
  return date.getTime()
}

/** Limits an instant to years of four digits. */
function writable(instant: number): number {
  return Math.min(Math.max(instant, YEAR_0000), END_OF_YEAR_9999)
}
