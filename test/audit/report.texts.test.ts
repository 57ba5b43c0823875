import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { auditReportSchema } from '../../src/audit/report/audit-report.ts'
import { conclusionOf, describeChecks } from '../../src/audit/report/conclusion.ts'
import {
  explainReason,
  findingLevel,
  flowAddress,
  referencesOf,
  unshownOf,
  whatAppDid,
  whatHappened,
} from '../../src/audit/report/points.ts'
import { totalsOf } from '../../src/audit/report/summarise.ts'
import {
  auditedRow,
  auditReport,
  MIXED,
  READINGS_FOUND,
  readingsAudit,
} from './report/sample-report.ts'

test('public/schemas/audit-report.schema.json says of each member what the schema says', () => {
  const file = new URL('../../public/schemas/audit-report.schema.json', import.meta.url)
  const { $schema: _, title: _title, ...published } = JSON.parse(readFileSync(file, 'utf8'))
  const { $schema: _own, ...own } = z.toJSONSchema(auditReportSchema, { target: 'draft-7' })
  // That lists are not changed is for programs in TypeScript.
  const shown = JSON.parse(JSON.stringify(own), (key, value) =>
    key === 'readOnly' ? undefined : value,
  )
  expect(shown).toEqual(published)
})

const EXPIRED = 'use/id_token.expired'

const KEY_ERROR = "refused: KeyError('SANDBOX')"

test.each<[string, string[], string, object?]>([
  ['names the check that refused', ['  JWTExpired ', 'more'], 'JWTExpired', { refused_by: 'exp' }],
  [
    'is of Flask',
    ['CTRL+C', KEY_ERROR, '127.0.0.1 - - [27/Nov/2026] "GET /cb HTTP/1.1" 400 -'],
    KEY_ERROR,
  ],
  [
    'is of Django',
    ['CONTROL-C', KEY_ERROR, 'Bad Request: /cb', '[27/Nov] "POST /cb HTTP/1.1" 400 21'],
    KEY_ERROR,
  ],
  [
    'is of Express',
    ['listening', 'refused Error: no {', "  code: 'E'", '}', 'GET /cb 400 1.2 ms'],
    'refused Error: no {',
  ],
  ['has requests alone', ['GET / 302 1.2 ms', 'GET /cb 400 1.2 ms'], 'GET /cb 400 1.2 ms'],
])('Of a log that %s, the line is told that says most', (_, log, line, row) => {
  expect(whatAppDid({ log, ...row })).toBe(`Its log: ${line}.`)
})

test('The row of a report tells what happened', () => {
  const row = auditedRow(EXPIRED, {
    summary: 'It has expired',
    evidence: 'your app let it in!',
    reason: 'known',
  })
  expect(whatAppDid(row)).toBe('Your app let it in! Known.')
  expect(whatHappened(row)).toBe('It has expired. Your app let it in! Known.')
  expect(whatHappened(auditedRow(EXPIRED, { summary: 'Has it expired?' }))).toBe('Has it expired?')
  expect(referencesOf(row)).toBe('RFC 7519 section 4.1.4; CWE-613')
})

test('The reason of an undetermined row is explained', () => {
  expect(explainReason('masked')).toBe('masked: the app refuses the same answer without the fault')
})

test('A reason that is a sentence stays as it is', () => {
  expect(explainReason('it has no Create')).toBe('it has no Create')
})

test('A missing reason is named so', () => {
  expect(explainReason()).toBe('no reason is known')
})

test.each([
  [MIXED, 'failed'],
  [auditReport([auditedRow(EXPIRED)]), 'passed'],
  [auditReport([auditedRow('use/verified', { verdict: 'accepted' })]), 'passed'],
  [auditReport([auditedRow(EXPIRED)], { readings: { ...READINGS_FOUND, variants: [] } }), 'passed'],
  [auditReport([auditedRow(EXPIRED)], { exit_code: 3 }), 'undetermined'],
  [auditReport([auditedRow(EXPIRED)], { exit_code: 2 }), 'nothing was judged'],
  [auditReport([auditedRow(EXPIRED, { verdict: 'observed' })]), 'nothing was judged'],
  [readingsAudit(), 'passed'],
  [readingsAudit({ variants: [] }), 'nothing was judged'],
  [readingsAudit({ counted: true }), 'failed'],
] as const)('An audit comes to a conclusion (%#): %s', (report, conclusion) => {
  expect(conclusionOf(report)).toBe(conclusion)
})

test('The totals of an audit are told with the findings first', () => {
  const totals = Object.entries(totalsOf(MIXED.rows)).map(
    ([verdict, count]) => `${count} ${verdict}`,
  )
  const others = ['1 refused', '1 accepted', '1 observed', '1 not for this app', '1 known']
  expect(totals).toEqual(['3 let in', '1 stale', '1 broke', '3 undetermined', ...others])
})

test('The reason of most undetermined rows is told first', () => {
  const rows = [auditedRow(EXPIRED, { verdict: 'undetermined', reason: 'flaky' }), ...MIXED.rows]
  const ids = unshownOf(auditReport(rows)).map(({ reason, names }) => [reason.split(':')[0], names])
  expect(ids).toEqual([
    ['flaky', [EXPIRED, 'use/callback.state_changed']],
    ['page_unknown', ['use/callback.state_missing', 'use/callback.state_empty']],
  ])
  const [first] = unshownOf(auditReport(MIXED.rows.toReversed()))
  expect(first?.reason).toMatch(/^page_unknown: /)
})

test.each([
  [
    MIXED.checks,
    /^not verified: signature \(2 rows\), expiry \(1\); 2 checks missing, 1 stale, 1 broke, 1 undetermined, 1 holds$/,
  ],
  [auditReport([auditedRow(EXPIRED)]).checks, /^no checks missing, 2 hold$/],
  [auditReport([]).checks, /^$/],
])('What an audit came to is told in one line of checks (%#)', (checks, line) => {
  expect(describeChecks(checks)).toMatch(line)
})

test('The page of a flow stands below an address, whatever its id', () => {
  expect(flowAddress('http://localhost:4000/t/a/', 'f1')).toBe('http://localhost:4000/t/a/flows/f1')
  expect(flowAddress('http://localhost:4000', 'a/b\ud800')).toBe(
    'http://localhost:4000/flows/a%2Fb%EF%BF%BD',
  )
})

test('The readings that were not shown are told by verdict with their reason', () => {
  const [, , repeated = expect.fail(), absent = expect.fail()] = READINGS_FOUND.variants
  const unsaid = { ...absent, reason: undefined, variant: 'x' }
  const one = { reason: 'flaky', count: 1 }
  const report = {
    ...READINGS_FOUND,
    variants: [...READINGS_FOUND.variants, { ...repeated, variant: 'y' }, unsaid],
    combinations: {
      ...READINGS_FOUND.combinations,
      undetermined: [{ reason: 'timed_out', count: 2 }, one],
    },
  }
  const undetermined = { verdict: 'undetermined' }
  expect(unshownOf(auditReport([], { readings: report }))).toEqual([
    { ...undetermined, reason: 'used once', count: 2, names: ['code_use=repeated', 'code_use=y'] },
    {
      verdict: 'not for this app',
      reason: 'no upgrade',
      count: 1,
      names: ['upgrade_effect=replaces'],
    },
    {
      verdict: 'not for this app',
      reason: 'no reason is known',
      count: 1,
      names: ['upgrade_effect=x'],
    },
    {
      ...undetermined,
      reason: 'timed_out (combinations of variants that work alone)',
      count: 2,
      names: [],
    },
    {
      ...undetermined,
      reason: 'flaky (combinations of variants that work alone)',
      count: 1,
      names: [],
    },
  ])
})

test.each([
  ['broke', 'must', 'should'],
  ['ignored', 'must', 'should'],
  ['broke', 'may', 'may'],
  ['let in', 'must', 'must'],
] as const)(
  'A row of an app that %s, of the level %s, is a finding of the level %s',
  (verdict, level, expected) => {
    expect(findingLevel({ verdict, level })).toBe(expected)
  },
)
