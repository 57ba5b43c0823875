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

/** The path of a file in a new folder. */
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

test('An audit in JUnit XML has a suite for each flow and a case for each check, which tells its rows', () => {
  const evidence = '200 at /callback, "welcome"'
  const rows = [
    auditedRow('use/verified', { verdict: 'accepted', family: 'ending' }),
    auditedRow('use/id_token.expired_issued_now', { verdict: 'let in', evidence }),
    auditedRow('use/id_token.exp_missing', { verdict: 'let in', severity: 3, evidence }),
    auditedRow('use/id_token.exp_string'),
    auditedRow('use/callback.state_missing', { verdict: 'undetermined', reason: 'masked' }),
    auditedRow('par/par.status_500_right_body'),
  ]
  const xml = renderAuditJUnit(auditReport(rows))
  const [, message, text] = /<failure message="([^"]*)">([^<]*)<\/failure>/.exec(xml) ?? []
  expect(message).toMatch(
    /^missing expiry \(2 rows, must, severity 7\.4\) What happened: use\/id_token\.expired_issued_now: /,
  )
  expect(text?.split('\n').slice(-2)).toEqual([
    'Flow: f12',
    'use/id_token.exp_missing: let in. 200 at /callback, &quot;welcome&quot;.',
  ])
  expect(xml).toContain('message="undetermined: masked: the app refuses the same answer without the fault"/>')
  const suites = xml
    .split('<testsuite ')
    .map((suite) => [...suite.matchAll(/(?<!class)name="([^"]*)"/g)].map(([, name]) => name))
  expect(suites).toEqual([['agekey-sandbox'], ['use', 'exp', 'state', 'ending'], ['par', 'par/status']])
  expect(renderAuditJUnit(auditReport([]))).toContain('tests="0"')
  expect(renderAuditJUnit(MIXED)).toContain('failures="4"')
})

const NOT_COUNTED = 'severity 7.4, does not count for the exit code) '
const LET_IN = '(1 row, must, '

test.each<[Parameters<typeof auditedRow>[1], string]>([
  [{ verdict: 'let in' }, `<failure message="missing issuer ${LET_IN}severity 7.4) `],
  [{ verdict: 'broke' }, '<failure message="broke issuer ('],
  [{ verdict: 'stale' }, '<failure message="stale issuer ('],
  [{ verdict: 'let in', counted: false }, `<skipped message="missing issuer ${LET_IN}${NOT_COUNTED}`],
  [{ verdict: 'ignored', counted: false }, `<skipped message="ignored issuer (1 row, should, ${NOT_COUNTED}`],
  [{ verdict: 'refused' }, 'passed'],
  [{ verdict: 'known', reason: 'mended in May' }, '<skipped message="known: mended in May"/>'],
])('JUnit XML says of a check whose row has %j: %s', (changes, start) => {
  const xml = renderAuditJUnit(auditReport([auditedRow('use/id_token.iss_missing', changes)]))
  const element = /<(?:failure|skipped)[^>]*>/.exec(xml)?.[0] ?? 'passed'
  expect(element.slice(0, start.length)).toBe(start)
})

test('The suite of a check in JUnit XML is the same whichever of its rows were let in', () => {
  const names = ['par/par.redirect', 'token/token.redirect', 'upgrade/upgrade.redirect']
  const suites = names.map((letIn) => {
    const rows = names.map((name) => auditedRow(name, { verdict: name === letIn ? 'let in' : 'refused' }))
    return /classname="(\w+)"/.exec(renderAuditJUnit(auditReport(rows)))?.[1]
  })
  expect(suites).toEqual(['par', 'par', 'par'])
})
