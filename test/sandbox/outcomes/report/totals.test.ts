import { describe, expect, test } from 'vitest'
import { exitCodeOf } from '../../../../src/sandbox/outcomes/report/totals.ts'
import { auditedRow, READINGS_FOUND } from '../../../cli/audit/reports/sample-report.ts'

const NONE = { tried: 0, undetermined: [], failed: [] }
const counted = { ...READINGS_FOUND, counted: true }
const only = (...verdicts: readonly string[]) => ({
  ...counted,
  variants: counted.variants.filter(({ verdict }) => verdicts.includes(verdict)),
  combinations: NONE,
})

describe('The exit code of an audit of readings', () => {
  test('is 0 whatever the app depends on, unless that counts', () => {
    expect(exitCodeOf([], READINGS_FOUND)).toBe(0)
  })

  test('is 1 for what the app depends on, when that counts', () => {
    expect(exitCodeOf([], { ...counted, combinations: NONE })).toBe(1)
  })

  test('is 1 for a combination alone', () => {
    expect(exitCodeOf([], { ...only('works'), combinations: counted.combinations })).toBe(1)
  })

  test('is 3 for what is undetermined, and 2 when nothing was shown', () => {
    expect(exitCodeOf([], only('works', 'undetermined'))).toBe(3)
    expect(exitCodeOf([], only('undetermined'))).toBe(2)
    const undetermined = { ...NONE, undetermined: [{ reason: 'timed_out', count: 2 }] }
    expect(exitCodeOf([], { ...only('works', 'undetermined'), combinations: undetermined })).toBe(3)
    expect(exitCodeOf([], { ...only('works'), combinations: undetermined })).toBe(3)
  })

  test('is 0 when the app works under all that it meets', () => {
    expect(exitCodeOf([], only('works', 'not for this app'))).toBe(0)
  })

  test('is that of the rows beside readings that do not count, and the worse one beside those that do', () => {
    const rows = [auditedRow('use/id_token.expired')]
    expect(exitCodeOf(rows, READINGS_FOUND)).toBe(0)
    expect(exitCodeOf(rows, counted)).toBe(1)
    const open = [...rows, auditedRow('use/id_token.jku', { verdict: 'undetermined' })]
    expect([exitCodeOf(open, only('works')), exitCodeOf(rows, only('works', 'undetermined'))]).toEqual([3, 3])
    const bad = [auditedRow('use/id_token.jku', { verdict: 'let in' })]
    expect(exitCodeOf(bad, only('works', 'undetermined'))).toBe(1)
    expect(exitCodeOf([auditedRow('use/id_token.expired', { verdict: 'let in' })], only('works'))).toBe(1)
  })
})
