import { expect, test } from 'vitest'
import { ago, renderFlowTime } from '../../../src/console/flows/flow-time.ts'
import { textOf } from '../../support/markup.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')

test.each([
  [0, 'now'],
  [12, '12 s ago'],
  [119, '119 s ago'],
  [120, '2 min ago'],
  [7_199, '119 min ago'],
  [7_200, '2 h ago'],
  [172_800, '2 d ago'],
  [-10_800, 'in 3 h'],
])('%i seconds before now is shown as %j', (seconds, text) => {
  expect(ago(NOW - seconds * 1000, NOW)).toBe(text)
})

test('The time of a flow shows the instant by the clock of the sandbox, and of another day the date', () => {
  const time = renderFlowTime('2026-06-01T11:59:48.250Z', { now: NOW })
  expect(textOf({ html: String(time) })).toContain('12 s ago 11:59:48Z')
  expect(String(time)).toContain('title="2026-06-01 11:59:48Z by the clock of the sandbox"')
  const before = renderFlowTime('2026-05-30T11:59:48.250Z', { now: NOW })
  expect(textOf({ html: String(before) })).toContain('2 d ago 05-30 11:59:48Z')
})
