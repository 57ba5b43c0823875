import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { renderAuditJUnit } from '../../../../src/cli/audit/reports/junit.ts'
import { renderMarkdown } from '../../../../src/cli/audit/reports/markdown.ts'
import { writeReports } from '../../../../src/cli/audit/reports/write-reports.ts'
import { ConfigError } from '../../../../src/files/config-error.ts'
import { packageVersion } from '../../../../src/package-root.ts'
import { auditReportSchema } from '../../../../src/sandbox/outcomes/audit-report.ts'
import { auditedRow, auditReport, HOSTILE, MIXED } from './sample-report.ts'

const CONSOLE = 'http://localhost:2435/_sandbox/console'

function scratch(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-reports-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return (name) => join(folder, name)
}

const read = (file: string) => readFileSync(file, 'utf8')

test('each report of an audit is written to its file', () => {
  const at = scratch()
  const files = { json: at('a.json'), junit: at('a.xml'), sarif: at('a.sarif'), markdown: at('a.md') }
  writeReports(MIXED, files, { console: CONSOLE, source: () => ({ file: 'src/verify.ts', line: 12 }) })
  expect(JSON.parse(read(files.json))).toEqual(JSON.parse(JSON.stringify(MIXED)))
  expect(read(files.junit)).toBe(renderAuditJUnit(MIXED))
  expect(read(files.markdown)).toBe(renderMarkdown(MIXED, { console: CONSOLE }))
  expect(read(files.sarif)).toContain('"uri": "src/verify.ts"')
  expect(read(files.sarif)).toContain(`"semanticVersion": "${packageVersion()}"`)
})

test('reports of an audit without a target are not written', () => {
  const at = scratch()
  writeReports(MIXED, { json: at('a.json'), junit: undefined })
  expect(readdirSync(at('.'))).toEqual(['a.json'])
})

test.each([
  ['of rows with each verdict', MIXED],
  ['without rows', auditReport([])],
  [
    'with hostile texts',
    auditReport(
      HOSTILE.map((text) =>
        auditedRow('use/id_token.jku', { summary: text, evidence: text, reason: text, flows: [text] }),
      ),
      { notes: HOSTILE, app: HOSTILE.join(' '), exit_code: 2 },
    ),
  ],
])('the JSON of a report %s is as its published schema says', (_what, report) => {
  const file = scratch()('a.json')
  writeReports(report, { json: file })
  expect(auditReportSchema.parse(JSON.parse(read(file)))).toEqual(JSON.parse(JSON.stringify(report)))
})

test('the report - is printed on standard output', () => {
  const written: string[] = []
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0)
  onTestFinished(() => spy.mockRestore())
  writeReports(MIXED, { junit: '-' })
  expect(written.join('')).toBe(renderAuditJUnit(MIXED))
})

describe('the summary of a step', () => {
  test('is appended to what the step wrote before', () => {
    const summaryFile = scratch()('summary.md')
    writeFileSync(summaryFile, 'before\n')
    writeReports(MIXED, { summaryFile }, { console: CONSOLE })
    expect(read(summaryFile)).toBe(`before\n\n${renderMarkdown(MIXED, { console: CONSOLE })}`)
  })

  test('begins with the audit when the step wrote nothing before', () => {
    const summaryFile = scratch()('summary.md')
    writeReports(MIXED, { summaryFile })
    expect(read(summaryFile)).toBe(renderMarkdown(MIXED))
  })

  test('stays below 1 MiB with what the step wrote before', () => {
    const summaryFile = scratch()('summary.md')
    appendFileSync(summaryFile, `${'x'.repeat(1024 * 1024 - 2001)}\n`)
    writeReports(MIXED, { summaryFile })
    expect(read(summaryFile)).toMatch(/\n## Audit of a relying party: failed\n[\s\S]*\nThe report ends here: .*\n$/)
    expect(Buffer.byteLength(read(summaryFile))).toBeLessThanOrEqual(1024 * 1024)
  })
})

test('a file that cannot be written is named in one line with its flag, and the other reports are written', () => {
  const at = scratch()
  const missing = at('missing/a')
  const targets = { json: missing, junit: at('a.xml'), sarif: missing, markdown: at('a.md'), summaryFile: missing }
  const problem = (name: string) =>
    `${name}: ${missing} cannot be written: ENOENT: no such file or directory, open '${missing}'`
  const lines = [problem('--json'), problem('--sarif'), problem('GITHUB_STEP_SUMMARY')]
  expect(() => writeReports(MIXED, targets)).toThrow(ConfigError.of(lines.join('\n')))
  expect(existsSync(at('a.xml'))).toBe(true)
  expect(existsSync(at('a.md'))).toBe(true)
})
