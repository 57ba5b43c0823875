import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  completedYears,
  EARLIEST_ZONE,
  earliestInstant,
  parseCalendarDate,
  parseInstant,
  parseRelativeDate,
  resolveRelativeDate,
} from '../../../src/service/age/calendar.ts'
import { named, readCases } from './cases.ts'

const text = z.string()
const tables = z.strictObject({
  instants: z.array(z.strictObject({ name: text, text, iso: text.optional() })),
  years: z.array(z.strictObject({ name: text, born: text, now: text, years: z.int() })),
  relative: z.array(z.strictObject({ name: text, text, base: text, result: text.optional() })),
})
const cases = readCases('calendar.cases.json', tables)

const instantOf = (text: string) => parseInstant(text) ?? Number.NaN
const DAY = 86_400_000
const isLeapDay = (instant: number) => new Date(instant).toISOString().slice(5, 10) === '02-29'
const instants = fc.integer({ min: instantOf('1900-01-01'), max: instantOf('2200-01-01') })

test.each(named(cases.instants))('parseInstant reads: %s', (_name, { text, iso }) => {
  const instant = parseInstant(text)
  expect(instant === undefined ? undefined : new Date(instant).toISOString()).toBe(iso)
})

test('parseInstant keeps fractions of a millisecond', () => {
  expect(instantOf('2026-07-01T00:00:00.0005Z') - instantOf('2026-07-01')).toBe(0.5)
})

test('parseInstant reads a text of at most 100 characters', () => {
  expect(parseInstant(`2026-07-01T00:00:00.${'0'.repeat(80)}`)).toBe(instantOf('2026-07-01'))
  expect(parseInstant(`2026-07-01T00:00:00.${'0'.repeat(81)}`)).toBeUndefined()
})

test('parseCalendarDate reads no text that has a time', () => {
  expect(parseCalendarDate('2026-07-01T00:00:00Z')).toBeUndefined()
})

test('parseInstant reads no basic form, week, day of a year or decimal comma of ISO 8601', () => {
  const forms = '2026-06-30T10:00:00,5Z 20260630 20260630T100000Z 2026-W27-2 2026-181'
  expect(forms.split(' ').filter((text) => parseInstant(text) !== undefined)).toEqual([])
})

test('parseInstant reads back whatever a date writes', () => {
  fc.assert(
    fc.property(instants, (instant) => parseInstant(new Date(instant).toISOString()) === instant),
  )
})

test.each([
  ['2026-07-01T00:00:00Z', 0],
  ['2026-07-01T00:00+14:00', 0],
  ['2026-07-01T00:00-11:30', 0],
  ['2026-07-01T00:00:00', EARLIEST_ZONE],
  ['2026-07-01', EARLIEST_ZONE],
])('%s can mean an instant that is %i milliseconds earlier', (text, earlier) => {
  expect(earliestInstant(text)).toBe(instantOf(text) - earlier)
  expect(earliestInstant('x')).toBeUndefined()
  expect(EARLIEST_ZONE).toBe(50_400_000)
})

test.each(named(cases.years))('completedYears counts: %s', (_name, { born, now, years }) => {
  expect(completedYears(born, instantOf(now))).toBe(years)
})

test('completedYears knows no age of an impossible day of birth', () => {
  expect(completedYears('2026-02-30', instantOf('2026-07-01'))).toBeNaN()
})

test('completedYears never falls as time passes', () => {
  fc.assert(
    fc.property(instants, instants, fc.nat(), (birth, now, later) => {
      const born = new Date(birth).toISOString().slice(0, 10)
      expect(completedYears(born, now + later)).toBeGreaterThanOrEqual(completedYears(born, now))
    }),
  )
})

test.each(named(cases.relative))(
  'A relative date is resolved: %s',
  (_name, { text, base, result }) => {
    const expression = parseRelativeDate(text)
    expect(expression && resolveRelativeDate(expression, instantOf(base))).toBe(result)
  },
)

test('A relative date has an anchor, months, milliseconds', () => {
  expect(parseRelativeDate('now - 1y - 1d')).toEqual({
    anchor: 'now',
    months: -12,
    milliseconds: -DAY,
  })
})

test('A relative date has at most 100 characters', () => {
  expect(parseRelativeDate('today'.padEnd(100))).toEqual({
    anchor: 'today',
    months: 0,
    milliseconds: 0,
  })
  expect(parseRelativeDate('today'.padEnd(101))).toBeUndefined()
})

const LEAP_DAYS = ['2024-02-29', '2022-02-28', '2023-02-28', '2024-02-28'].map(instantOf)

test('Relative dates put both sides of a birthday right on every day', () => {
  const ageOf = (text: string, now: number) => {
    const expression = parseRelativeDate(text)
    return expression && completedYears(resolveRelativeDate(expression, now), now)
  }
  fc.assert(
    fc.property(instants, fc.integer({ min: 1, max: 100 }), (now, years) => {
      expect(ageOf(`today - ${years}y`, now)).toBe(years)
      expect(ageOf(`today - ${years}y + 1d`, now)).toBe(years - 1)
      const eve = parseRelativeDate(`today - ${years}y + 1d`)
      const birth = eve ? resolveRelativeDate(eve, now) : ''
      // For a person born in a common year, 28 February of a leap year does not precede a birthday:
      // that is on 1 March.
      const days = isLeapDay(now + DAY) && birth.endsWith('-03-01') ? 2 : 1
      expect(completedYears(birth, now + days * DAY)).toBe(years)
    }),
    {
      examples: LEAP_DAYS.flatMap((day): [number, number][] =>
        [18, 19, 20].map((years) => [day, years]),
      ),
    },
  )
})
