import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { AuditReport } from '../../../../src/audit/report/audit-report.ts'
import { variantName } from '../../../../src/audit/report/points.ts'
import { MIXED } from '../../../audit/report/sample-report.ts'
import { shareSandbox } from '../../../support/sandbox.ts'
import {
  auditInProcess,
  NEEDS_SCOPES,
  reportIn,
  tenantsOf,
  useScratchFolder,
  writeStart,
} from './audit-in-process.ts'

const sandbox = await shareSandbox({ readings: { typ: 'absent' } })
useScratchFolder()

const namesWith = ({ readings }: AuditReport, verdict: string) =>
  readings?.variants.filter((one) => one.verdict === verdict).map(variantName) ?? []

test('audit --readings --fail-on-readings names in each report what the app depends on', async () => {
  writeStart(NEEDS_SCOPES)
  mkdirSync('.agekey-audit')
  writeFileSync(
    '.agekey-audit/last.json',
    JSON.stringify({ ...MIXED, app: 'http://localhost:{port}/verify' }),
  )
  const files = { json: 'r.json', junit: 'r.xml', sarif: 'r.sarif', markdown: 'r.md' }
  const flags = { readings: true, failOnReadings: true, jobs: '2' } as const
  const { code, stdout, stderr } = await auditInProcess(sandbox, { ...flags, ...files })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/readings \d+\/\d+, 1 .*\n$/),
  })
  expect(stdout).toContain('depends on discovery=full: it fails under discovery=minimal')
  expect(stdout).toMatch(
    /\nreadings: works under \d+ of \d+; depends on discovery=full; [\d.]+ seconds\n/,
  )
  expect(reportIn('r.json').exit_code).toBe(1)
  for (const file of ['r.xml', 'r.sarif', 'r.md'])
    expect(readFileSync(file, 'utf8')).toMatch(/discovery=(?:minimal|full)/)
  // The line of app in agekey-audit.yaml.
  expect(readFileSync('r.sarif', 'utf8')).toContain('"startLine": 2')
  const last = reportIn('.agekey-audit/last.json')
  expect(last.rows).toEqual(MIXED.rows)
  expect(namesWith(last, 'depends')).toEqual(['discovery=minimal'])
  const kept = ['key_set=one', 'key_set=three', 'key_members=minimal']
  // The usual reading is the one that the sandbox has set; the default of the table is another
  // variant.
  expect(namesWith(last, 'works')).toEqual(expect.arrayContaining([...kept, 'typ=JWT']))
  expect(namesWith(last, 'works')).not.toContain('typ=absent')
  expect(await tenantsOf(sandbox)).toEqual(['default'])
}, 300_000)
