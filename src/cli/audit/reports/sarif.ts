import { createHash } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AuditedRow, AuditReport } from '../../../sandbox/outcomes/audit-report.ts'
import type { OutcomeFlow } from '../../../sandbox/outcomes/outcome.ts'
import { findingsOf, levelOf } from '../../../sandbox/outcomes/report/findings.ts'
import {
  namesOfCombination,
  variantName,
  variantsThat,
  whatTogetherDid,
  whatVariantDid,
  whereSilent,
} from '../../../sandbox/outcomes/report/readings-text.ts'
import { asSentence, referencesOf, weightOf, whatHappened } from '../../../sandbox/outcomes/report/row-texts.ts'
import { escapeMarkdown } from '../../reports/markdown-text.ts'
import { visible } from '../../terminal.ts'

/** A place in a file; the path is relative to the root of the repository. */
export interface SourceLine {
  readonly file: string
  readonly line: number
}

export interface SarifOptions {
  /** The place in the code of the app that reads the answers of a flow, or where `agekey-audit.yaml` speaks of it. */
  source?(flow: OutcomeFlow): SourceLine | undefined
  /** Of agekey-sandbox. */
  readonly version: string
  /** The repository of agekey-sandbox: `https://github.com/owner/name`. */
  readonly repository?: string | undefined
}

// Decision: code scanning refuses a result without a place in a file, so an audit without a file names the file it could have.
const NO_SOURCE: SourceLine = { file: 'agekey-audit.yaml', line: 1 }

const ROOT = '%SRCROOT%'
const LEVELS = { must: 'error', should: 'warning', may: 'note' } as const

/** SARIF 2.1.0 with the findings of an audit, and a rule for each row that has one. */
export function renderSarif(report: AuditReport, options: SarifOptions): string {
  const findings = findingsOf(report)
  const ofReadings = readingFindings(report, options)
  const driver = {
    name: 'agekey-sandbox',
    semanticVersion: options.version,
    informationUri: options.repository ?? 'https://www.npmjs.com/package/agekey-sandbox',
    rules: [...findings.map((row) => ruleOf(row, options)), ...ofReadings.map(({ rule }) => rule)],
  }
  const run = {
    tool: { driver },
    invocations: [invocationOf(report)],
    originalUriBaseIds: { [ROOT]: { description: { text: 'The root of the repository.' } } },
    columnKind: 'utf16CodeUnits',
    results: [
      ...findings.map((row, ruleIndex) => ({ ruleId: row.row, ruleIndex, ...resultOf(row, report, options) })),
      ...ofReadings.map(({ rule, result }, index) => ({
        ruleId: rule.id,
        ruleIndex: findings.length + index,
        ...result,
      })),
    ],
  }
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }
  return `${JSON.stringify(log, undefined, 2)}\n`
}

function ruleOf(row: AuditedRow, { repository }: SarifOptions) {
  const summary = asSentence(row.summary)
  const check = `Check: ${asSentence(row.rule)}`
  const help = [summary, check, asSentence(row.harm), ...seeOf(row)]
  return {
    id: row.row,
    name: pascalCase(row.row),
    shortDescription: { text: plainText(summary) },
    fullDescription: { text: plainText(`${summary} ${check}`) },
    help: { text: help.map(plainText).join('\n'), markdown: help.map(escapeMarkdown).join('\n\n') },
    ...(repository === undefined ? {} : { helpUri: `${repository}/blob/HEAD/docs/outcomes.md` }),
    defaultConfiguration: { level: LEVELS[row.level] },
    properties: {
      tags: ['security', ...row.cwe.map((cwe) => `external/cwe/${cwe.toLowerCase()}`)],
      precision: 'high',
      'security-severity': row.severity.toFixed(1),
    },
  }
}

function resultOf(row: AuditedRow, { app }: AuditReport, { source }: SarifOptions) {
  const text = [
    `${row.row} is ${row.verdict} (${weightOf(row)}): ${whatHappened(row)}`,
    `Check: ${asSentence(row.rule)}`,
    ...seeOf(row),
  ]
  return {
    level: LEVELS[levelOf(row)],
    message: { text: plainText(text.join(' ')) },
    ...placeOf(row.row, app, source?.(row.flow)),
  }
}

/** Where a result stands, and by what it is known again. @param known the place that the user named */
function placeOf(id: string, app: string, known: SourceLine | undefined) {
  const { file, line } = known ?? NO_SOURCE
  const fingerprint = createHash('sha256')
    .update(`${id} ${pathOf(app)}`)
    .digest('hex')
    .slice(0, 32)
  return {
    partialFingerprints: {
      'agekeyAudit/v1': fingerprint,
      // GitHub makes this one itself, by the line in the file, unless there is no such file.
      ...(known === undefined ? { primaryLocationLineHash: `${fingerprint}:1` } : {}),
    },
    locations: [{ physicalLocation: { artifactLocation: artifactOf(file), region: { startLine: line } } }],
  }
}

/** What an app depends on, and the combinations under which it fails: a rule and a result of each. */
function readingFindings({ readings, app }: AuditReport, { source }: SarifOptions) {
  if (!readings) return []
  const level = readings.counted ? 'warning' : 'note'
  const ofVariants = variantsThat('depends', readings).map((one) => ({
    name: variantName(one),
    title: `The app depends on ${one.reading}=${one.usual}`,
    text: `${whatVariantDid(one)} ${whereSilent(one)}`,
  }))
  const together = readings.combinations.failed.map((one) => ({
    name: namesOfCombination(one),
    title: `The app fails under ${namesOfCombination(one)}`,
    text: whatTogetherDid(one),
  }))
  return [...ofVariants, ...together].map(({ name, title, text }) => {
    const id = `readings/${name}`
    const shown = plainText(`${asSentence(title)} ${text}`)
    const rule = {
      id,
      name: pascalCase(id),
      shortDescription: { text: plainText(asSentence(title)) },
      fullDescription: { text: shown },
      help: { text: shown, markdown: escapeMarkdown(`${asSentence(title)} ${text}`) },
      defaultConfiguration: { level },
      properties: { tags: ['interoperability'], precision: 'high' },
    }
    return { rule, result: { level, message: { text: shown }, ...placeOf(id, app, source?.('use')) } }
  })
}

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

const seeOf = (row: AuditedRow) => {
  const references = referencesOf(row)
  return references === '' ? [] : [`See ${references}.`]
}

/** `UseIdTokenExpired` */
const pascalCase = (row: string) =>
  row.replace(/(?:^|[^a-z0-9]+)([a-z0-9]?)/gi, (_match, first: string) => first.toUpperCase())

/** The same page on another port or host is the same app. */
const pathOf = (app: string) => (URL.canParse(app) ? new URL(app).pathname : app)

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
