import { expect, test } from 'vitest'
import { isFailure, levelOf } from '../../../../src/sandbox/outcomes/report/audited-row.ts'
import { auditedRow } from '../../../audit/report/sample-report.ts'

const JKU = 'use/id_token.jku'

test('A finding below the level that counts fails no audit, and a stale entry always does', () => {
  const finding = auditedRow(JKU, { verdict: 'let in', counted: false })
  const rows = [
    { ...finding, counted: true },
    { ...finding, verdict: 'stale' as const },
  ]
  expect([isFailure(finding), ...rows.map(isFailure)]).toEqual([false, true, true])
  expect(isFailure({ ...finding, verdict: 'known', counted: true })).toBe(false)
})

test.each([
  ['broke', 'must', 'should'],
  ['ignored', 'must', 'should'],
  ['broke', 'may', 'may'],
  ['let in', 'must', 'must'],
] as const)('A row of an app that %s, of the level %s, is a finding of the level %s', (verdict, level, expected) => {
  expect(levelOf({ verdict, level })).toBe(expected)
})
