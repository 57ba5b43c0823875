import { expect, test } from 'vitest'
import { readReport } from '../../../../src/sandbox/outcomes/report/read-report.ts'
import { MIXED } from '../../../cli/audit/reports/sample-report.ts'

test('A report of an audit is read as it was written', () => {
  expect(readReport(JSON.stringify(MIXED))).toEqual({ ok: true, report: MIXED })
})

const NO_REPORT = 'is no report of agekey-sandbox audit: '

test.each([
  ['an empty text', '', 'is not JSON: Unexpected end of JSON input (it is empty)'],
  ['a page', '<html>', `is not JSON: Unexpected token '<', "<html>" is not valid JSON`],
  ['a list', '[]', `${NO_REPORT}the value: expected a mapping, found a list of 0`],
  [
    'what an earlier version kept',
    '{"app":"http://localhost:3000/","rows":[{"row":"use/verified","verdict":"accepted"}]}',
    'holds verdicts alone, as an earlier version kept them, and not the whole report',
  ],
  [
    'an unknown verdict',
    changedRow({ verdict: 'let inn' }),
    `${NO_REPORT}rows[0].verdict: unknown verdict "let inn". Did you mean "let in"?`,
  ],
  [
    'another weakness than a CWE',
    changedRow({ cwe: ['CVE-1'] }),
    `${NO_REPORT}rows[0].cwe[0]: must be a name like CWE-347, found the text "CVE-1"`,
  ],
  [
    'a day without a time',
    JSON.stringify({ ...MIXED, started_at: '2026-01-02' }),
    `${NO_REPORT}started_at: must be an instant like 2026-01-31T12:00:00Z, found the text "2026-01-02"`,
  ],
  [
    'a key of another version',
    JSON.stringify({ ...MIXED, version: '9.0.0', mood: 'good' }),
    /^is no report of agekey-sandbox audit: mood: unknown key; expected one of version, .*; it says that agekey-sandbox "9\.0\.0" wrote it, and this is \d+\.\d+\.\d+$/,
  ],
])('%s is refused with the first place that is wrong, what stands there and what is allowed', (_, text, problem) => {
  const told = typeof problem === 'string' ? problem : expect.stringMatching(problem)
  expect(readReport(text)).toEqual({ ok: false, problem: told })
})

/** The text of a report whose first row is changed. */
function changedRow(changes: object): string {
  return JSON.stringify({
    ...MIXED,
    rows: MIXED.rows.map((row, index) => (index === 0 ? { ...row, ...changes } : row)),
  })
}
