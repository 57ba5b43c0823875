import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../src/audit/report/markdown.ts'
import { renderAuditJUnit, writeReports } from '../../../src/audit/report/write-reports.ts'
import { writeReportFiles } from '../../../src/cli/report-files.ts'
import { ConfigError } from '../../../src/files/config-error.ts'
import { auditReportSchema } from '../../../src/sandbox/outcomes/report/audit-report.ts'
import { folderWith } from '../../support/folder-with.ts'
import { auditedRow, auditReport, HOSTILE, hostileTexts, MIXED } from './sample-report.ts'

const CONTEXT = { writeFiles: writeReportFiles }
const CONSOLE = 'http://localhost:2435/_sandbox/console'

/** Gives the path of a file in a new folder. */
function scratch(files: Readonly<Record<string, string>> = {}): (name: string) => string {
  const folder = folderWith(files)
  return (name) => join(folder, name)
}

const read = (file: string) => readFileSync(file, 'utf8')

test('Each report of an audit is written to its file', () => {
  const at = scratch()
  const files = { json: at('a.json'), junit: at('a.xml'), sarif: at('a.sarif'), markdown: at('a.md') }
  writeReports(MIXED, files, { ...CONTEXT, console: CONSOLE, source: () => ({ file: 'src/verify.ts', line: 12 }) })
  expect(JSON.parse(read(files.json))).toEqual(JSON.parse(JSON.stringify(MIXED)))
  expect(read(files.junit)).toBe(renderAuditJUnit(MIXED, CONSOLE))
  expect(read(files.markdown)).toBe(renderMarkdown(MIXED, CONSOLE))
  expect(read(files.sarif)).toContain('"uri": "src/verify.ts"')
  expect(read(files.sarif)).toContain(`"semanticVersion": "${MIXED.version}"`)
})

const hostileRows = HOSTILE.map((text) => auditedRow('use/id_token.jku', { ...hostileTexts(text), reason: text }))

test.each([
  ['of rows with each verdict', MIXED],
  ['without rows', auditReport([])],
  ['with hostile texts', auditReport(hostileRows, { notes: HOSTILE, app: HOSTILE.join(' '), exit_code: 2 })],
])('The JSON of an audit report %s fits its published schema, and no other file is written', (_, report) => {
  const at = scratch()
  writeReports(report, { json: at('a.json'), junit: undefined }, CONTEXT)
  expect(auditReportSchema.parse(JSON.parse(read(at('a.json'))))).toEqual(JSON.parse(JSON.stringify(report)))
  expect(readdirSync(at('.'))).toEqual(['a.json'])
})

test('The audit in the summary of a step is appended to what the step wrote before', () => {
  const at = scratch({ 'summary.md': 'before\n' })
  writeReports(MIXED, {}, { ...CONTEXT, console: CONSOLE, summaryFile: at('summary.md') })
  expect(read(at('summary.md'))).toBe(`before\n\n${renderMarkdown(MIXED, CONSOLE)}`)
  writeReports(MIXED, {}, { ...CONTEXT, summaryFile: at('new.md') })
  expect(read(at('new.md'))).toBe(renderMarkdown(MIXED))
})

test('The summary of a step stays below 1 MiB with an audit and what the step wrote before', () => {
  const summaryFile = scratch({ 'summary.md': `${'x'.repeat(1024 * 1024 - 2001)}\n` })('summary.md')
  writeReports(MIXED, {}, { ...CONTEXT, summaryFile })
  expect(read(summaryFile)).toMatch(/\n## Audit of a relying party: failed\n[\s\S]*\nThe report ends here: .*\n$/)
  expect(Buffer.byteLength(read(summaryFile))).toBeLessThanOrEqual(1024 * 1024)
})

test('An audit report that cannot be written is named in one line with its flag, and the other reports are written', () => {
  const at = scratch()
  const missing = at('missing/a')
  const targets = { json: missing, junit: at('a.xml'), sarif: missing, markdown: at('a.md') }
  const problem = (name: string) =>
    `${name}: ${missing} cannot be written: ENOENT: no such file or directory, open '${missing}'`
  const lines = [problem('--json'), problem('--sarif'), problem('GITHUB_STEP_SUMMARY')]
  expect(() => writeReports(MIXED, targets, { ...CONTEXT, summaryFile: missing })).toThrow(
    ConfigError.of(lines.join('\n')),
  )
  expect(existsSync(at('a.xml'))).toBe(true)
  expect(existsSync(at('a.md'))).toBe(true)
})
