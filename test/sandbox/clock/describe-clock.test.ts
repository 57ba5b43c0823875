import { expect, test } from 'vitest'
import { createClock } from '../../../src/sandbox/clock/clock.ts'
import { describeClock, describeSeconds } from '../../../src/sandbox/clock/describe-clock.ts'

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
