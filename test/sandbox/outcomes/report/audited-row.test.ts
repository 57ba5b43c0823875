import { expect, test } from 'vitest'
import { findingLevel } from '../../../../src/sandbox/outcomes/report/audited-row.ts'

test.each([
  ['broke', 'must', 'should'],
  ['ignored', 'must', 'should'],
  ['broke', 'may', 'may'],
  ['let in', 'must', 'must'],
] as const)('A row of an app that %s, of the level %s, is a finding of the level %s', (verdict, level, expected) => {
  expect(findingLevel({ verdict, level })).toBe(expected)
})
