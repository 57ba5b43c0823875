import { expect, test } from 'vitest'
import { readReport } from '../../../src/audit/report/audit-report.ts'
import { MIXED } from './sample-report.ts'

test('A report of an audit is read as it was written', () => {
  expect(readReport(JSON.stringify(MIXED))).toEqual({ ok: true, report: MIXED })
})

const NO_REPORT = 'is no report of agekey-sandbox audit: '

const VERDICT = `${NO_REPORT}rows[0].verdict: unknown verdict "let inn". Did you mean "let in"?`
const WEAKNESS = `${NO_REPORT}rows[0].cwe[0]: must be a name like CWE-347, found the text "CVE-1"`
const DAY = `${NO_REPORT}started_at: must be an instant like 2026-01-31T12:00:00Z, found the text "2026-01-02"`
const LATER =
  /^is no report of agekey-sandbox audit: mood: unknown key; expected one of version, .*; agekey-sandbox "9\.0\.0" wrote it, and this is \d+\.\d+\.\d+$/

/** The text of a report with changes, also of its first row. */
function changed(changes: object, ofRow: object = {}): string {
  const [first, ...others] = MIXED.rows
  return JSON.stringify({ ...MIXED, rows: [{ ...first, ...ofRow }, ...others], ...changes })
}

test.each([
  ['an empty text', '', 'is not JSON: Unexpected end of JSON input (it is empty)'],
  ['a page', '<html>', `is not JSON: Unexpected token '<', "<html>" is not valid JSON`],
  ['a list', '[]', `${NO_REPORT}the value: expected a mapping, found a list of 0`],
  ['an unknown verdict', changed({}, { verdict: 'let inn' }), VERDICT],
  ['another weakness than a CWE', changed({}, { cwe: ['CVE-1'] }), WEAKNESS],
  ['a day without a time', changed({ started_at: '2026-01-02' }), DAY],
  ['a key of another version', changed({ version: '9.0.0', mood: 'good' }), LATER],
])('%s is refused with the first place that is wrong', (_, text, problem) => {
  const told = typeof problem === 'string' ? problem : expect.stringMatching(problem)
  expect(readReport(text)).toEqual({ ok: false, problem: told })
})
