import { expect, test } from 'vitest'
import type { AuditReport } from '../../../src/audit/report/audit-report.ts'
import { renderSarif, type SarifOptions } from '../../../src/audit/report/sarif.ts'
import { auditedRow, auditReport, MIXED } from './sample-report.ts'

interface Run {
  readonly tool: { driver: { rules: readonly { id: string }[] } }
  readonly invocations: readonly [object]
  readonly results: readonly {
    readonly level: string
    readonly locations: unknown
    readonly ruleId: string
    readonly ruleIndex: number
    readonly partialFingerprints: Readonly<Record<string, string>>
  }[]
}

const runOf = (report: AuditReport, options?: SarifOptions): Run =>
  JSON.parse(renderSarif(report, options)).runs[0]

const expired = auditedRow('use/id_token.expired_issued_now', {
  ...{
    verdict: 'let in',
    evidence: '200 at /callback, "welcome"',
    severity: 8.1,
    summary: 'It is over.',
  },
})

test('SARIF has a rule for each missing check', () => {
  const rule = 'exp is in the future, give or take a little for the skew of clocks.'
  const help = [
    'Harm: A token that was copied long ago from a log, a history or a backup still opens the door.',
    `Check: ${rule}`,
    'See: RFC 7519 section 4.1.4; CWE-613',
  ]
  expect(runOf(auditReport([expired])).tool.driver).toEqual({
    name: 'agekey-sandbox',
    semanticVersion: '0.1.0',
    informationUri: 'https://www.npmjs.com/package/agekey-sandbox',
    rules: [
      {
        id: 'exp',
        shortDescription: { text: 'missing: expiry.' },
        fullDescription: { text: `missing: expiry. ${rule}` },
        help: { text: help.join('\n'), markdown: help.join('\n\n').replaceAll(/:/g, '\\:') },
        properties: {
          tags: ['security', 'external/cwe/cwe-613'],
          precision: 'high',
          'security-severity': '8.1',
        },
      },
    ],
  })
})

const placeAt = (artifactLocation: object, startLine = 1) => [
  { physicalLocation: { artifactLocation, region: { startLine } } },
]

test('A result of SARIF stands at the code that reads the answers of its flow', () => {
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
    relatedLocations: [
      { id: 1, ...locations[0], message: { text: `${expired.row} (let in): ${told}` } },
    ],
  })
})

test.each([
  [undefined, { uri: 'agekey-audit.yaml', uriBaseId: '%SRCROOT%' }],
  ['./src/a.ts', { uri: 'src/a.ts', uriBaseId: '%SRCROOT%' }],
  ['src\\win\\a.ts', { uri: 'src/win/a.ts', uriBaseId: '%SRCROOT%' }],
  ['src/ä#?%.ts', { uri: 'src/%C3%A4%23%3F%25.ts', uriBaseId: '%SRCROOT%' }],
  ['/work/app/a b.ts', { uri: 'file:///work/app/a%20b.ts' }],
])('The place of a result in SARIF at the file %j is %j', (file, uri) => {
  const source = () => (file === undefined ? undefined : { file, line: 1 })
  const { locations, partialFingerprints: prints } =
    runOf(auditReport([expired]), { source }).results[0] ?? expect.fail()
  expect(locations).toEqual(placeAt(uri))
  // Without a file GitHub makes no fingerprint of its own.
  const expected = file === undefined ? `${prints['agekeyAudit/v1']}:1` : undefined
  expect(prints['primaryLocationLineHash']).toBe(expected)
})

test('SARIF holds findings only', () => {
  const { results } = runOf(MIXED)
  expect(results.map(({ ruleId, level }) => `${level} ${ruleId}`)).toEqual([
    ...[
      'error signature',
      'error exp',
      expect.stringMatching(/^error (kid|key_source)$/),
      'warning alg',
    ],
  ])
})

test('A result of SARIF has the index of its rule', () => {
  const { results, tool } = runOf(MIXED)
  expect(results.map(({ ruleIndex }) => tool.driver.rules[ruleIndex]?.id)).toEqual(
    results.map(({ ruleId }) => ruleId),
  )
})

test('Fingerprints of SARIF depend on nothing but check or page', () => {
  const printsOf = (report: AuditReport) =>
    new Map(
      runOf(report).results.map(({ ruleId, partialFingerprints: prints }) => [
        ruleId,
        prints['agekeyAudit/v1'],
      ]),
    )
  const prints = printsOf(MIXED)
  expect(new Set(prints.values())).toHaveProperty('size', 4)
  const rows = MIXED.rows
    .toReversed()
    .map((row) => ({ ...row, evidence: 'another', flows: ['f99'] }))
  const later = {
    started_at: '2027-01-01T00:00:00Z',
    seconds: 1,
    app: 'http://127.0.0.1:4000/verify?x=1',
  }
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

test.each([0, 1, 3] as const)(
  'SARIF of an audit that ends with %i says that the audit was executed',
  (exit_code) => {
    const [invocation] = runOf(auditReport([expired], { exit_code })).invocations
    expect(invocation).toMatchObject({ executionSuccessful: true, exitCode: exit_code })
  },
)
