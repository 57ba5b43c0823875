import { expect, test } from 'vitest'
import { renderAuditJUnit } from '../../../../src/cli/audit/reports/junit.ts'
import { readingsAudit } from './sample-report.ts'

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
