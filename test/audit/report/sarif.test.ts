import { expect, test } from 'vitest'
import { renderSarif, type SarifOptions } from '../../../src/audit/report/sarif.ts'
import type { AuditReport } from '../../../src/sandbox/outcomes/audit-report.ts'
import { auditedRow, auditReport, HOSTILE, hostileTexts, MIXED, readingsAudit } from './sample-report.ts'

interface Run {
  readonly tool: { driver: { rules: readonly { id: string }[] } }
  readonly invocations: readonly [object]
  readonly results: readonly Result[]
}

interface Result {
  readonly [member: string]: unknown
  readonly ruleId: string
  readonly ruleIndex: number
  readonly message: { text: string }
  readonly partialFingerprints: Readonly<Record<string, string>>
}

const runOf = (report: AuditReport, options: Partial<SarifOptions> = {}): Run =>
  JSON.parse(renderSarif(report, { version: '0.1.0', ...options })).runs[0]

const expired = auditedRow('use/id_token.expired_issued_now', {
  ...{ verdict: 'let in', evidence: '200 at /callback, "welcome"', severity: 8.1, summary: 'It is over.' },
})

test('SARIF has a rule with help, CWE and severity for each missing check, and links to the catalogue if it can', () => {
  const rule = 'exp is in the future, give or take a minute for the skew of clocks.'
  const help = [
    'Harm: A token that was copied long ago from a log, a history or a backup still opens the door.',
    `Check: ${rule}`,
    'See: RFC 7519 section 4.1.4; CWE-613',
  ]
  const driver = {
    name: 'agekey-sandbox',
    semanticVersion: '0.1.0',
    informationUri: 'https://www.npmjs.com/package/agekey-sandbox',
    rules: [
      {
        id: 'exp',
        name: 'MissingExp',
        shortDescription: { text: 'missing: expiry.' },
        fullDescription: { text: `missing: expiry. ${rule}` },
        help: { text: help.join('\n'), markdown: help.join('\n\n').replaceAll(/:/g, '\\:') },
        defaultConfiguration: { level: 'error' },
        properties: { tags: ['security', 'external/cwe/cwe-613'], precision: 'high', 'security-severity': '8.1' },
      },
    ],
  }
  expect(runOf(auditReport([expired])).tool.driver).toEqual(driver)
  const informationUri = 'https://github.com/owner/name'
  const helpUri = `${informationUri}/blob/HEAD/docs/outcomes.md`
  const linked = { ...driver, informationUri, rules: [{ ...driver.rules[0], helpUri }] }
  expect(runOf(auditReport([expired]), { repository: informationUri }).tool.driver).toEqual(linked)
})

const placeAt = (artifactLocation: object, startLine = 1) => [
  { physicalLocation: { artifactLocation, region: { startLine } } },
]

test('A result of SARIF says what happened and stands at the place that reads the answers of its flow', () => {
  const source: SarifOptions['source'] = (flow) => ({ file: `src/my ${flow}.ts`, line: 12 })
  const [result] = runOf(auditReport([expired]), { source }).results
  const locations = placeAt({ uri: 'src/my%20use.ts', uriBaseId: '%SRCROOT%' }, 12)
  const told = 'It is over. 200 at /callback, "welcome".'
  expect(result).toEqual({
    ...{ ruleId: 'exp', ruleIndex: 0, level: 'error', locations },
    message: {
      text: expect.stringContaining(
        `missing expiry (1 row, must, severity 8.1). What happened: ${expired.row}: ${told}`,
      ),
    },
    partialFingerprints: { 'agekeyAudit/v1': expect.stringMatching(/^[0-9a-f]{32}$/) },
    relatedLocations: [{ id: 1, ...locations[0], message: { text: `${expired.row} (let in): ${told}` } }],
    properties: { rows: [expired.row] },
  })
})

test.each([
  ['./src/a.ts', { uri: 'src/a.ts', uriBaseId: '%SRCROOT%' }],
  ['src\\win\\a.ts', { uri: 'src/win/a.ts', uriBaseId: '%SRCROOT%' }],
  ['src/ä#?%.ts', { uri: 'src/%C3%A4%23%3F%25.ts', uriBaseId: '%SRCROOT%' }],
  ['/work/app/a b.ts', { uri: 'file:///work/app/a%20b.ts' }],
])('The place of a result in SARIF at the file %j is %j', (file, uri) => {
  const [result] = runOf(auditReport([expired]), { source: () => ({ file, line: 1 }) }).results
  expect(result?.['locations']).toEqual(placeAt(uri))
})

test('A result of SARIF without a place is at the first line of agekey-audit.yaml, with the fingerprint of GitHub', () => {
  const [result] = runOf(auditReport([expired])).results
  expect(result?.['locations']).toEqual(placeAt({ uri: 'agekey-audit.yaml', uriBaseId: '%SRCROOT%' }))
  const prints = result?.partialFingerprints
  expect(prints?.['primaryLocationLineHash']).toBe(`${prints?.['agekeyAudit/v1']}:1`)
})

test('SARIF holds findings only, each with the level that it has, and with the index of its rule', () => {
  const { results, tool } = runOf(MIXED)
  expect(results.map(({ ruleId, level }) => `${level} ${ruleId}`)).toEqual([
    ...['error signature', 'error exp', expect.stringMatching(/^error (kid|key_source)$/), 'warning alg'],
  ])
  expect(results.map(({ ruleIndex }) => tool.driver.rules[ruleIndex]?.id)).toEqual(results.map(({ ruleId }) => ruleId))
})

test('Fingerprints of SARIF depend on check and page, not on order, time, port or what the app answered', () => {
  const printsOf = (report: AuditReport) =>
    new Map(runOf(report).results.map(({ ruleId, partialFingerprints: prints }) => [ruleId, prints['agekeyAudit/v1']]))
  const prints = printsOf(MIXED)
  expect(new Set(prints.values()).size).toBe(4)
  const rows = MIXED.rows.toReversed().map((row) => ({ ...row, evidence: 'another', flows: ['f99'] }))
  const later = { started_at: '2027-01-01T00:00:00Z', seconds: 1, app: 'http://127.0.0.1:4000/verify?x=1' }
  expect(printsOf(auditReport(rows, later))).toEqual(prints)
  expect(printsOf({ ...MIXED, app: 'http://localhost:3000/other' })).not.toEqual(prints)
})

test('SARIF says when nothing could be shown, so that an empty list is no proof', () => {
  const notes = ['the app is down']
  expect(runOf(auditReport([], { exit_code: 2, notes })).invocations[0]).toEqual({
    executionSuccessful: false,
    exitCode: 2,
    startTimeUtc: '2026-01-02T03:04:05.678Z',
    endTimeUtc: '2026-01-02T03:04:18.018Z',
    toolExecutionNotifications: [{ level: 'note', message: { text: 'the app is down.' } }],
  })
  expect(runOf(auditReport([])).invocations[0]).toMatchObject({ executionSuccessful: true })
})

test.each(HOSTILE)('No text of an audited app is a link or a control character in SARIF: %j', (text) => {
  const row = auditedRow('use/id_token.jku', { ...hostileTexts(text), harm: text, flows: [], verdict: 'let in' })
  const { results, tool } = runOf(auditReport([row]))
  const shown = [results[0]?.message.text, JSON.stringify(tool.driver.rules[0])].join('\n')
  expect(shown).not.toMatch(/(?<!\\)\]\(/)
  expect(results[0]?.message.text).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u)
})

test('SARIF has a note for each thing that an app depends on, a warning when that counts, and nothing of what works', () => {
  const { results, tool } = runOf(readingsAudit())
  expect(results.map(({ ruleId, level }) => `${level} ${ruleId}`)).toEqual([
    'note readings/par_status=200',
    'note readings/typ=absent with azp=present',
  ])
  expect(results[0]?.message.text).toContain(
    'depends on par_status=201: it fails under par_status=200. What happened: A pushed request',
  )
  expect(tool.driver.rules.map(({ id }) => id)).toEqual(results.map(({ ruleId }) => ruleId))
  expect(runOf(readingsAudit({ counted: true })).results.map(({ level }) => level)).toEqual(['warning', 'warning'])
})
