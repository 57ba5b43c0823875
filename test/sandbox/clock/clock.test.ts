import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../../../src/oidc/refusal.ts'
import { createClock } from '../../../src/sandbox/clock/clock.ts'

const NOON = Date.parse('2026-05-17T12:00:00Z')
const LEAP_DAY = Date.parse('2028-02-29T00:00:00Z')

/** A sandbox clock beside a real time that the test moves. */
function clockAt(start: number) {
  let realTime = start
  const clock = createClock({ systemNow: () => realTime })
  return { clock, pass: (milliseconds: number) => (realTime += milliseconds) }
}

describe('clock', () => {
  it('shows the system time when no other one is supplied', () => {
    const before = Date.now()
    const shown = createClock().now()
    expect(shown).toBeGreaterThanOrEqual(before)
    expect(shown).toBeLessThanOrEqual(Date.now())
  })

  it('shows real time and counts from it until the clock is set', () => {
    const { clock, pass } = clockAt(NOON)
    pass(1500)
    expect(clock.now()).toBe(NOON + 1500)
    expect(clock.base()).toBe(NOON + 1500)
  })

  it('advances now and leaves the base in real time', () => {
    const { clock, pass } = clockAt(NOON)
    clock.advance(90)
    clock.advance(1)
    pass(1000)
    expect(clock.now()).toBe(NOON + 92_000)
    expect(clock.base()).toBe(NOON + 1000)
  })

  it('shows now and base of one instant, though time passes while it is asked', () => {
    let realTime = NOON
    const clock = createClock({ systemNow: () => realTime++ })
    clock.advance(90)
    const { now, base, advanced_seconds } = clock.state()
    expect(Date.parse(now) - Date.parse(base)).toBe(advanced_seconds * 1000)
  })

  it('runs on from a set instant while the base stays there', () => {
    const { clock, pass } = clockAt(NOON)
    clock.set(LEAP_DAY)
    pass(5000)
    expect(clock.now()).toBe(LEAP_DAY + 5000)
    expect(clock.base()).toBe(LEAP_DAY)
  })

  it('forgets what was advanced when it is set', () => {
    const { clock } = clockAt(NOON)
    clock.advance(600)
    clock.set(LEAP_DAY)
    expect(clock.state()).toMatchObject({ now: '2028-02-29T00:00:00.000Z', advanced_seconds: 0 })
  })

  it('stops now and a base in real time when it is frozen', () => {
    const { clock, pass } = clockAt(NOON)
    clock.freeze(true)
    pass(86_400_000)
    expect(clock.now()).toBe(NOON)
    expect(clock.base()).toBe(NOON)
  })

  it('advances while it is frozen', () => {
    const { clock, pass } = clockAt(NOON)
    clock.freeze(true)
    pass(60_000)
    clock.advance(91)
    expect(clock.now()).toBe(NOON + 91_000)
    expect(clock.base()).toBe(NOON)
  })

  it('stays at the first instant when it is frozen twice', () => {
    const { clock, pass } = clockAt(NOON)
    clock.freeze(true)
    pass(60_000)
    clock.freeze(true)
    expect(clock.now()).toBe(NOON)
  })

  it('rejoins real time, plus what was advanced, when it runs again', () => {
    const { clock, pass } = clockAt(NOON)
    clock.freeze(true)
    clock.advance(10)
    pass(60_000)
    clock.freeze(false)
    expect(clock.now()).toBe(NOON + 70_000)
    expect(clock.base()).toBe(NOON + 60_000)
  })

  it('goes on where it stopped when it was set and runs again', () => {
    const { clock, pass } = clockAt(NOON)
    clock.set(LEAP_DAY)
    pass(1000)
    clock.freeze(true)
    pass(60_000)
    clock.freeze(false)
    pass(2000)
    expect(clock.now()).toBe(LEAP_DAY + 3000)
    expect(clock.base()).toBe(LEAP_DAY)
  })

  it('stays frozen when it is set, and runs from there afterwards', () => {
    const { clock, pass } = clockAt(NOON)
    clock.freeze(true)
    pass(60_000)
    clock.set(LEAP_DAY)
    pass(60_000)
    expect(clock.now()).toBe(LEAP_DAY)
    clock.freeze(false)
    pass(1000)
    expect(clock.now()).toBe(LEAP_DAY + 1000)
  })

  it('runs in spite of a freeze(false) that nothing preceded', () => {
    const { clock, pass } = clockAt(NOON)
    clock.set(LEAP_DAY)
    clock.freeze(false)
    pass(1000)
    expect(clock.now()).toBe(LEAP_DAY + 1000)
  })

  it('returns to real time and runs after a reset', () => {
    const { clock, pass } = clockAt(NOON)
    clock.set(LEAP_DAY)
    clock.freeze(true)
    clock.advance(5)
    clock.reset()
    pass(1000)
    expect(clock.state()).toEqual({
      now: '2026-05-17T12:00:01.000Z',
      base: '2026-05-17T12:00:01.000Z',
      advanced_seconds: 0,
      frozen: false,
    })
  })

  it('states now, base, the advanced seconds and whether it is frozen', () => {
    const { clock } = clockAt(NOON)
    clock.set(LEAP_DAY)
    clock.freeze(true)
    clock.advance(90.5)
    expect(clock.state()).toEqual({
      now: '2028-02-29T00:01:30.500Z',
      base: '2028-02-29T00:00:00.000Z',
      advanced_seconds: 90.5,
      frozen: true,
    })
  })

  it.each([-1, -0.001, Number.NaN, Number.NEGATIVE_INFINITY])('refuses to advance by %s seconds', (seconds) => {
    const { clock } = clockAt(NOON)
    expect(() => clock.advance(seconds)).toThrow(/^advance: .* use set or reset$/)
    expect(clock.now()).toBe(NOON)
  })

  it.each([Number.POSITIVE_INFINITY, Number.MAX_VALUE, 8000 * 366 * 86_400])(
    'refuses to advance by %s seconds, past the year 9999',
    (seconds) => {
      const { clock } = clockAt(NOON)
      expect(() => clock.advance(seconds)).toThrow(Refusal)
      expect(clock.state().advanced_seconds).toBe(0)
    },
  )

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Date.parse('0001-01-01T00:00:00Z') - 1, 253_402_300_800_000])(
    'refuses to be set to %s',
    (instant) => {
      const { clock } = clockAt(NOON)
      expect(() => clock.set(instant)).toThrow(/^set: .* years 0001 to 9999/)
      expect(clock.base()).toBe(NOON)
    },
  )

  it('is set to both ends of the calendar, and does not run past the last', () => {
    const { clock, pass } = clockAt(NOON)
    clock.set(Date.parse('0001-01-01T00:00:00Z'))
    expect(clock.state().now).toBe('0001-01-01T00:00:00.000Z')
    clock.set(Date.parse('9999-12-31T23:59:59.999Z'))
    pass(60_000)
    expect(clock.state().now).toBe('9999-12-31T23:59:59.999Z')
  })

  it('never runs backwards by advancing, freezing or waiting', () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant('advance' as const), by: fc.nat(1e6) }),
      fc.record({ kind: fc.constant('pass' as const), by: fc.nat(1e6) }),
      fc.record({ kind: fc.constant('freeze' as const), by: fc.nat(1) }),
    )
    fc.assert(
      fc.property(fc.boolean(), fc.array(act, { maxLength: 20 }), (isSet, acts) => {
        const { clock, pass } = clockAt(NOON)
        if (isSet) clock.set(LEAP_DAY)
        let last = clock.now()
        for (const { kind, by } of acts) {
          if (kind === 'advance') clock.advance(by)
          if (kind === 'pass') pass(by)
          if (kind === 'freeze') clock.freeze(by === 1)
          expect(clock.now()).toBeGreaterThanOrEqual(last)
          last = clock.now()
        }
      }),
    )
  })
})
