import { expect, test } from 'vitest'
import { renderAuditJUnit } from '../../../src/audit/report/write-reports.ts'
import { auditedRow, auditReport, MIXED } from './sample-report.ts'

test('An audit in JUnit XML has a suite for each flow and a case for each check, which tells its rows', () => {
  const evidence = '200 at /callback, "welcome"'
  const rows = [
    auditedRow('use/verified', { verdict: 'accepted', family: 'ending' }),
    auditedRow('use/id_token.expired_issued_now', { verdict: 'let in', evidence }),
    auditedRow('use/id_token.exp_missing', { verdict: 'let in', severity: 3, evidence }),
    auditedRow('use/id_token.exp_string'),
    auditedRow('use/callback.state_missing', { verdict: 'undetermined', reason: 'masked' }),
    auditedRow('par/par.status_500_right_body'),
  ]
  const xml = renderAuditJUnit(auditReport(rows))
  const [, message, text] = /<failure message="([^"]*)">([^<]*)<\/failure>/.exec(xml) ?? []
  expect(message).toMatch(
    /^missing expiry \(2 rows, must, severity 7\.4\) What happened: use\/id_token\.expired_issued_now: /,
  )
  expect(text?.split('\n').slice(-2)).toEqual([
    'Flow: f12',
    'use/id_token.exp_missing: let in. 200 at /callback, &quot;welcome&quot;.',
  ])
  expect(xml).toContain('message="undetermined: masked: the app refuses the same answer without the fault"/>')
  const suites = xml
    .split('<testsuite ')
    .map((suite) => [...suite.matchAll(/(?<!class)name="([^"]*)"/g)].map(([, name]) => name))
  expect(suites).toEqual([['agekey-sandbox'], ['use', 'exp', 'state', 'ending'], ['par', 'par/status']])
  expect(renderAuditJUnit(auditReport([]))).toContain('tests="0"')
  expect(renderAuditJUnit(MIXED)).toContain('failures="4"')
})

const NOT_COUNTED = 'severity 7.4, does not count for the exit code) '
const LET_IN = '(1 row, must, '

test.each<[Parameters<typeof auditedRow>[1], string]>([
  [{ verdict: 'let in' }, `<failure message="missing issuer ${LET_IN}severity 7.4) `],
  [{ verdict: 'broke' }, '<failure message="broke issuer ('],
  [{ verdict: 'stale' }, '<failure message="stale issuer ('],
  [{ verdict: 'let in', counted: false }, `<skipped message="missing issuer ${LET_IN}${NOT_COUNTED}`],
  [{ verdict: 'ignored', counted: false }, `<skipped message="ignored issuer (1 row, should, ${NOT_COUNTED}`],
  [{ verdict: 'refused' }, 'passed'],
  [{ verdict: 'known', reason: 'mended in May' }, '<skipped message="known: mended in May"/>'],
])('JUnit XML says of a check whose row has %j: %s', (changes, start) => {
  const xml = renderAuditJUnit(auditReport([auditedRow('use/id_token.iss_missing', changes)]))
  const element = /<(?:failure|skipped)[^>]*>/.exec(xml)?.[0] ?? 'passed'
  expect(element.slice(0, start.length)).toBe(start)
})

test('The suite of a check in JUnit XML is the same whichever of its rows were let in', () => {
  const names = ['par/par.redirect', 'token/token.redirect', 'upgrade/upgrade.redirect']
  const suites = names.map((letIn) => {
    const rows = names.map((name) => auditedRow(name, { verdict: name === letIn ? 'let in' : 'refused' }))
    return /classname="(\w+)"/.exec(renderAuditJUnit(auditReport(rows)))?.[1]
  })
  expect(suites).toEqual(['par', 'par', 'par'])
})
