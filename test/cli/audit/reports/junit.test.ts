import { expect, test } from 'vitest'
import { renderAuditJUnit } from '../../../../src/cli/audit/reports/junit.ts'
import { auditedRow, auditReport, MIXED, readingsAudit } from './sample-report.ts'

test('An audit in JUnit XML has a suite for each family and a case for each row', () => {
  const rows = [
    auditedRow('use/verified', { verdict: 'accepted', family: 'controls' }),
    auditedRow('use/id_token.expired', { verdict: 'let in', evidence: '200 at /callback, "welcome"' }),
    auditedRow('use/id_token.exp_missing'),
    auditedRow('use/id_token.exp_string', { verdict: 'undetermined', reason: 'masked' }),
  ]
  const { rule, summary } = rows[1] ?? {}
  const what = `let in (must, severity 7.4): ${summary} 200 at /callback, &quot;welcome&quot;.`
  const lines = [what, `Check: ${rule}`, 'See RFC 7519 section 4.1.4; CWE-613.', 'Flows: f12.']
  const xml = renderAuditJUnit(auditReport(rows))
  expect(xml).toContain(`<failure message="${lines.join(' ')}">${lines.join('\n')}</failure>`)
  expect(xml).toContain('message="undetermined: masked: the app refuses the same answer without the fault"/>')
  const suites = xml
    .split('<testsuite ')
    .map((suite) => [...suite.matchAll(/(?<!class)name="([^"]*)"/g)].map(([, name]) => name))
  const times = ['times', 'use/id_token.expired', 'use/id_token.exp_missing', 'use/id_token.exp_string']
  expect(suites).toEqual([['agekey-sandbox'], ['controls', 'use/verified'], times])
  expect(renderAuditJUnit(auditReport([]))).toContain('tests="0"')
  expect(renderAuditJUnit(MIXED)).toContain('failures="4"')
})

const NOT_COUNTED = 'severity 7.4, does not count for the exit code): '

test.each<[Parameters<typeof auditedRow>[1], string]>([
  [{ verdict: 'let in' }, '<failure message="let in (must, severity 7.4): '],
  [{ verdict: 'too strict' }, '<failure message="too strict ('],
  [{ verdict: 'broke' }, '<failure message="broke ('],
  [{ verdict: 'stale' }, '<failure message="stale ('],
  [{ verdict: 'let in', counted: false }, `<skipped message="let in (must, ${NOT_COUNTED}`],
  [{ verdict: 'too strict', counted: false }, `<skipped message="too strict (must, ${NOT_COUNTED}`],
  [{ verdict: 'broke', counted: false }, `<skipped message="broke (should, ${NOT_COUNTED}`],
  [{ verdict: 'refused' }, 'passed'],
  [{ verdict: 'accepted' }, 'passed'],
  [{ verdict: 'not for this app', reason: 'no upgrade' }, '<skipped message="not for this app: no upgrade"/>'],
  [{ verdict: 'known', reason: 'mended in May' }, '<skipped message="known: mended in May"/>'],
  [{ verdict: 'observed', evidence: '200 at /x' }, '<skipped message="observed: 200 at /x"/>'],
  [{ verdict: 'observed' }, '<skipped message="observed"/>'],
])('JUnit XML says of an audited row with %j: %s', (changes, start) => {
  const xml = renderAuditJUnit(auditReport([auditedRow('use/id_token.jku', changes)]))
  const element = /<(?:failure|skipped)[^>]*>/.exec(xml)?.[0] ?? 'passed'
  expect(element.slice(0, start.length)).toBe(start)
})

test.each([false, true])('In JUnit XML what an app depends on fails only where it counts: %j', (counted) => {
  const xml = renderAuditJUnit(readingsAudit({ counted }))
  const cases = xml.matchAll(/<testcase name="([^"]*)" classname="readings"[^>]*?(?:\/>|>\s*<(failure|skipped))/g)
  const found = counted ? 'failure' : 'skipped'
  expect([...cases].map(([, name, state = 'passed']) => `${name} ${state}`)).toEqual([
    `par_status=200 ${found}`,
    'typ=absent passed',
    'code_use=repeated skipped',
    'c_hash=absent skipped',
    `typ=absent with azp=present ${found}`,
  ])
  const reason = 'depends on par_status=201: A pushed request is answered with 200. In create/created as newcomer'
  expect(xml).toContain(reason)
})
