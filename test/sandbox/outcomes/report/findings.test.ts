import { expect, test } from 'vitest'
import { findingsOf, isFailure, levelOf } from '../../../../src/sandbox/outcomes/report/findings.ts'
import { auditedRow, auditReport, MIXED } from '../../../cli/audit/reports/sample-report.ts'

test('Findings of an audit are what was let in, too strict, stale or broke: what fails it first, then the most severe', () => {
  expect(findingsOf(MIXED).map(({ row, verdict }) => [row, verdict])).toEqual([
    ['use/id_token.payload_changed', 'let in'],
    ['use/id_token.expired', 'let in'],
    ['use/id_token.x5u', 'stale'],
    ['use/id_token.alg_none', 'broke'],
    ['use/id_token.typ_other', 'let in'],
  ])
})

const EXPIRED = 'use/id_token.expired'
const [JKU, X5U, ALG_NONE] = ['use/id_token.jku', 'use/id_token.x5u', 'use/id_token.alg_none'] as const

const strict = [auditedRow(X5U, { verdict: 'too strict' }), auditedRow(EXPIRED, { verdict: 'let in' })]
const broke = auditedRow(ALG_NONE, { verdict: 'broke', severity: 9.8 })
const weak = auditedRow(JKU, { verdict: 'let in', severity: 3.1 })

test.each([
  ['level and name', [auditedRow(JKU, { verdict: 'let in', level: 'should' }), ...strict], [EXPIRED, X5U, JKU]],
  ['weight: what an app broke comes behind what counts and was let in', [broke, weak], [JKU, ALG_NONE]],
])('Findings of an audit are in the order of their %s, whatever the order of the rows', (_what, rows, names) => {
  for (const order of [rows, rows.toReversed()])
    expect(findingsOf(auditReport(order)).map(({ row }) => row)).toEqual(names)
})

test('A finding below the level that counts fails no audit, a stale entry always does, and what broke is at most should', () => {
  const finding = auditedRow(JKU, { verdict: 'let in', counted: false })
  const rows = [
    { ...finding, counted: true },
    { ...finding, verdict: 'stale' as const },
  ]
  expect([isFailure(finding), ...rows.map(isFailure)]).toEqual([false, true, true])
  expect(isFailure({ ...finding, verdict: 'known', counted: true })).toBe(false)
  // An app that broke is safe by accident.
  const levels = [['broke', 'must'] as const, ['broke', 'may'] as const, ['let in', 'must'] as const]
  const read = levels.map(([verdict, level]) => levelOf(auditedRow(JKU, { verdict, level })))
  expect(read).toEqual(['should', 'may', 'must'])
})
