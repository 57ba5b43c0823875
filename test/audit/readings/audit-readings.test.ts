import { expect, onTestFinished, test } from 'vitest'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { appAt } from '../../../src/audit/drive/driver.ts'
import { auditReadings } from '../../../src/audit/readings/audit-readings.ts'
import { describeReadings } from '../../../src/audit/report/conclusion.ts'
import { variantName } from '../../../src/audit/report/points.ts'
import { startExpressExample } from '../../support/express-example.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { DEPENDS_ON_READINGS } from '../apps/dependent-apps.ts'

test('An audit of readings finds the readings that an app depends on', async () => {
  const sandbox = await startSandbox()
  const before = await sandbox.readings()
  const app = await startExpressExample(sandbox, DEPENDS_ON_READINGS)
  onTestFinished(() => app.stop())
  const audited = appAt(sandbox, { page: `${app.url}/verify`, agent: createHttpAgent() })
  const ended = new AbortController()
  let variants: number | undefined
  const { readings } = await auditReadings(
    { copies: [audited], visitsEach: 1 },
    {
      signal: ended.signal,
      onProgress(news) {
        if (news.stage !== 'reading') return
        variants ??= news.total
        // The first combination, which contains the pair, is tried after the variants.
        if (news.done > variants) ended.abort()
      },
    },
  )
  expect(await sandbox.readings()).toEqual(before)
  if (!readings) return expect.fail('an audit of readings says nothing of them')
  const namesWith = (verdict: string) =>
    readings.variants.filter((one) => one.verdict === verdict).map((one) => variantName(one))
  const depends = [
    'code_form=base64',
    'code_form=jwt',
    'error_description=absent',
    'upgrade_body=newline',
  ]
  expect(namesWith('depends').toSorted()).toEqual(depends)
  expect(describeReadings(readings)).toMatch(
    /^works under \d+ of \d+; depends on upgrade_body=json, error_description=present, code_form=short/,
  )
  const some = [
    'access_token_form=base64',
    'upgrade_error_body=text',
    'expired_request_uri=page',
    'refused_request=page',
  ]
  expect(namesWith('works')).toEqual(expect.arrayContaining(some))
  const reasonOf = (name: string) =>
    readings.variants.find(({ reading }) => reading === name)?.reason
  expect(reasonOf('code_use')).toBe('your app uses its code once, so that it meets no difference')
  expect(reasonOf('discovery')).toContain('let the audit start yours')
  const { failed, undetermined } = readings.combinations
  expect(failed.map((one) => one.variants.toSorted())).toEqual([['azp=present', 'typ=absent']])
  const reason = 'timed_out: it was not tried: the audit ended before; raise --budget'
  expect(undetermined).toEqual([{ reason, count: expect.any(Number) }])
}, 300_000)

test('An audit of readings that fails in the middle puts the readings back', async () => {
  const sandbox = await startSandbox({ readings: { refused_token_status: '403' } })
  const before = await sandbox.readings()
  const app = await startExpressExample(sandbox)
  onTestFinished(() => app.stop())
  const audited = appAt(sandbox, { page: `${app.url}/verify`, agent: createHttpAgent() })
  const learned: unknown[] = []
  const onProgress = ({ stage }: { stage: string }) => {
    if (stage === 'reading') expect.fail('stopped')
    learned.push(sandbox.readings())
  }
  await expect(auditReadings({ copies: [audited], visitsEach: 1 }, { onProgress })).rejects.toThrow(
    'stopped',
  )
  expect(await Promise.all(learned)).toEqual([before])
  expect(await sandbox.readings()).toEqual(before)
}, 300_000)
