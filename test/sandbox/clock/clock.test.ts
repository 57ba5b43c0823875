import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Refusal } from '../../../src/oidc/refusal.ts'
import { createClock, type SandboxClock } from '../../../src/sandbox/clock/clock.ts'

const NOON = Date.parse('2026-05-17T12:00:00Z')
const LEAP_DAY = Date.parse('2028-02-29T00:00:00Z')

/** A sandbox clock beside a real time that the test moves. */
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
const pass =
  (milliseconds: number): Act =>
  (_clock, letPass) =>
    letPass(milliseconds)
const advance =
  (seconds: number): Act =>
  (clock) =>
    clock.advance(seconds)
const set: Act = (clock) => clock.set(LEAP_DAY)
const freeze: Act = (clock) => clock.freeze(true)
const run: Act = (clock) => clock.freeze(false)
const reset: Act = (clock) => clock.reset()

test.each<[string, readonly Act[], now: number, base: number]>([
  ['counts from real time until it is set', [pass(1500)], NOON + 1500, NOON + 1500],
  ['advances now and leaves the base', [advance(90), advance(1), pass(1000)], NOON + 92_000, NOON + 1000],
  ['runs on from a set instant while the base stays there', [set, pass(5000)], LEAP_DAY + 5000, LEAP_DAY],
  ['forgets what was advanced when it is set', [advance(600), set], LEAP_DAY, LEAP_DAY],
  ['stops, with its base, when it is frozen', [freeze, pass(86_400_000)], NOON, NOON],
  ['advances while it is frozen', [freeze, pass(60_000), advance(91)], NOON + 91_000, NOON],
  ['stays at the first instant when it is frozen twice', [freeze, pass(60_000), freeze], NOON, NOON],
  [
    'rejoins real time, plus what was advanced, when it runs again',
    [freeze, advance(10), pass(60_000), run],
    NOON + 70_000,
    NOON + 60_000,
  ],
  [
    'goes on where it stopped when it was set and runs again',
    [set, pass(1000), freeze, pass(60_000), run, pass(2000)],
    LEAP_DAY + 3000,
    LEAP_DAY,
  ],
  ['stays frozen when it is set', [freeze, pass(60_000), set, pass(60_000)], LEAP_DAY, LEAP_DAY],
  [
    'runs from where it was set when it was frozen before',
    [freeze, pass(60_000), set, pass(60_000), run, pass(1000)],
    LEAP_DAY + 1000,
    LEAP_DAY,
  ],
  ['runs in spite of a freeze(false) that nothing preceded', [set, run, pass(1000)], LEAP_DAY + 1000, LEAP_DAY],
  [
    'returns to real time and runs after a reset',
    [set, freeze, advance(5), reset, pass(1000)],
    NOON + 1000,
    NOON + 1000,
  ],
])('A clock %s', (_what, acts, now, base) => {
  const { clock, pass } = clockAt(NOON)
  for (const act of acts) act(clock, pass)
  expect([clock.now(), clock.base()]).toEqual([now, base])
})

test('A clock states now, base, the advanced seconds and whether it is frozen', () => {
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

test('A clock states now and base of one instant, though time passes while it is asked', () => {
  let realTime = NOON
  const clock = createClock({ systemNow: () => realTime++ })
  clock.advance(90)
  const { now, base, advanced_seconds } = clock.state()
  expect(Date.parse(now) - Date.parse(base)).toBe(advanced_seconds * 1000)
})

test.each([-1, -0.001, Number.NaN, Number.NEGATIVE_INFINITY])('A clock refuses to advance by %s seconds', (seconds) => {
  const { clock } = clockAt(NOON)
  expect(() => clock.advance(seconds)).toThrow(/^advance: .* use set or reset$/)
  expect(clock.now()).toBe(NOON)
})

test.each([Number.POSITIVE_INFINITY, Number.MAX_VALUE, 8000 * 366 * 86_400])(
  'A clock refuses to advance by %s seconds, past the year 9999',
  (seconds) => {
    const { clock } = clockAt(NOON)
    expect(() => clock.advance(seconds)).toThrow(Refusal)
    expect(clock.state().advanced_seconds).toBe(0)
  },
)

test.each([Number.NaN, Number.POSITIVE_INFINITY, Date.parse('0001-01-01T00:00:00Z') - 1, 253_402_300_800_000])(
  'A clock refuses to be set to %s',
  (instant) => {
    const { clock } = clockAt(NOON)
    expect(() => clock.set(instant)).toThrow(/^set: .* years 0001 to 9999/)
    expect(clock.base()).toBe(NOON)
  },
)

test('A clock is set to both ends of the calendar, and does not run past the last', () => {
  const { clock, pass } = clockAt(NOON)
  clock.set(Date.parse('0001-01-01T00:00:00Z'))
  expect(clock.state().now).toBe('0001-01-01T00:00:00.000Z')
  clock.set(Date.parse('9999-12-31T23:59:59.999Z'))
  pass(60_000)
  expect(clock.state().now).toBe('9999-12-31T23:59:59.999Z')
})

test('A clock never runs backwards by advancing, freezing or waiting', () => {
  const act = fc.oneof(
    fc.nat(1e6).map(advance),
    fc.nat(1e6).map(pass),
    fc.boolean().map((isFrozen) => (isFrozen ? freeze : run)),
  )
  fc.assert(
    fc.property(fc.boolean(), fc.array(act, { maxLength: 20 }), (isSet, acts) => {
      const { clock, pass } = clockAt(NOON)
      if (isSet) clock.set(LEAP_DAY)
      let last = clock.now()
      for (const act of acts) {
        act(clock, pass)
        expect(clock.now()).toBeGreaterThanOrEqual(last)
        last = clock.now()
      }
    }),
  )
})
