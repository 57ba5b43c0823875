import { expect, test } from 'vitest'
import type { AuditChoices } from '../../../../src/audit/choices.ts'
import type { VerdictName } from '../../../../src/audit/report/audit-report.ts'
import { exitCodeOf } from '../../../../src/audit/report/summarise.ts'
import { describeRow } from '../../../../src/audit/trials/rows/describe-row.ts'
import { notForThisApp } from '../../../../src/audit/trials/rows/known-before.ts'
import type { TrialFinding } from '../../../../src/audit/trials/trial.ts'
import { findRow, OUTCOMES } from '../../../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../../../src/sandbox/outcomes/outcome.ts'

const today = '2026-11-22T10:00:00Z'

const rowOf = (id: string): Outcome => findRow(id) ?? expect.fail(`there is no row ${id}`)
const oneOf = (level: Outcome['level']) =>
  OUTCOMES.find(
    (row) => row.level === level && row.correctClient === 'refuse' && row.since === '0.1',
  ) ?? expect.fail(`no row has level ${level}`)

const foundAs = (verdict: VerdictName): TrialFinding => ({
  verdict,
  evidence: 'e',
  flows: ['f1', 'f1'],
})
const judge = (row: Outcome, verdict: VerdictName, counting: AuditChoices = {}) =>
  describeRow(row, foundAs(verdict), { options: counting, today })
const exitCode = (row: Outcome, verdict: VerdictName, counting?: AuditChoices) =>
  exitCodeOf([judge(row, verdict, counting)])

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
  // Nobody was let in: a finding of level should, whatever the row demands.
  ['must', 'broke', 'must', 0],
  ['must', 'broke', 'should', 1],
  ['must', 'ignored', 'must', 0],
] as const)(
  'The exit code of a %s row that is %s, with fail-on %s, is %i',
  (level, verdict, failOn, code) => {
    expect(exitCode(oneOf(level), verdict, { failOn })).toBe(code)
  },
)

const REASON = 'the library is old'
const knownAs = (row: Outcome) => ({ known: [{ row: `${row.flow}/${row.name}`, because: REASON }] })
const LATER: Outcome = { ...oneOf('must'), since: '0.2' }

test.each<[string, Outcome, VerdictName, AuditChoices, number]>([
  ['has to be accepted and is refused', rowOf('use/id_token.extra_claim'), 'too strict', {}, 1],
  ['is observed', oneOf('must'), 'observed', {}, 0],
  ['depends on the client', rowOf('use/id_token.kid_missing'), 'let in', { failOn: 'may' }, 0],
  ['came with the catalogue that was asked for', LATER, 'let in', {}, 1],
  ['came after the catalogue that was asked for', LATER, 'let in', { catalogue: '0.1' }, 0],
  ['is of level may and has a stale entry', oneOf('may'), 'refused', knownAs(oneOf('may')), 1],
  [
    'has a stale entry, with fail-on none',
    oneOf('must'),
    'refused',
    { ...knownAs(oneOf('must')), failOn: 'none' },
    0,
  ],
])(
  'The exit code of an audit follows from a row that %s',
  (_what, row, verdict, counting, code) => {
    expect(judge(row, verdict, counting).counted).toBe(code === 1)
    expect(exitCode(row, verdict, counting)).toBe(code)
  },
)

const KNOWN = { verdict: 'known', reason: REASON, counted: false }
const staleAs = (verdict: string) =>
  `it is listed under known and is ${verdict} now; take the entry out`

test.each<[VerdictName, string | undefined, object]>([
  ['let in', undefined, KNOWN],
  ['broke', undefined, KNOWN],
  ['let in', '2026-11-22', KNOWN],
  ['let in', '2026-11-21', { verdict: 'let in', counted: true }],
  ['refused', undefined, { verdict: 'stale', reason: staleAs('refused'), counted: true }],
  ['accepted', undefined, { verdict: 'stale', reason: staleAs('accepted'), counted: true }],
  ['observed', undefined, { verdict: 'stale', reason: staleAs('observed'), counted: true }],
  ['undetermined', undefined, { verdict: 'undetermined', counted: true }],
  ['not for this app', undefined, { verdict: 'not for this app', counted: false }],
])('A row that is %s, and known until %s, is described as %j', (verdict, until, expected) => {
  const row = oneOf('must')
  const own = { row: `${row.flow}/${row.name}`, because: REASON, until }
  const known = [{ row: 'use/verified', because: 'another row' }, own]
  const { verdict: described, reason, counted } = judge(row, verdict, { known })
  expect({ verdict: described, ...(reason !== undefined && { reason }), counted }).toEqual(expected)
})

test('A judged row says what the catalogue says, what was found, and each flow once', () => {
  const row = rowOf('use/id_token.expired')
  const { flow, family, breaks: checks, summary, rule, harm, level, severity, refs } = row
  const columns = {
    row: 'use/id_token.expired',
    flow,
    family,
    checks,
    summary,
    rule,
    harm,
    level,
    severity,
    refs,
  }
  const cwe = row.cwe.map((id) => `CWE-${id}`)
  const found = {
    ...foundAs('refused'),
    reason: undefined,
    log: ['JWTExpired'],
    refusedBy: 'exp',
  } as const
  const described = {
    ...columns,
    cwe,
    verdict: 'refused',
    evidence: 'e',
    flows: ['f1'],
    counted: true,
  }
  expect(describeRow(row, found, { options: {}, today })).toEqual({
    ...described,
    log: ['JWTExpired'],
    refused_by: 'exp',
  })
  const bare = {
    verdict: 'undetermined',
    reason: 'flaky',
    evidence: '',
    flows: [],
    log: [],
  } as const
  const empty = {
    ...columns,
    cwe,
    verdict: 'undetermined',
    reason: 'flaky',
    flows: [],
    counted: true,
  }
  expect(describeRow(row, bare, { options: {}, today })).toEqual(empty)
  const absent = {
    ...columns,
    cwe,
    verdict: 'not for this app',
    reason: 'it has no Create',
    flows: [],
    counted: false,
  }
  expect(describeRow(row, notForThisApp('it has no Create'), { options: {}, today })).toEqual(
    absent,
  )
})
