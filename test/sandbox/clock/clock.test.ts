import { expect, test } from 'vitest'
import {
  createClock,
  describeClock,
  describeSeconds,
  moveClock,
  type SandboxClock,
} from '../../../src/sandbox/clock/clock.ts'
import { Refusal } from '../../../src/service/oidc/refusal.ts'

const NOON = Date.parse('2026-05-17T12:00:00Z')
const FIRST = Date.parse('0001-01-01T00:00:00Z')
const LEAP_DAY = Date.parse('2028-02-29T00:00:00Z')

function clockAt(start: number) {
  let realTime = start
  const clock = createClock({ systemNow: () => realTime })
  return { clock, pass: (milliseconds: number) => (realTime += milliseconds) }
}

test('A clock shows the system time when no other time is supplied', () => {
  const before = Date.now()
  const shown = createClock().now()
  expect(shown).toBeGreaterThanOrEqual(before)
  expect(shown).toBeLessThanOrEqual(Date.now())
})

type Act = (clock: SandboxClock, pass: (milliseconds: number) => void) => void
function pass(milliseconds: number): Act {
  return (_clock, letPass) => letPass(milliseconds)
}
function advance(seconds: number): Act {
  return (clock) => clock.advance(seconds)
}
const set: Act = (clock) => clock.set(LEAP_DAY)
const freeze: Act = (clock) => clock.freeze(true)
const run: Act = (clock) => clock.freeze(false)
const reset: Act = (clock) => clock.reset()
const MINUTE = pass(60_000)

/** `now` and `base` from noon, or from the leap day. */
const noon = (now: number, base = now) => [NOON + now, NOON + base]
const leap = (now: number, base = 0) => [LEAP_DAY + now, LEAP_DAY + base]

test.each<[string, readonly Act[], readonly number[]]>([
  ['counts from real time until it is set', [pass(1500)], noon(1500)],
  ['advances now and leaves the base', [advance(90), advance(1), pass(1000)], noon(92_000, 1000)],
  ['runs on from a set instant while the base stays there', [set, pass(5000)], leap(5000)],
  ['forgets what was advanced when it is set', [advance(600), set], leap(0)],
  ['stops, with its base, when it is frozen', [freeze, pass(86_400_000)], noon(0)],
  ['advances while it is frozen', [freeze, MINUTE, advance(91)], noon(91_000, 0)],
  ['stays at the first instant when it is frozen twice', [freeze, MINUTE, freeze], noon(0)],
  [
    'rejoins real time, plus what was advanced',
    [freeze, advance(10), MINUTE, run],
    noon(70_000, 60_000),
  ],
  ['goes on where it stopped', [set, pass(1000), freeze, MINUTE, run, pass(2000)], leap(3000)],
  ['stays frozen when it is set', [freeze, MINUTE, set, MINUTE], leap(0)],
  [
    'runs from where it was set while frozen',
    [freeze, MINUTE, set, MINUTE, run, pass(1000)],
    leap(1000),
  ],
  ['runs in spite of a freeze(false) that nothing preceded', [set, run, pass(1000)], leap(1000)],
  [
    'returns to real time and runs after a reset',
    [set, freeze, advance(5), reset, pass(1000)],
    noon(1000),
  ],
])('A clock %s', (_what, acts, [now, base]) => {
  const { clock, pass } = clockAt(NOON)
  for (const act of acts) act(clock, pass)
  expect(clock.now()).toEqual(now)
  expect(clock.base()).toEqual(base)
})

test('The state of a clock shows its base with the advanced seconds', () => {
  const { clock } = clockAt(NOON)
  clock.set(LEAP_DAY)
  clock.freeze(true)
  clock.advance(90.5)
  const [now, base] = ['2028-02-29T00:01:30.500Z', '2028-02-29T00:00:00.000Z']
  expect(clock.state()).toEqual({ now, base, advanced_seconds: 90.5, frozen: true })
  clock.reset()
  const noon = '2026-05-17T12:00:00.000Z'
  expect(clock.state()).toEqual({ now: noon, base: noon, advanced_seconds: 0, frozen: false })
  clock.advance(90)
  clock.set(LEAP_DAY)
  expect(clock.state()).toEqual({ now: base, base, advanced_seconds: 0, frozen: false })
})

test('The state of a clock is of one instant although time passes meanwhile', () => {
  let realTime = NOON
  const clock = createClock({ systemNow: () => realTime++ })
  clock.advance(90)
  const { now, base, advanced_seconds } = clock.state()
  expect(Date.parse(now) - Date.parse(base)).toBe(advanced_seconds * 1000)
})

test('A clock is frozen at the instant to which the same call sets the clock', () => {
  let realTime = NOON
  const clock = createClock({ systemNow: () => realTime++ })
  moveClock(clock, { set: '2028-02-29', freeze: true })
  expect(clock.now()).toBe(LEAP_DAY)
})

const BACK = /^advance: .* use set or reset$/

test.each([
  ...[-1, -0.001, Number.NaN, Number.NEGATIVE_INFINITY].map((seconds) => [seconds, BACK] as const),
  ...[Number.POSITIVE_INFINITY, Number.MAX_VALUE, 8000 * 366 * 86_400].map(
    (seconds) => [seconds, Refusal] as const,
  ),
])('A clock stays unchanged when it refuses to advance by %s seconds', (seconds, error) => {
  const { clock } = clockAt(NOON)
  expect(() => clock.advance(seconds)).toThrow(error)
  expect(clock.now()).toEqual(NOON)
  expect(clock.state().advanced_seconds).toBe(0)
})

test('A clock refuses an instant outside of the calendar', () => {
  const { clock } = clockAt(NOON)
  for (const instant of [Number.NaN, Number.POSITIVE_INFINITY, FIRST - 1, 253_402_300_800_000]) {
    expect(() => clock.set(instant)).toThrow(/^set: .* years 0001 to 9999/)
    expect(clock.base()).toBe(NOON)
  }
})

test('A clock is set to the first instant of the calendar', () => {
  const { clock } = clockAt(NOON)
  clock.set(FIRST)
  expect(clock.state().now).toBe('0001-01-01T00:00:00.000Z')
})

test('A clock stops at the last instant of the calendar', () => {
  const { clock, pass } = clockAt(NOON)
  clock.set(Date.parse('9999-12-31T23:59:59.999Z'))
  pass(60_000)
  expect(clock.state().now).toBe('9999-12-31T23:59:59.999Z')
})

const at = (iso: string) => createClock({ systemNow: () => Date.parse(iso) })

test.each([
  [0, '0 s'],
  [91, '1 min 31 s'],
  [3600, '1 h'],
  [86_399, '23 h 59 min'],
  [86_400, '1 day'],
  [31_536_000, '365 days'],
])('%i seconds are described as %s', (seconds, text) => {
  expect(describeSeconds(seconds)).toBe(text)
})

test('A clock is described by its distance from real time, in both directions, or by the instant at which it stands', () => {
  const clock = at('2026-01-31T12:00:00Z')
  expect(describeClock(clock)).toBeUndefined()
  clock.set(Date.parse('2026-02-02T12:00:00Z'))
  expect(describeClock(clock)).toBe('+2 days')
  clock.set(Date.parse('2026-01-31T11:00:00Z'))
  clock.advance(60)
  expect(describeClock(clock)).toBe('−59 min')
  clock.freeze(true)
  clock.advance(61)
  expect(describeClock(clock)).toBe('frozen at 2026-01-31 11:02:01Z')
})
