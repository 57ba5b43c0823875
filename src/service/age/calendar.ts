const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const DATE_TIME =
  /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d+)?)?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?$/

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How far the earliest zone is ahead of UTC, in milliseconds: at UTC+14 a day begins first. */
export const EARLIEST_ZONE = 14 * HOUR

/** The forms that `parseInstant` reads, for messages. */
export const INSTANT_FORMS =
  'an ISO 8601 date or date-time on a day that exists, as YYYY-MM-DD or YYYY-MM-DDThh:mm[:ss[.fff]][Z or +hh:mm]'

/** Longer texts are neither a date nor an expression. */
const MAX_DATE_TEXT = 100

/**
 * Reads an ISO 8601 date (`2026-07-01`, meaning 00:00:00Z of that day) or date-time
 * (`2026-07-01T12:00:00.5+02:00`) on a day that exists. Seconds, fraction and zone are optional;
 * without a zone the time is UTC; `+0200` and `+02` are read as zones, too (see `zoneAdvice`).
 * @returns milliseconds since the UNIX epoch, possibly with a fraction; `undefined` for anything
 * else
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
 * What keeps the zone of a date-time from the form of RFC 3339, as advice: ISO 8601 allows `+0200`
 * and `+02`, and a parser that follows RFC 3339 alone refuses both.
 * @returns `undefined` for a zone as `+02:00` or `Z`, for no zone, and for a text that
 * `parseInstant` does not read
 */
export function zoneAdvice(text: string): string | undefined {
  if (parseInstant(text) === undefined) return undefined
  const [, hours, minutes = ''] = /T.*([+-]\d{2})(\d{2})?$/.exec(text) ?? []
  if (hours === undefined) return undefined
  const right = `${hours}:${minutes || '00'}`
  return `should write its zone as ${right}, as RFC 3339 does, writes ${hours}${minutes}; a stricter parser refuses it`
}

/**
 * The first instant that `text` can mean: without a zone, that of UTC+14.
 * @returns as `parseInstant`
 */
export function earliestInstant(text: string): number | undefined {
  const instant = parseInstant(text)
  const hasZone = /T.*[Z+-]/.test(text)
  return instant === undefined || hasZone ? instant : instant - EARLIEST_ZONE
}

/**
 * Reads `YYYY-MM-DD`.
 * @returns 00:00:00Z of that day in epoch milliseconds; `undefined` when there is no such day
 */
export function parseCalendarDate(text: string): number | undefined {
  const match = DATE.exec(text)
  if (!match) return undefined
  const [, year, month, day] = match
  const date = new Date(0)
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  // The day does not exist: it has rolled over into another month.
  return date.getUTCMonth() === Number(month) - 1 ? date.getTime() : undefined
}

/**
 * Birthdays passed from `dateOfBirth` (`YYYY-MM-DD`) to `now` (epoch milliseconds) in the UTC
 * calendar. A person born on 29 February has a birthday on 1 March in common years. Negative before
 * birth; `NaN` when the day of birth does not exist.
 */
export function completedYears(dateOfBirth: string, now: number): number {
  return yearsBetween(new Date(parseCalendarDate(dateOfBirth) ?? Number.NaN), new Date(now))
}

/** Birthdays passed from a birth to a day, as `completedYears` counts them. */
export function yearsBetween(birth: Date, day: Date): number {
  const months = day.getUTCMonth() - birth.getUTCMonth()
  const birthdayIsAhead = months < 0 || (months === 0 && day.getUTCDate() < birth.getUTCDate())
  return day.getUTCFullYear() - birth.getUTCFullYear() - (birthdayIsAhead ? 1 : 0)
}

/**
 * A parsed relative date: what to add to the base of the clock, and the precision of the result.
 */
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

/** A thousand years either way suffice for any persona, and stay within the range of dates. */
const MAX_MONTHS = 12_000
const MAX_MILLISECONDS = 366_000 * DAY

const YEAR_0000 = -62_167_219_200_000
const END_OF_YEAR_9999 = 253_402_300_799_999

/**
 * Parses `today` or `now` with signed terms in years, months, weeks, days and hours: `today - 18y +
 * 1d`.
 * @returns `undefined` when the text is no such expression or reaches further than a thousand years
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
 * The date (`YYYY-MM-DD`) or date-time (ISO 8601, UTC) that `expression` means at `base` (epoch
 * milliseconds). Years and months are added first, with the day kept inside its month, then weeks,
 * days and hours: on 29 February `today - 18y` is 28 February and `today - 18y + 1d` is 1 March, so
 * both sides of an eighteenth birthday are right on every day.
 */
export function resolveRelativeDate(expression: RelativeDate, base: number): string {
  const moved = addMonths(writable(base), expression.months) + expression.milliseconds
  const dateTime = new Date(writable(moved)).toISOString()
  return expression.anchor === 'today' ? dateTime.slice(0, 10) : dateTime
}

/**
 * `instant` (epoch milliseconds) moved by calendar months in UTC. A day that the target month does
 * not have becomes its last day, so that 18 years before 29 February 2024 is 28 February 2006: a
 * person born then is 18.
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

/** The nearest instant whose year has four digits. */
function writable(instant: number): number {
  return Math.min(Math.max(instant, YEAR_0000), END_OF_YEAR_9999)
}
