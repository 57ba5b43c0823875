import { expect, onTestFinished, test } from 'vitest'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { appAt } from '../../../src/audit/drive/audited-app.ts'
import { auditReadings } from '../../../src/audit/readings/audit-readings.ts'
import type { ReadingsReport } from '../../../src/sandbox/outcomes/report/readings-report.ts'
import { describeReadings, variantName } from '../../../src/sandbox/outcomes/report/readings-text.ts'
import { type Changes, startExpressExample } from '../../support/express-example.ts'
import { shareSandbox } from '../../support/sandbox.ts'
import { USE_ALONE } from '../../support/visits.ts'
import { DEPENDS_ON_THREE, FAILS_UNDER_A_PAIR } from '../apps/dependent-apps.ts'

const sandbox = await shareSandbox()

async function audit(changes: Changes): Promise<ReadingsReport> {
  const app = await startExpressExample(sandbox, changes)
  onTestFinished(() => app.stop())
  const audited = appAt(sandbox, { page: `${app.url}/verify`, agent: createHttpAgent() })
  const { readings } = await auditReadings({ copies: [audited], visitsEach: 1 })
  return readings ?? expect.fail('an audit of readings says nothing of them')
}

const namesWith = ({ variants }: ReadingsReport, verdict: ReadingsReport['variants'][number]['verdict']) =>
  variants.filter((one) => one.verdict === verdict).map(variantName)

const reasonOf = ({ variants }: ReadingsReport, reading: string) =>
  variants.find((one) => one.reading === reading)?.reason

test('An audit of readings finds exactly the three readings that an app depends on, and says why others are left open', async () => {
  const report = await audit(DEPENDS_ON_THREE)
  const depends = ['error_description=absent', 'par_status=200', 'upgrade_body=newline', 'upgrade_body=text']
  expect(namesWith(report, 'depends').toSorted()).toEqual(depends)
  expect(describeReadings(report)).toMatch(
    /^works under \d+ of \d+; depends on par_status=201, upgrade_body=json, error_description=present/,
  )
  const some = ['c_hash=absent', 'error_body=text', 'expired_request_uri=page']
  expect(namesWith(report, 'works')).toEqual(expect.arrayContaining(some))
  expect(reasonOf(report, 'code_use')).toBe('your app used its code once, so that it met no difference')
  expect(reasonOf(report, 'discovery')).toContain('let the audit start yours')
  expect(report.combinations).toMatchObject({ undetermined: [], failed: [] })
  expect(report.combinations.tried).toBeGreaterThan(3)
}, 300_000)

test('An audit of readings finds the pair of readings that breaks an app which takes each of them alone', async () => {
  const report = await audit([...USE_ALONE, ...FAILS_UNDER_A_PAIR])
  expect(namesWith(report, 'depends')).toEqual([])
  expect(report.combinations.failed.map(({ variants }) => variants.toSorted())).toEqual([['azp=present', 'typ=absent']])
  expect(reasonOf(report, 'par_status')).toMatch(/^your app sends no can_create=true/)
}, 300_000)
