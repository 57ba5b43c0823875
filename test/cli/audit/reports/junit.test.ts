import { describe, expect, test } from 'vitest'
import { renderAuditJUnit } from '../../../../src/cli/audit/reports/junit.ts'
import { auditedRow, auditReport, HOSTILE, MIXED, readingsAudit } from './sample-report.ts'

test('an audit in JUnit XML has a suite for each family and a case for each row', () => {
  const rows = [
    auditedRow('use/verified', { verdict: 'accepted', family: 'controls' }),
    auditedRow('use/id_token.expired', { verdict: 'let in', evidence: '200 at /callback, "welcome"' }),
    auditedRow('use/id_token.exp_missing'),
    auditedRow('use/id_token.exp_string', { verdict: 'undetermined', reason: 'masked' }),
  ]
  const { rule, summary } = rows[1] ?? {}
  expect(renderAuditJUnit(auditReport(rows))).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="agekey-sandbox" tests="4" failures="1" errors="0" skipped="1" time="0.000">
  <testsuite name="controls" tests="1" failures="0" errors="0" skipped="0" time="0.000">
    <testcase name="use/verified" classname="controls" time="0.000"/>
  </testsuite>
  <testsuite name="times" tests="3" failures="1" errors="0" skipped="1" time="0.000">
    <testcase name="use/id_token.expired" classname="times" time="0.000">
      <failure message="let in (must, severity 7.4): ${summary} 200 at /callback, &quot;welcome&quot;. Check: ${rule} See RFC 7519 section 4.1.4; CWE-613. Flows: f12.">let in (must, severity 7.4): ${summary} 200 at /callback, &quot;welcome&quot;.
Check: ${rule}
See RFC 7519 section 4.1.4; CWE-613.
Flows: f12.</failure>
    </testcase>
    <testcase name="use/id_token.exp_missing" classname="times" time="0.000"/>
    <testcase name="use/id_token.exp_string" classname="times" time="0.000">
      <skipped message="undetermined: masked: the app refuses the same answer without the fault"/>
    </testcase>
  </testsuite>
</testsuites>
`)
})

/** What JUnit says of one row with this verdict. */
function elementOf(changes: Parameters<typeof auditedRow>[1]): string {
  const xml = renderAuditJUnit(auditReport([auditedRow('use/id_token.jku', changes)]))
  return /<(?:failure|skipped)[^>]*>/.exec(xml)?.[0] ?? 'passed'
}

describe('in JUnit XML of an audit', () => {
  test.each(['let in', 'too strict', 'broke', 'stale'] as const)('a row that is %s fails', (verdict) => {
    expect(elementOf({ verdict })).toMatch(new RegExp(`^<failure message="${verdict} \\(`))
  })

  test.each(['let in', 'too strict', 'broke'] as const)(
    'a row that is %s and does not count is skipped, and says so',
    (verdict) => {
      expect(elementOf({ verdict, counted: false })).toMatch(
        new RegExp(`^<skipped message="${verdict} \\(\\w+, severity 7.4, does not count for the exit code\\)`),
      )
    },
  )

  test.each(['refused', 'accepted'] as const)('a row that is %s passes', (verdict) => {
    expect(elementOf({ verdict })).toBe('passed')
  })

  test.each([
    ['not for this app', 'your app does not ask for can_create'],
    ['known', 'mended in May'],
  ] as const)('a row that is %s is skipped with the reason', (verdict, reason) => {
    expect(elementOf({ verdict, reason })).toBe(`<skipped message="${verdict}: ${reason}"/>`)
  })

  test('a row that is only observed is skipped with what the app did', () => {
    expect(elementOf({ verdict: 'observed', evidence: '200 at /x' })).toBe('<skipped message="observed: 200 at /x"/>')
    expect(elementOf({ verdict: 'observed' })).toBe('<skipped message="observed"/>')
  })
})

test.each(HOSTILE)('no text of an app makes an element in JUnit XML: %j', (text) => {
  const texts = { summary: text, rule: text, harm: text, evidence: text, family: text, refs: [text], flows: [text] }
  const failed = auditedRow('use/id_token.jku', { ...texts, verdict: 'let in' })
  const skipped = auditedRow('use/id_token.x5u', { ...texts, verdict: 'undetermined', reason: text })
  const tags = [...renderAuditJUnit(auditReport([failed, skipped])).matchAll(/<\/?(\w+)/g)].map(([, name]) => name)
  const [start, end] = [
    ['testsuites', 'testsuite', 'testcase', 'failure', 'failure', 'testcase'],
    ['testcase', 'skipped', 'testcase', 'testsuite', 'testsuites'],
  ]
  expect(tags).toEqual([...start, ...end])
})

test('an audit without rows is an empty list of suites', () => {
  expect(renderAuditJUnit(auditReport([]))).toContain('tests="0"')
  expect(renderAuditJUnit(MIXED)).toContain('failures="4"')
})

const casesIn = (xml: string) =>
  [...xml.matchAll(/<testcase name="([^"]*)" classname="readings"[^>]*?(?:\/>|>\s*<(failure|skipped))/g)].map(
    ([, name, state = 'passed']) => `${name} ${state}`,
  )

test('in JUnit XML what an app depends on is skipped, because it does not count for the exit code', () => {
  expect(casesIn(renderAuditJUnit(readingsAudit()))).toEqual([
    'par_status=200 skipped',
    'typ=absent passed',
    'code_use=repeated skipped',
    'c_hash=absent skipped',
    'typ=absent with azp=present skipped',
  ])
})

test('in JUnit XML what an app depends on fails when it counts', () => {
  const xml = renderAuditJUnit(readingsAudit({ counted: true }))
  expect(casesIn(xml).filter((one) => one.endsWith('failure'))).toEqual([
    'par_status=200 failure',
    'typ=absent with azp=present failure',
  ])
  expect(xml).toContain(
    'depends on par_status=201: A pushed request is answered with 200. In create/created as newcomer',
  )
})
