import { createHash } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { escapeMarkdown } from '../../sandbox/files/reports/markdown.ts'
import { visible } from '../../service/text/visible.ts'
import type { AuditReport } from './audit-report.ts'
import {
  asSentence,
  headOf,
  isFound,
  linesOf,
  type Point,
  pointsOf,
  whatHappened,
} from './points.ts'

export interface SarifOptions {
  /** The URL of the console: `http://localhost:2435/_sandbox/console`. */
  readonly console?: string | undefined
  /**
   * Where the app reads the answers of a flow, otherwise the line of `agekey-audit.yaml` about the
   * app.
   */
  readonly source?:
    | ((flow: Point['flow']) => { readonly file: string; readonly line: number } | undefined)
    | undefined
}

const ROOT = '%SRCROOT%'
const LEVELS = { must: 'error', should: 'warning', may: 'note' } as const

/** Renders a report as SARIF 2.1.0, with a rule and a result for each finding. */
export function renderSarif(report: AuditReport, options: SarifOptions = {}): string {
  const { app, version, started_at: startTimeUtc, seconds, exit_code: exitCode, notes } = report
  const found = pointsOf(report).filter(isFound)
  // Only the path identifies the app, because port and host may differ in each run.
  const path = URL.canParse(app) ? new URL(app).pathname : app
  const driver = {
    name: 'agekey-sandbox',
    semanticVersion: version,
    informationUri: 'https://www.npmjs.com/package/agekey-sandbox',
    rules: found.map(ruleOf),
  }
  const invocation = {
    executionSuccessful: exitCode !== 2,
    exitCode,
    startTimeUtc,
    endTimeUtc: new Date(Date.parse(startTimeUtc) + seconds * 1000).toISOString(),
    toolExecutionNotifications: notes.map((note) => ({
      level: 'note',
      message: messageOf(asSentence(note)),
    })),
  }
  const run = {
    tool: { driver },
    invocations: [invocation],
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: { [ROOT]: { description: { text: 'The root of the repository.' } } },
    results: found.map((point, ruleIndex) => ({
      ruleId: point.check,
      ruleIndex,
      ...resultOf(point, path, options),
    })),
  }
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [run],
  }
  return `${JSON.stringify(log, undefined, 2)}\n`
}

function ruleOf({ check: id, title, verdict, severity, rule, cwe, facts: all }: Point) {
  // A reading has no rule and no harm: what happened explains it.
  const isCheck = severity !== undefined
  const name = asSentence(isCheck ? `${verdict}: ${title}` : `The app ${verdict} ${title}`)
  const facts = isCheck ? all.filter(({ kind }) => kind !== 'happened') : all
  const markdown = facts.map(({ kind, label, text }) =>
    kind === 'write' ? `${label}:\n\n\`\`\`\n${text}\n\`\`\`` : escapeMarkdown(`${label}: ${text}`),
  )
  return {
    id,
    shortDescription: messageOf(name),
    fullDescription: messageOf(isCheck ? `${name} ${asSentence(rule)}` : name),
    help: {
      text: linesOf({ facts, flows: [] }).map(plainText).join('\n'),
      markdown: markdown.join('\n\n'),
    },
    properties: {
      tags: isCheck
        ? ['security', ...cwe.map((cwe) => `external/cwe/${cwe.toLowerCase()}`)]
        : ['interoperability'],
      precision: 'high',
      ...(isCheck && { 'security-severity': severity.toFixed(1) }),
    },
  }
}

function resultOf(point: Point, path: string, { source = () => undefined, console }: SarifOptions) {
  const { check: id, level, rows, flow, flows } = point
  const location = source(flow)
  const fingerprint = createHash('sha256').update(`${id} ${path}`).digest('hex').slice(0, 32)
  // GitHub computes `primaryLocationLineHash` from the file, unless the file is missing.
  const ofLine = location ? {} : { primaryLocationLineHash: `${fingerprint}:1` }
  // The help of the rule already says what to do.
  const facts = point.facts.filter(({ kind }) => kind === 'happened' || kind === 'harm')
  return {
    level: LEVELS[level],
    message: messageOf([`${headOf(point)}.`, ...linesOf({ facts, flows }, console)].join(' ')),
    partialFingerprints: { 'agekeyAudit/v1': fingerprint, ...ofLine },
    locations: [locationOf(location)],
    ...(rows.length > 0 && {
      relatedLocations: rows.map((row, index) => ({
        id: index + 1,
        ...locationOf(source(row.flow)),
        message: messageOf(`${row.row} (${row.verdict}): ${whatHappened(row)}`),
      })),
    }),
  }
}

// Decision: GitHub code scanning refuses a result without a location, so without a known location
// the result names the default audit file.
function locationOf({ file, line } = { file: 'agekey-audit.yaml', line: 1 }) {
  const path = file.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
  // An absolute path stays absolute: code scanning removes the root of the repository itself.
  const artifactLocation = isAbsolute(file)
    ? { uri: pathToFileURL(file).href }
    : { uri: path.split('/').map(encodeURIComponent).join('/'), uriBaseId: ROOT }
  return { physicalLocation: { artifactLocation, region: { startLine: line } } }
}

const messageOf = (text: string) => ({ text: plainText(text) })

/** Escapes control characters, and `[text](target)`, which SARIF would render as a link. */
const plainText = (text: string) =>
  visible(text)
    .replace(/\p{Cs}/gu, '\ufffd')
    .replaceAll('](', '] (')
