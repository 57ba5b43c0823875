import { describe, expect, test } from 'vitest'
import { type Counting, describeRow } from '../../../src/audit/judge/conclude.ts'
import type { VerdictName } from '../../../src/sandbox/outcomes/audit-report.ts'
import { findRow, OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../../src/sandbox/outcomes/outcome.ts'
import { exitCodeOf, totalsOf } from '../../../src/sandbox/outcomes/report/totals.ts'

const COUNTING: Counting = { failOn: 'must', catalogue: '0.2', known: [], today: '2026-11-22T10:00:00Z' }

const rowOf = (id: string): Outcome => findRow(id) ?? expect.fail(`there is no row ${id}`)
const oneOf = (level: Outcome['level']) =>
  OUTCOMES.find((row) => row.level === level && row.correctClient === 'refuse' && row.since === '0.1') ??
  expect.fail(`no row has level ${level}`)

const judge = (row: Outcome, verdict: VerdictName, counting: Partial<Counting> = {}) =>
  describeRow(row, { verdict, evidence: 'e', flows: ['f1', 'f1'] }, { ...COUNTING, ...counting })
const exitCode = (row: Outcome, verdict: VerdictName, counting: Partial<Counting> = {}) =>
  exitCodeOf([judge(row, verdict, counting)])

describe('The exit code', () => {
  test.each([
    ['must', 'let in', 'must', 1],
    ['should', 'let in', 'must', 0],
    ['should', 'let in', 'should', 1],
    ['may', 'let in', 'should', 0],
    ['may', 'let in', 'may', 1],
    ['must', 'let in', 'none', 0],
    ['must', 'refused', 'may', 0],
    ['must', 'undetermined', 'must', 2],
    ['must', 'not for this app', 'must', 2],
    // Safe by accident: a finding of level should, whatever the row demands.
    ['must', 'broke', 'must', 0],
    ['must', 'broke', 'should', 1],
  ] as const)('of a %s row that is %s, with fail-on %s, is %i', (level, verdict, failOn, code) => {
    expect(exitCode(oneOf(level), verdict, { failOn })).toBe(code)
  })

  test('is 1 when a row that has to be accepted is refused', () => {
    expect(exitCode(rowOf('use/id_token.extra_claim'), 'too strict')).toBe(1)
  })

  test('is 3 when nothing failed and a row that counts is undetermined, 0 when it does not count', () => {
    const good = judge(oneOf('must'), 'refused')
    expect(exitCodeOf([good, judge(oneOf('must'), 'undetermined')])).toBe(3)
    expect(exitCodeOf([good, judge(oneOf('should'), 'undetermined')])).toBe(0)
  })

  test('is 2 when no row was judged at all', () => {
    expect(exitCodeOf([])).toBe(2)
    expect(exitCodeOf([judge(oneOf('may'), 'undetermined', { failOn: 'none' })])).toBe(2)
  })

  test('is 0 for rows that came after the catalogue that was asked for', () => {
    const row = { ...oneOf('must'), since: '0.2' } as const
    expect(exitCode(row, 'let in')).toBe(1)
    expect(exitCode(row, 'let in', { catalogue: '0.1' })).toBe(0)
  })
})

describe('A known finding', () => {
  const row = oneOf('must')
  const known = (until?: string) => [{ row: `${row.flow}/${row.name}`, because: 'the library is old', until }]

  test('is named with its reason and does not count', () => {
    expect(judge(row, 'let in', { known: known() })).toMatchObject({
      verdict: 'known',
      reason: 'the library is old',
      counted: false,
    })
  })

  test('counts again when its time is over', () => {
    expect(judge(row, 'let in', { known: known('2026-11-22') }).verdict).toBe('known')
    expect(judge(row, 'let in', { known: known('2026-11-21') })).toMatchObject({ verdict: 'let in', counted: true })
  })

  test('is stale, which counts, when the app refuses the row', () => {
    expect(judge(row, 'refused', { known: known() })).toMatchObject({ verdict: 'stale', counted: true })
    expect(exitCode(row, 'refused', { known: known() })).toBe(1)
  })

  test('is not stale while the row is undetermined', () => {
    expect(judge(row, 'undetermined', { known: known() }).verdict).toBe('undetermined')
  })
})

test('a row says what the catalogue says of it, each flow once', () => {
  const row = rowOf('use/id_token.expired')
  expect(judge(row, 'let in')).toMatchObject({
    row: 'use/id_token.expired',
    flow: 'use',
    family: row.family,
    harm: row.harm,
    flows: ['f1'],
    cwe: row.cwe.map((id) => `CWE-${id}`),
  })
})

test('totals count each verdict', () => {
  const rows = [judge(oneOf('must'), 'let in'), judge(oneOf('may'), 'refused'), judge(oneOf('should'), 'refused')]
  expect(totalsOf(rows)).toEqual({ 'let in': 1, refused: 2 })
})
