import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { AuditReport } from '../../../src/sandbox/outcomes/audit-report.ts'
import { variantName } from '../../../src/sandbox/outcomes/report/readings-text.ts'
import { DEPENDS_ON_THREE } from '../../audit/apps/dependent-apps.ts'
import { startExpressExample } from '../../support/express-example.ts'
import { shareSandbox } from '../../support/sandbox.ts'
import { USE_ALONE } from '../../support/visits.ts'
import { buildCli } from '../built-cli.ts'
import { auditInProcess, reportIn, startSmallApp, tenantsOf, useScratchFolder, writeStart } from './audit-in-process.ts'
import { MIXED } from './reports/sample-report.ts'
import { NEEDS_SCOPES } from './started-apps.ts'

const { launch } = await buildCli()
const sandbox = await shareSandbox()
useScratchFolder()

const namesWith = ({ readings }: AuditReport, verdict: string) =>
  readings?.variants.filter((one) => one.verdict === verdict).map(variantName) ?? []

test('audit --readings --fail-on-readings names what an app depends on in each report, keeps the last rows, and puts the readings back', async () => {
  await sandbox.configure({ readings: { typ: 'absent' } })
  const app = await startExpressExample(sandbox, [...USE_ALONE, ...DEPENDS_ON_THREE])
  onTestFinished(() => app.stop())
  const page = `${app.url}/verify`
  mkdirSync('.agekey-audit')
  writeFileSync('.agekey-audit/last.json', JSON.stringify({ ...MIXED, app: page }))
  const files = { json: 'r.json', junit: 'r.xml', sarif: 'r.sarif', markdown: 'r.md' }
  const flags = { page, readings: true, failOnReadings: true } as const
  const { code, stdout, stderr } = await auditInProcess(sandbox, { ...flags, ...files })
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/readings \d+\/\d+, 1 .*\n$/) })
  expect(stdout).toContain('depends on error_description=present: it fails under error_description=absent')
  expect(stdout).toMatch(/\nreadings: works under \d+ of \d+; depends on .*; \d+ undetermined; [\d.]+ seconds\n/)
  expect(stdout).toContain(`What was found, with the flows: ${sandbox.baseUrl}/_sandbox/console/audit`)
  expect(reportIn('r.json').exit_code).toBe(1)
  for (const file of ['r.xml', 'r.sarif', 'r.md'])
    expect(readFileSync(file, 'utf8')).toMatch(/error\\?_description=absent|error_description=present/)
  const last = reportIn('.agekey-audit/last.json')
  expect(last.rows).toEqual(MIXED.rows)
  // What the tenant has set is the usual reading, and the default of the table is another variant.
  expect(namesWith(last, 'works')).toContain('typ=JWT')
  expect(namesWith(last, 'works')).not.toContain('typ=absent')
  expect(await sandbox.readings()).toEqual({ readings: { typ: 'absent' } })
}, 300_000)

test('audit --readings puts the readings back when it is interrupted', async () => {
  const set = { readings: { typ: 'absent' }, grease: 'seed' } as const
  await sandbox.configure(set)
  const page = await startSmallApp(sandbox.baseUrl)
  const { child, ended } = launch(['audit', '--url', sandbox.url, '--readings', page], { cwd: process.cwd() })
  await expect.poll(() => sandbox.readings(), { interval: 5, timeout: 20_000 }).not.toEqual(set)
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  expect(await sandbox.readings()).toEqual(set)
}, 180_000)

test('audit --readings restarts the app for each reading of discovery and keys, and removes its tenants afterwards', async () => {
  writeStart(NEEDS_SCOPES)
  const { code, stdout } = await auditInProcess(sandbox, { readings: true, jobs: '2', json: 'r.json' })
  const line = expect.stringMatching(/readings: works .* depends on discovery=full/)
  expect({ code, stdout }).toEqual({ code: 0, stdout: line })
  const report = reportIn('r.json')
  expect(namesWith(report, 'depends')).toEqual(['discovery=minimal'])
  const kept = ['key_set=one', 'key_set=three', 'key_members=minimal']
  expect(namesWith(report, 'works')).toEqual(expect.arrayContaining(kept))
  expect(await tenantsOf(sandbox)).toEqual(['default'])
}, 300_000)
