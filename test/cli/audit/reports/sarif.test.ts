import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { renderSarif, type SarifOptions } from '../../../../src/cli/audit/reports/sarif.ts'
import type { AuditReport } from '../../../../src/sandbox/outcomes/audit-report.ts'
import { auditedRow, auditReport, HOSTILE, MIXED, readingsAudit } from './sample-report.ts'

const logSchema = z.object({
  runs: z.tuple([
    z.object({
      tool: z.object({ driver: z.looseObject({ rules: z.array(z.looseObject({ id: z.string() })) }) }),
      invocations: z.tuple([z.looseObject({})]),
      results: z.array(
        z.looseObject({
          ruleId: z.string(),
          ruleIndex: z.number(),
          level: z.string(),
          message: z.object({ text: z.string() }),
          partialFingerprints: z.record(z.string(), z.string()),
        }),
      ),
    }),
  ]),
})

function runOf(report: AuditReport, options: Partial<SarifOptions> = {}) {
  return logSchema.parse(JSON.parse(renderSarif(report, { version: '0.1.0', ...options }))).runs[0]
}

const expired = auditedRow('use/id_token.expired', {
  verdict: 'let in',
  evidence: '200 at /callback, "welcome"',
  summary: 'It is over.',
  rule: 'Check exp',
  severity: 8.1,
})

test('SARIF has a rule with help, CWE and severity for each row that has a finding', () => {
  expect(runOf(auditReport([expired])).tool.driver).toEqual({
    name: 'agekey-sandbox',
    semanticVersion: '0.1.0',
    informationUri: 'https://www.npmjs.com/package/agekey-sandbox',
    rules: [
      {
        id: 'use/id_token.expired',
        name: 'UseIdTokenExpired',
        shortDescription: { text: 'It is over.' },
        fullDescription: { text: 'It is over. Check: Check exp.' },
        help: {
          text: 'It is over.\nCheck: Check exp.\nAn old proof is good for ever.\nSee RFC 7519 section 4.1.4; CWE-613.',
          markdown:
            'It is over.\n\nCheck\\: Check exp.\n\nAn old proof is good for ever.\n\nSee RFC 7519 section 4.1.4; CWE-613.',
        },
        defaultConfiguration: { level: 'error' },
        properties: {
          tags: ['security', 'external/cwe/cwe-613'],
          precision: 'high',
          'security-severity': '8.1',
        },
      },
    ],
  })
})

test('rules of SARIF link to the catalogue when the package names its repository', () => {
  const { driver } = runOf(auditReport([expired]), { repository: 'https://github.com/owner/name' }).tool
  expect(driver).toMatchObject({ informationUri: 'https://github.com/owner/name' })
  expect(driver.rules[0]).toMatchObject({ helpUri: 'https://github.com/owner/name/blob/HEAD/docs/outcomes.md' })
})

test('a result of SARIF says what happened and stands at the place that reads the answers of its flow', () => {
  const [result] = runOf(auditReport([expired]), {
    source: (flow) => ({ file: `src/my ${flow}.ts`, line: 12 }),
  }).results
  expect(result).toEqual({
    ruleId: 'use/id_token.expired',
    ruleIndex: 0,
    level: 'error',
    message: {
      text: 'use/id_token.expired is let in (must, severity 8.1): It is over. 200 at /callback, "welcome". Check: Check exp. See RFC 7519 section 4.1.4; CWE-613.',
    },
    partialFingerprints: { 'agekeyAudit/v1': expect.stringMatching(/^[0-9a-f]{32}$/) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'src/my%20use.ts', uriBaseId: '%SRCROOT%' },
          region: { startLine: 12 },
        },
      },
    ],
  })
})

describe('the place of a result in SARIF', () => {
  const placeOf = (file: string) => runOf(auditReport([expired]), { source: () => ({ file, line: 1 }) }).results[0]
  const place = (artifactLocation: object) => ({
    locations: [{ physicalLocation: { artifactLocation, region: { startLine: 1 } } }],
  })

  test.each([
    ['./src/a.ts', 'src/a.ts'],
    ['src\\win\\a.ts', 'src/win/a.ts'],
    ['src/ä#?%.ts', 'src/%C3%A4%23%3F%25.ts'],
  ])('%j is the relative URI %j', (file, uri) => {
    expect(placeOf(file)).toMatchObject(place({ uri, uriBaseId: '%SRCROOT%' }))
  })

  test('is an absolute URI of a file for an absolute path', () => {
    expect(placeOf('/work/app/a b.ts')).toMatchObject(place({ uri: 'file:///work/app/a%20b.ts' }))
  })

  test('is the first line of agekey-audit.yaml when there is no other, with the fingerprint that GitHub cannot make', () => {
    const [result] = runOf(auditReport([expired])).results
    expect(result).toMatchObject(place({ uri: 'agekey-audit.yaml', uriBaseId: '%SRCROOT%' }))
    expect(result?.partialFingerprints['primaryLocationLineHash']).toBe(
      `${result?.partialFingerprints['agekeyAudit/v1']}:1`,
    )
  })
})

test('SARIF holds findings only, each with the level that it has', () => {
  expect(runOf(MIXED).results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
    ['use/id_token.payload_changed', 'error'],
    ['use/id_token.expired', 'error'],
    ['use/id_token.x5u', 'error'],
    ['use/id_token.alg_none', 'warning'],
    ['use/id_token.typ_other', 'note'],
  ])
})

test('each result of SARIF points at its own rule', () => {
  const { results, tool } = runOf(MIXED)
  expect(results.map(({ ruleIndex }) => tool.driver.rules[ruleIndex]?.id)).toEqual(results.map(({ ruleId }) => ruleId))
})

test('fingerprints of SARIF depend on row and page, not on order, time, port or what the app answered', () => {
  const printsOf = (report: AuditReport) =>
    Object.fromEntries(
      runOf(report).results.map((result) => [result.ruleId, result.partialFingerprints['agekeyAudit/v1']]),
    )
  const prints = printsOf(MIXED)
  expect(new Set(Object.values(prints)).size).toBe(5)
  const rows = MIXED.rows.toReversed().map((row) => ({ ...row, evidence: 'another', flows: ['f99'] }))
  const later = { started_at: '2027-01-01T00:00:00Z', seconds: 1, app: 'http://127.0.0.1:4000/verify?x=1' }
  expect(printsOf({ ...MIXED, ...later, rows })).toEqual(prints)
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

test.each(HOSTILE)('no text of an app is a link or a control character in SARIF: %j', (text) => {
  const texts = { summary: text, rule: text, harm: text, evidence: text, refs: [text] }
  const { results, tool } = runOf(auditReport([auditedRow('use/id_token.jku', { ...texts, verdict: 'let in' })]))
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
  expect(results[0]?.message.text).toContain('The app depends on par_status=201. A pushed request')
  expect(tool.driver.rules.map(({ id }) => id)).toEqual(results.map(({ ruleId }) => ruleId))
  expect(runOf(readingsAudit({ counted: true })).results.map(({ level }) => level)).toEqual(['warning', 'warning'])
})
