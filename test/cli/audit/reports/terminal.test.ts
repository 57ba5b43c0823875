import { expect, test } from 'vitest'
import { renderTerminal } from '../../../../src/cli/audit/reports/terminal.ts'
import type { AuditReport } from '../../../../src/sandbox/outcomes/audit-report.ts'
import { auditedRow, auditReport, HOSTILE, hostileTexts, MIXED, readingsAudit } from './sample-report.ts'

const CONSOLE = 'http://localhost:2435/_sandbox/console'
const plain = (_style: string, text: string) => text
const linesOf = (report: AuditReport) => renderTerminal(report, { console: CONSOLE, colour: plain })

test('The terminal shows findings, what could not be judged, notes, totals and how one row is run again', () => {
  const said = { evidence: 'your app said hello', summary: 'A', rule: 'R.' }
  const expired = auditedRow('use/id_token.expired', { ...said, verdict: 'let in' })
  const report = auditReport(
    [
      expired,
      auditedRow('use/id_token.jku', { verdict: 'broke', counted: false, rule: 'S.', refs: [], cwe: [], flows: [] }),
      auditedRow('use/callback.state_missing', { verdict: 'undetermined', reason: 'masked' }),
      auditedRow('use/id_token.exp_missing'),
    ],
    { notes: ['your app answers 429 since row 38'] },
  )
  expect(linesOf(report)).toEqual([
    'let in use/id_token.expired (must, severity 7.4)',
    '  A. Your app said hello.',
    '  Check: R.',
    '  RFC 7519 section 4.1.4; CWE-613',
    `  ${CONSOLE}/flows/f12`,
    '',
    'broke use/id_token.jku (should, severity 7.4, does not count for the exit code)',
    expect.stringMatching(/^ {2}Signed by a foreign key.*\.$/),
    '  Check: S.',
    '',
    'undetermined 1 masked, the app refuses the same answer without the fault',
    '  use/callback.state_missing',
    '',
    'note your app answers 429 since row 38',
    '',
    'failed: 1 let in, 1 broke, 1 undetermined, 1 refused; 12.3 seconds',
    'One row again: npx agekey-sandbox audit http://localhost:3000/verify --only use/id_token.expired',
  ])
})

test('The terminal names flows by their ids when there is no console', () => {
  const row = auditedRow('use/id_token.expired', { verdict: 'let in', flows: ['f12', 'f13'] })
  expect(renderTerminal(auditReport([row]), { colour: plain })).toContain('  flow f12 flow f13')
})

test('Of rows that are undetermined for one reason the terminal names five and counts the others', () => {
  const rows = ['missing', 'empty', 'changed', 'of_other_session', 'twice', 'of_earlier_flow'].map((name) =>
    auditedRow(`use/callback.state_${name}`, { verdict: 'undetermined', reason: 'control_lost' }),
  )
  const flaky = auditedRow('use/id_token.expired', { verdict: 'undetermined', reason: 'flaky' })
  const lines = linesOf(auditReport([flaky, ...rows], { exit_code: 3 }))
  expect(lines[0]).toMatch(/^undetermined 6 control_lost, /)
  expect(lines[1]).toMatch(/^ {2}use\/callback\.state_missing, .*, use\/callback\.state_twice and 1 more$/)
  expect(lines[2]).toMatch(/^undetermined 1 flaky, /)
  expect(lines[3]).toBe('  use/id_token.expired')
})

test('An app that lets everything in fills no screen for each row: from the 26th on a finding has one line', () => {
  const row = auditedRow('use/id_token.expired', { verdict: 'let in' })
  const rows = Array.from({ length: 30 }, (_, index) => ({ ...row, row: `use/id_token.expired_${100 + index}` }))
  const lines = linesOf(auditReport(rows))
  expect(lines.filter((line) => line.startsWith('let in '))).toHaveLength(30)
  expect(lines.filter((line) => line.startsWith('  Check: '))).toHaveLength(25)
})

const refused = auditedRow('use/id_token.expired')

test.each<[string, AuditReport, string?]>([
  ['of which all is well', auditReport([refused]), '<green>passed</green>: 1 refused; 12.3 seconds'],
  ['without rows', auditReport([]), '<red>nothing was judged</red>: no rows; 12.3 seconds'],
  ['without a judged row', auditReport([auditedRow('create/created', { verdict: 'not for this app' })])],
  ['that shows nothing', auditReport([refused], { exit_code: 2 })],
  ['with undetermined rows', auditReport([refused], { exit_code: 3 })],
  ['with a finding', MIXED],
])('The last line of an audit on the terminal is green only when all is well: an audit %s', (_what, report, line) => {
  const colour = (style: string, text: string) => `<${style}>${text}</${style}>`
  const text = renderTerminal(report, { colour }).join('\n')
  if (line) expect(text).toBe(line)
  expect(text.includes('<green>')).toBe(line?.includes('passed') === true)
})

test('The command that runs a row again can be pasted into a shell', () => {
  const row = auditedRow('use/id_token.expired', { verdict: 'let in' })
  const lines = linesOf(auditReport([row], { app: "http://localhost:3000/a?b=1&c='$(id)" }))
  expect(lines.at(-1)).toContain(`audit 'http://localhost:3000/a?b=1&c='\\''$(id)' --only use/id_token.expired`)
})

test.each(HOSTILE)('No text of an app steers the terminal or makes a line: %j', (text) => {
  const texts = { ...hostileTexts(text), row: text }
  const row = auditedRow('use/id_token.jku', { ...texts, verdict: 'let in' })
  const undetermined = auditedRow('use/id_token.x5u', { ...texts, verdict: 'undetermined', reason: text })
  const lines = linesOf(auditReport([row, undetermined], { app: text, notes: [text] }))
  expect(lines).toHaveLength(13)
  expect(lines.filter((line) => /[\p{Cc}\p{Bidi_Control}\u200b]/u.test(line))).toEqual([])
})

test('The terminal says what an app depends on, by what it fails, which section is silent and what was not shown', () => {
  expect(linesOf(readingsAudit())).toEqual([
    'depends on par_status=201: it fails under par_status=200',
    '  A pushed request is answered with 200. In create/created as newcomer your app showed 400 at /callback.',
    '  The specification leaves it open: E2. Create PAR: Success response. (no status).',
    `  ${CONSOLE}/flows/f3`,
    '',
    'fails under typ=absent with azp=present',
    '  The app works under each of them alone. Your app showed 500 at /callback.',
    `  ${CONSOLE}/flows/f9`,
    '',
    'undetermined 1 used once',
    '  code_use=repeated',
    '',
    'not for this app 1 no upgrade',
    '  c_hash=absent',
    '',
    'undetermined 2 timed_out (combinations of variants that work alone)',
    '',
    'readings: works under 1 of 2; depends on par_status=201; fails under typ=absent with azp=present; 3 undetermined; 4.2 seconds',
  ])
})

test('The terminal shows readings of an earlier run behind the rows of an audit', () => {
  const text = linesOf({ ...readingsAudit(), ...MIXED }).join('\n')
  expect(text).toMatch(/^failed:[\s\S]*^readings: works under 1 of 2/m)
})
