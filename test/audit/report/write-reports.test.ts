import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AuditReport } from '../../../src/audit/report/audit-report.ts'
import { renderMarkdown } from '../../../src/audit/report/markdown.ts'
import { renderSarif } from '../../../src/audit/report/sarif.ts'
import { renderAuditTerminal } from '../../../src/audit/report/terminal.ts'
import { renderAuditJUnit, writeReports } from '../../../src/audit/report/write-reports.ts'
import { ConfigError } from '../../../src/sandbox/files/config-error.ts'
import { writeReportFiles } from '../../../src/tools/cli/report-files.ts'
import { folderWith } from '../../support/folder-with.ts'
import {
  auditedRow,
  auditReport,
  HOSTILE,
  hostileTexts,
  MIXED,
  readingsAudit,
} from './sample-report.ts'

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
  const files = {
    json: at('a.json'),
    junit: at('a.xml'),
    sarif: at('a.sarif'),
    markdown: at('a.md'),
  }
  writeReports(MIXED, files, {
    ...CONTEXT,
    console: CONSOLE,
    source: () => ({ file: 'src/verify.ts', line: 12 }),
  })
  expect(JSON.parse(read(files.json))).toEqual(JSON.parse(JSON.stringify(MIXED)))
  expect(read(files.junit)).toBe(renderAuditJUnit(MIXED, CONSOLE))
  expect(read(files.markdown)).toBe(renderMarkdown(MIXED, CONSOLE))
  expect(read(files.sarif)).toContain('"uri": "src/verify.ts"')
  expect(read(files.sarif)).toContain(`"semanticVersion": "${MIXED.version}"`)
})

test.each([0, 1, 2, 3] as const)(
  'Each report of an audit that ends with %i is written',
  (exit_code) => {
    const at = scratch()
    const files = {
      json: at('a.json'),
      junit: at('a.xml'),
      sarif: at('a.sarif'),
      markdown: at('a.md'),
    }
    const summaryFile = at('summary.md')
    writeReports({ ...MIXED, exit_code }, files, { ...CONTEXT, summaryFile })
    expect(readdirSync(at('.')).toSorted()).toEqual([
      'a.json',
      'a.md',
      'a.sarif',
      'a.xml',
      'summary.md',
    ])
  },
)

test('The reports of a second audit replace the reports of the first audit', () => {
  const at = scratch()
  const files = { json: at('a.json'), junit: at('a.xml') }
  const second = auditReport([auditedRow('use/verified', { verdict: 'accepted' })])
  writeReports(MIXED, files, CONTEXT)
  writeReports(second, files, CONTEXT)
  expect(JSON.parse(read(files.json))).toEqual(JSON.parse(JSON.stringify(second)))
  expect(read(files.junit)).toBe(renderAuditJUnit(second))
})

test('The summary of a step holds a second audit below the first audit', () => {
  const at = scratch()
  const summaryFile = at('summary.md')
  const second = auditReport([auditedRow('use/verified', { verdict: 'accepted' })])
  writeReports(MIXED, {}, { ...CONTEXT, summaryFile })
  writeReports(second, {}, { ...CONTEXT, summaryFile })
  expect(read(summaryFile)).toBe(`${renderMarkdown(MIXED)}\n${renderMarkdown(second)}`)
})

test('The audit in the summary of a step is appended to what the step wrote before', () => {
  const at = scratch({ 'summary.md': 'before\n' })
  writeReports(MIXED, {}, { ...CONTEXT, console: CONSOLE, summaryFile: at('summary.md') })
  expect(read(at('summary.md'))).toBe(`before\n\n${renderMarkdown(MIXED, CONSOLE)}`)
  expect(readdirSync(at('.'))).toEqual(['summary.md'])
  writeReports(MIXED, {}, { ...CONTEXT, summaryFile: at('new.md') })
  expect(read(at('new.md'))).toBe(renderMarkdown(MIXED))
})

test('The summary of a step stays below 1 MiB with an earlier text', () => {
  const summaryFile = scratch({ 'summary.md': `${'x'.repeat(1024 * 1024 - 2001)}\n` })('summary.md')
  writeReports(MIXED, {}, { ...CONTEXT, summaryFile })
  expect(read(summaryFile)).toMatch(
    /\n## Audit of a relying party: failed\n[\s\S]*\nThe report ends here: .*\n$/,
  )
  expect(Buffer.byteLength(read(summaryFile))).toBeLessThanOrEqual(1024 * 1024)
})

test('An audit report that cannot be written is named in one line with its flag', () => {
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

test('An audit in JUnit XML has a case for each check', () => {
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
  expect(xml).toContain(
    'message="undetermined: masked: the app refuses the same answer without the fault"/>',
  )
})

test('An audit in JUnit XML has a suite for each flow', () => {
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
  const suites = xml
    .split('<testsuite ')
    .map((suite) => [...suite.matchAll(/(?<!class)name="([^"]*)"/g)].map(([, name]) => name))
  expect(suites).toEqual([
    ['agekey-sandbox'],
    ['use', 'exp', 'state', 'ending'],
    ['par', 'par/status'],
  ])
})

test('An audit in JUnit XML counts its failures', () => {
  expect(renderAuditJUnit(auditReport([]))).toContain('tests="0"')
  expect(renderAuditJUnit(MIXED)).toContain('failures="4"')
})

const NOT_COUNTED = 'severity 7.4, does not count for the exit code) '
const LET_IN = '(1 row, must, '

test.each<[Parameters<typeof auditedRow>[1], string]>([
  [{ verdict: 'let in' }, `<failure message="missing issuer ${LET_IN}severity 7.4) `],
  [{ verdict: 'broke' }, '<failure message="broke issuer ('],
  [{ verdict: 'stale' }, '<failure message="stale issuer ('],
  [
    { verdict: 'let in', counted: false },
    `<skipped message="missing issuer ${LET_IN}${NOT_COUNTED}`,
  ],
  [
    { verdict: 'ignored', counted: false },
    `<skipped message="ignored issuer (1 row, should, ${NOT_COUNTED}`,
  ],
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
    const rows = names.map((name) =>
      auditedRow(name, { verdict: name === letIn ? 'let in' : 'refused' }),
    )
    return /classname="(\w+)"/.exec(renderAuditJUnit(auditReport(rows)))?.[1]
  })
  expect(suites).toEqual(['par', 'par', 'par'])
})

const renderAll = (report: AuditReport, console = CONSOLE) => ({
  terminal: renderAuditTerminal(report, { console, colour: (_style, text) => text }),
  markdown: renderMarkdown(report, console),
  sarif: JSON.parse(renderSarif(report)).runs[0],
  junit: renderAuditJUnit(report),
})

/** A report in which an app wrote this text wherever it can. */
function reportOf(text: string): AuditReport {
  const texts = { ...hostileTexts(text), row: text, harm: text, reason: text, cwe: [text] }
  const rows = (['let in', 'undetermined', 'known', 'observed', 'refused'] as const).map(
    (verdict) =>
      auditedRow('use/id_token.jku', {
        ...texts,
        verdict,
        ...(verdict === 'undetermined' && { checks: ['aud'] }),
      }),
  )
  const learned = { use: { yes: text, no: [text] } }
  return auditReport(rows, { app: text, catalogue: text, notes: [text], learned })
}

/**
 * Markdown without escaped characters and code spans, which end with as many backticks as they
 * began.
 */
const bare = (markdown: string) =>
  markdown.replace(/\\[!-/:-@[-`{-~]|(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '')
const tagsOf = (xml: string) => [...xml.matchAll(/<[^\s>]*/g)].map(([tag]) => tag)
const plain = renderAll(reportOf('x'))

test.each(HOSTILE)(
  'No text of an audited app is markup, a link, a control character or a line of a report: %j',
  (text) => {
    const { terminal, markdown, sarif, junit } = renderAll(reportOf(text), `${CONSOLE}?${text}`)
    const steering = /[\p{Cc}\p{Bidi_Control}\u200b]/u
    expect(terminal).toHaveLength(plain.terminal.length)
    expect(terminal.filter((line) => steering.test(line))).toEqual([])
    const own = /<\/?(?:details|summary)>|\]\(<http:\/\/localhost:2435[^<>\s]*>\)/g
    expect(bare(markdown).replace(own, '')).not.toMatch(/[<>`@$*~]|\]\(|:\/\/|www\./)
    expect(markdown.match(/^\|.*$|<details>/gm)).toEqual(plain.markdown.match(/^\|.*$|<details>/gm))
    const { results, tool } = sarif
    const { properties: _, ...rule } = tool.driver.rules[0]
    expect([results[0].message.text, JSON.stringify(rule)].join('\n')).not.toMatch(/(?<!\\)\]\(/)
    expect(results[0].message.text).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u)
    expect(tagsOf(junit)).toEqual(tagsOf(plain.junit))
  },
)

const PAIR = 'typ=absent with azp=present'

test.each([
  [false, 'note', 'skipped'],
  [true, 'warning', 'failure'],
])('Every report of readings says what an app depends on: %j', (counted, level, element) => {
  const { terminal, markdown, sarif, junit } = renderAll(readingsAudit({ counted }))
  expect(terminal).toEqual([
    'depends on refused_token_status=401: it fails under refused_token_status=403',
    '  What happened: An access token that E5 refuses is answered with 403. In create/created as newcomer your app showed 400 at /callback.',
    '  See: The specification leaves it open: Errors: “HTTP status codes: not shown.”.',
    `  Flow: ${CONSOLE}/flows/f3`,
    '',
    `fails under ${PAIR}`,
    '  What happened: The app works under each of them alone. Your app showed 500 at /callback.',
    `  Flow: ${CONSOLE}/flows/f9`,
    '',
    'undetermined 1 used once',
    '  code_use=repeated',
    '',
    'not for this app 1 no upgrade',
    '  upgrade_effect=replaces',
    '',
    'undetermined 2 timed_out (combinations of variants that work alone)',
    '',
    `readings: works under 1 of 2; depends on refused_token_status=401; fails under ${PAIR}; 3 undetermined; 4.2 seconds`,
  ])
  expect(markdown).toMatch(
    /^## Audit of a relying party: readings\n\nReadings: works under 1 of 2; depends on refused\\_/,
  )
  expect(markdown).not.toContain('No row was run')
  expect(markdown).toMatch(
    /### depends on: refused\\_token\\_status=401.*\n\n- What happened: `An access token .*`\n.*\n- Flow: \[`f3`\]\(<http:.*\/flows\/f3>\)/,
  )
  const { results, tool } = sarif
  expect(results).toMatchObject([
    { ruleId: 'readings/refused_token_status=403', level },
    { ruleId: `readings/${PAIR}`, level },
  ])
  const [first, second] = tool.driver.rules
  expect(first.id).toBe('readings/refused_token_status=403')
  expect(second.id).toBe(`readings/${PAIR}`)
  const told = 'depends on refused_token_status=401: it fails under refused_token_status=403'
  expect(results[0].message.text).toContain(`${told}. What happened: An access token`)
  expect(junit).toContain(`${told} What happened: An access token that E5 refuses is answered with`)
  const cases = junit.matchAll(
    /<testcase name="([^"]*)" classname="readings"[^>]*?(?:\/>|>\s*<(failure|skipped))/g,
  )
  expect([...cases].map(([, name, state = 'passed']) => `${name} ${state}`)).toEqual([
    `refused_token_status=403 ${element}`,
    'typ=absent passed',
    'code_use=repeated skipped',
    'upgrade_effect=replaces skipped',
    `${PAIR} ${element}`,
  ])
})

test('Readings stand beside the rows of an earlier audit', () => {
  const { terminal, markdown } = renderAll({ ...readingsAudit(), ...MIXED })
  expect(terminal.join('\n')).toMatch(/^failed:[\s\S]*^readings: works under 1 of 2/m)
  expect(markdown).toMatch(
    /^## Audit of a relying party: failed\n[\s\S]*\nReadings: works under 1 of 2/,
  )
})
