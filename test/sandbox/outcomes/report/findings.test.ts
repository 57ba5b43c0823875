import { expect, test } from 'vitest'
import { findingsOf, isFailure, levelOf } from '../../../../src/sandbox/outcomes/report/findings.ts'
import { auditedRow, auditReport, MIXED } from '../../../cli/audit/reports/sample-report.ts'

test('findings of an audit are what was let in, too strict, stale or broke: what fails it first, then the most severe', () => {
  expect(findingsOf(MIXED).map(({ row, verdict }) => [row, verdict])).toEqual([
    ['use/id_token.payload_changed', 'let in'],
    ['use/id_token.expired', 'let in'],
    ['use/id_token.x5u', 'stale'],
    ['use/id_token.alg_none', 'broke'],
    ['use/id_token.typ_other', 'let in'],
  ])
})

test('findings of the same severity are in the order of their level and name, whatever the order of the rows', () => {
  const rows = [
    auditedRow('use/id_token.jku', { verdict: 'let in', level: 'should' }),
    auditedRow('use/id_token.x5u', { verdict: 'too strict' }),
    auditedRow('use/id_token.expired', { verdict: 'let in' }),
  ]
  const names = ['use/id_token.expired', 'use/id_token.x5u', 'use/id_token.jku']
  expect(findingsOf(auditReport(rows)).map(({ row }) => row)).toEqual(names)
  expect(findingsOf(auditReport(rows.toReversed())).map(({ row }) => row)).toEqual(names)
})

test('an app that broke comes behind what counts and was let in, however severe', () => {
  const rows = [
    auditedRow('use/id_token.alg_none', { verdict: 'broke', severity: 9.8 }),
    auditedRow('use/id_token.jku', { verdict: 'let in', severity: 3.1 }),
  ]
  const names = ['use/id_token.jku', 'use/id_token.alg_none']
  expect(findingsOf(auditReport(rows)).map(({ row }) => row)).toEqual(names)
  expect(findingsOf(auditReport(rows.toReversed())).map(({ row }) => row)).toEqual(names)
})

test('a finding below the level that counts fails no audit, a stale entry always does', () => {
  const finding = auditedRow('use/id_token.jku', { verdict: 'let in', counted: false })
  expect(isFailure(finding)).toBe(false)
  expect(isFailure({ ...finding, counted: true })).toBe(true)
  expect(isFailure({ ...finding, verdict: 'stale' })).toBe(true)
  expect(isFailure({ ...finding, verdict: 'known', counted: true })).toBe(false)
})

test('an app that broke is safe by accident: that is a finding of level should at most', () => {
  expect(levelOf(auditedRow('use/id_token.jku', { verdict: 'broke', level: 'must' }))).toBe('should')
  expect(levelOf(auditedRow('use/id_token.jku', { verdict: 'broke', level: 'may' }))).toBe('may')
  expect(levelOf(auditedRow('use/id_token.jku', { verdict: 'let in', level: 'must' }))).toBe('must')
})
