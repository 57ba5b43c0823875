import { createHash } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { escapeMarkdown } from '../../files/reports/markdown.ts'
import { visible } from '../../files/visible.ts'
import type { AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import type { OutcomeFlow } from '../../sandbox/outcomes/outcome.ts'
import { asSentence, whatHappened } from '../../sandbox/outcomes/report/audited-row.ts'
import { isFound, type Point, pointsOf } from '../../sandbox/outcomes/report/points.ts'

/** A place in a file; the path is relative to the root of the repository. */
export interface SourceLine {
  readonly file: string
  readonly line: number
}

export interface SarifOptions {
  /** The place in the code of the app that reads the answers of a flow, or where `agekey-audit.yaml` speaks of it. */
  readonly source?: ((flow: OutcomeFlow) => SourceLine | undefined) | undefined
  /** Of agekey-sandbox. */
  readonly version: string
  /** The repository of agekey-sandbox: `https://github.com/owner/name`. */
  readonly repository?: string | undefined
}

// Decision: code scanning refuses a result without a place in a file, so an audit without a file names the file it could have.
const NO_SOURCE: SourceLine = { file: 'agekey-audit.yaml', line: 1 }

const ROOT = '%SRCROOT%'
const LEVELS = { must: 'error', should: 'warning', may: 'note' } as const

/** SARIF 2.1.0 with a rule and a result for each check that was found missing, and for what an app depends on. */
export function renderSarif(report: AuditReport, options: SarifOptions): string {
  const found = pointsOf(report).filter(isFound)
  const driver = {
    name: 'agekey-sandbox',
    semanticVersion: options.version,
    informationUri: options.repository ?? 'https://www.npmjs.com/package/agekey-sandbox',
    rules: found.map((point) => ruleOf(point, options)),
  }
  const run = {
    tool: { driver },
    invocations: [invocationOf(report)],
    originalUriBaseIds: { [ROOT]: { description: { text: 'The root of the repository.' } } },
    columnKind: 'utf16CodeUnits',
    results: found.map((point, ruleIndex) => ({ ruleId: point.id, ruleIndex, ...resultOf(point, report, options) })),
  }
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }
  return `${JSON.stringify(log, undefined, 2)}\n`
}

function ruleOf({ id, title, verdict, level, check, facts }: Point, { repository }: SarifOptions) {
  const name = asSentence(check ? `${verdict}: ${title}` : `The app ${verdict} ${title}`)
  const help = facts
    .filter(({ label }) => !check || label !== 'What happened')
    .map(({ label, text }) => `${label}: ${text}`)
  return {
    id,
    // `MissingExp`: a name that is the id alone is taken for a mistake.
    name: `${verdict} ${id}`.replace(/(?:^|[^a-z0-9]+)([a-z0-9]?)/gi, (_match, first: string) => first.toUpperCase()),
    shortDescription: { text: plainText(name) },
    fullDescription: { text: plainText(check ? `${name} ${asSentence(check.rule)}` : name) },
    help: { text: help.map(plainText).join('\n'), markdown: help.map(escapeMarkdown).join('\n\n') },
    ...(check && repository !== undefined && { helpUri: `${repository}/blob/HEAD/docs/outcomes.md` }),
    defaultConfiguration: { level: LEVELS[level] },
    properties: {
      tags: check ? ['security', ...check.cwe.map((cwe) => `external/cwe/${cwe.toLowerCase()}`)] : ['interoperability'],
      precision: 'high',
      ...(check && { 'security-severity': check.severity.toFixed(1) }),
    },
  }
}

function resultOf(
  { id, verdict, title, weight, level, facts, rows, suite }: Point,
  { app }: AuditReport,
  { source }: SarifOptions,
) {
  const flow = suite === 'readings' ? 'use' : suite
  const text = [
    `${verdict} ${title}${weight && ` (${weight})`}.`,
    ...facts.map((fact) => `${fact.label}: ${fact.text}`),
  ]
  const known = source?.(flow)
  // The same page on another port or host is the same app.
  const path = URL.canParse(app) ? new URL(app).pathname : app
  const fingerprint = createHash('sha256').update(`${id} ${path}`).digest('hex').slice(0, 32)
  const of = (one: OutcomeFlow) => locationOf(source?.(one) ?? NO_SOURCE)
  return {
    level: LEVELS[level],
    message: { text: plainText(text.join(' ')) },
    partialFingerprints: {
      'agekeyAudit/v1': fingerprint,
      // GitHub makes this one itself, by the line in the file, unless there is no such file.
      ...(known === undefined ? { primaryLocationLineHash: `${fingerprint}:1` } : {}),
    },
    locations: [of(flow)],
    ...(rows.length > 0 && {
      relatedLocations: rows.map((row, index) => ({
        ...{ id: index + 1, ...of(row.flow) },
        message: { text: plainText(`${row.row} (${row.verdict}): ${whatHappened(row)}`) },
      })),
      properties: { rows: rows.map(({ row }) => row) },
    }),
  }
}

const locationOf = ({ file, line }: SourceLine) => ({
  physicalLocation: { artifactLocation: artifactOf(file), region: { startLine: line } },
})

function invocationOf({ started_at, seconds, exit_code, notes }: AuditReport) {
  return {
    executionSuccessful: exit_code !== 2,
    exitCode: exit_code,
    startTimeUtc: started_at,
    endTimeUtc: new Date(Date.parse(started_at) + seconds * 1000).toISOString(),
    toolExecutionNotifications: notes.map((note) => ({
      level: 'note',
      message: { text: plainText(asSentence(note)) },
    })),
  }
}

/** An absolute path stays one: code scanning finds the root of the repository in it. */
function artifactOf(file: string) {
  if (isAbsolute(file)) return { uri: pathToFileURL(file).href }
  const segments = file
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+/, '')
    .split('/')
  return { uri: segments.map((segment) => encodeURIComponent(segment)).join('/'), uriBaseId: ROOT }
}

/** Shows control characters, and keeps `[text](target)`, which is a link in SARIF, from being one. */
const plainText = (text: string) =>
  visible(text)
    .replace(/\p{Cs}/gu, '\ufffd')
    .replaceAll('](', '] (')
