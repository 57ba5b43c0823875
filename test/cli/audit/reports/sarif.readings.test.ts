import { expect, test } from 'vitest'
import { renderSarif } from '../../../../src/cli/audit/reports/sarif.ts'
import { READINGS_FOUND, readingsAudit } from './sample-report.ts'

const OPTIONS = { version: '0.1.0' }

test('SARIF has a note for each thing that an app depends on, and nothing of what works', () => {
  const [run] = JSON.parse(renderSarif(readingsAudit(), OPTIONS)).runs
  expect(run.results.map(({ ruleId, level }: Record<string, unknown>) => `${level} ${ruleId}`)).toEqual([
    'note readings/par_status=200',
    'note readings/typ=absent with azp=present',
  ])
  expect(run.results[0].message.text).toContain('The app depends on par_status=201. A pushed request')
  expect(run.tool.driver.rules[run.results[1].ruleIndex].id).toBe(run.results[1].ruleId)
})

test('SARIF warns of what an app depends on when that counts', () => {
  const { readings } = readingsAudit({ counted: true })
  const [run] = JSON.parse(renderSarif({ ...readingsAudit(), readings: readings ?? READINGS_FOUND }, OPTIONS)).runs
  expect(run.results.map(({ level }: Record<string, unknown>) => level)).toEqual(['warning', 'warning'])
})
