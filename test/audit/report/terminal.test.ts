import { expect, test } from 'vitest'
import type { AuditReport } from '../../../src/audit/report/audit-report.ts'
import { checksOf } from '../../../src/audit/report/checks-of.ts'
import { renderAuditTerminal } from '../../../src/audit/report/terminal.ts'
import { OUTCOMES, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import { auditedRow, auditReport } from './sample-report.ts'

const CONSOLE = 'http://localhost:2435/_sandbox/console'
const plain = (_style: string, text: string) => text
const linesOf = (report: AuditReport) =>
  renderAuditTerminal(report, { console: CONSOLE, colour: plain })

test('The terminal shows missing checks before all other results', () => {
  const said = { evidence: 'your app said hello', summary: 'A', flows: ['f12', 'f13'] }
  const rows = [
    auditedRow('use/id_token.expired_issued_now', { ...said, verdict: 'let in' }),
    auditedRow('use/id_token.exp_missing', { ...said, verdict: 'let in' }),
    auditedRow('use/id_token.iss_missing', {
      ...said,
      verdict: 'broke',
      counted: false,
      refs: [],
      cwe: [],
      flows: [],
    }),
    auditedRow('use/callback.state_missing', { verdict: 'undetermined', reason: 'masked' }),
    auditedRow('use/id_token.nonce_other'),
  ]
  const checks = checksOf(rows, 'jose')
  expect(
    linesOf(auditReport(rows, { checks, notes: ['your app answers 429 since row 38'] })),
  ).toEqual([
    'not verified: expiry (2 rows); 1 check missing, 1 broke, 1 undetermined, 1 holds',
    '',
    'missing expiry (2 rows, must, severity 7.4)',
    '  What happened: use/id_token.expired_issued_now: A. Your app said hello.',
    '  Harm: A token that was copied long ago from a log, a history or a backup still opens the door.',
    '  Check: exp is in the future, give or take a little for the skew of clocks.',
    '  Write with jose:',
    '    const keys = createRemoteJWKSet(new URL(JWKS_URI)) // once, when the app starts',
    expect.stringMatching(
      /^ {4}const \{ payload: claims \} = await jwtVerify\(.* audience: CLIENT_ID,$/,
    ),
    expect.stringMatching(/^ {6}algorithms: .*requiredClaims: .*\)$/),
    '  See: RFC 7519 section 4.1.4; CWE-613',
    `  Flow: ${CONSOLE}/flows/f12`,
    '',
    'broke issuer (1 row, should, severity 7.4, does not count for the exit code)',
    '  What happened: use/id_token.iss_missing: A. Your app said hello.',
    '',
    'undetermined 1 masked: the app refuses the same answer without the fault',
    '  use/callback.state_missing',
    '',
    'holds: nonce (1 row)',
    '',
    'note your app answers 429 since row 38',
    '',
    'failed: 2 let in, 1 broke, 1 undetermined, 1 refused; 12.3 seconds',
    'One row again: npx agekey-sandbox audit http://localhost:3000/verify --only use/id_token.expired_issued_now',
  ])
})

test('The terminal lists the checks that hold in lines of at most 120 columns', () => {
  const { checks } = auditReport(OUTCOMES.map((row) => auditedRow(rowId(row))))
  const lines = linesOf(auditReport([], { checks })).filter((line) => /^holds: |^ {2}\S/.test(line))
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120)
  expect(lines.join(' ').match(/\(/g)).toHaveLength(checks.length)
  expect(lines.length).toBeLessThan(checks.length / 4)
})

test('The terminal names a flow by its id when there is no console', () => {
  const rows = ['use/id_token.iss_missing', 'use/id_token.exp_missing'].map((row) =>
    auditedRow(row, { verdict: 'let in' }),
  )
  const report = auditReport(rows, { checks: checksOf(rows, 'jose') })
  const lines = renderAuditTerminal(report, { colour: plain })
  expect(lines).toContain('  Flow: f12')
})

test('The terminal shows lines that mend two checks once', () => {
  const rows = ['use/id_token.iss_missing', 'use/id_token.exp_missing'].map((row) =>
    auditedRow(row, { verdict: 'let in' }),
  )
  const report = auditReport(rows, { checks: checksOf(rows, 'jose') })
  const lines = renderAuditTerminal(report, { colour: plain })
  expect(lines.filter((line) => line.includes('jwtVerify'))).toHaveLength(1)
  expect(lines).toContain('  Write with jose: the lines above')
})

test('The terminal names five rows that are undetermined for one reason', () => {
  const rows = ['missing', 'empty', 'changed', 'of_other_session', 'twice', 'of_earlier_flow'].map(
    (name) =>
      auditedRow(`use/callback.state_${name}`, { verdict: 'undetermined', reason: 'control_lost' }),
  )
  const names = linesOf(auditReport(rows, { exit_code: 3 })).find((line) =>
    line.startsWith('  use/'),
  )
  expect(names).toMatch(
    /^ {2}use\/callback\.state_missing, .*, use\/callback\.state_twice and 1 more$/,
  )
})

test('The last line of an audit on the terminal is green only when all is well', () => {
  const colour = (style: string, text: string) => `<${style}>${text}</${style}>`
  const lastOf = (report: AuditReport) => renderAuditTerminal(report, { colour }).at(-1)
  const refused = auditReport([auditedRow('use/id_token.expired')])
  expect(lastOf(refused)).toBe('<green>passed</green>: 1 refused; 12.3 seconds')
  expect(lastOf({ ...refused, exit_code: 1 })).toBe('<red>failed</red>: 1 refused; 12.3 seconds')
  expect(lastOf({ ...refused, exit_code: 3 })).toBe(
    '<yellow>undetermined</yellow>: 1 refused; 12.3 seconds',
  )
  expect(lastOf(auditReport([]))).toBe('<red>nothing was judged</red>: no rows; 12.3 seconds')
})

test('The command that runs a row again can be pasted into a shell', () => {
  const row = auditedRow('use/id_token.expired', { verdict: 'let in' })
  const lines = linesOf(auditReport([row], { app: "http://localhost:3000/a?b=1&c='$(id)" }))
  expect(lines.at(-1)).toContain(
    `audit 'http://localhost:3000/a?b=1&c='\\''$(id)' --only use/id_token.expired`,
  )
})
