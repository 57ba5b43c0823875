import type { AuditedRow, AuditReport, VerdictName } from '../../../sandbox/outcomes/audit-report.ts'
import { findingsOf } from '../../../sandbox/outcomes/report/findings.ts'
import { flowAddress } from '../../../sandbox/outcomes/report/flow-address.ts'
import {
  describeReadings,
  namesOfCombination,
  reasonsOf,
  variantsThat,
  whatTogetherDid,
  whatVariantDid,
  whereSilent,
} from '../../../sandbox/outcomes/report/readings-text.ts'
import { meaningOf, weightOf, whatAppDid } from '../../../sandbox/outcomes/report/row-texts.ts'
import { byReason, conclusionOf, totalsInOrder } from '../../../sandbox/outcomes/report/summary.ts'
import { fold, joinBlocks, renderTable } from '../../reports/markdown-blocks.ts'
import { codeSpan, escapeMarkdown } from '../../reports/markdown-text.ts'

export interface MarkdownOptions {
  /** The address of the console: `http://localhost:2435/_sandbox/console`. */
  readonly console?: string | undefined
  /** Default: what GitHub takes as the summary of a step. */
  readonly maxBytes?: number | undefined
}

/** An audit as GitHub Flavored Markdown: totals, findings, what could not be judged, and the rest folded up. */
export function renderMarkdown(report: AuditReport, { console: address, maxBytes }: MarkdownOptions = {}) {
  const findings = findingsOf(report)
  const undetermined = byReason(report, 'undetermined')
  const blocks = [
    ...headBlocks(report),
    `${codeSpan(report.app)}, catalogue ${escapeMarkdown(report.catalogue)}, ${report.seconds.toFixed(1)} seconds\n`,
    ...(findings.length === 0 ? [] : ['### Findings\n']),
    ...findings.map((row) => findingBlock(row, address)),
    ...(undetermined.length === 0 ? [] : ['### Undetermined\n']),
    ...undetermined.map(([reason, rows]) => reasonLine(reason, rows)),
    ...readingsBlocks(report, address),
    ...(report.notes.length === 0 ? [] : ['### Notes\n']),
    ...report.notes.map((note) => `- ${codeSpan(note)}\n`),
    ...restBlocks(report),
  ]
  return joinBlocks(blocks, maxBytes)
}

/** Without rows there is nothing to count: the readings say what was found. */
function headBlocks(report: AuditReport): string[] {
  if (report.readings && report.rows.length === 0) return ['## Audit of a relying party: readings\n']
  return [`## Audit of a relying party: ${conclusionOf(report)}\n`, totalsTable(report)]
}

function readingsBlocks({ readings }: AuditReport, address: string | undefined): string[] {
  if (!readings) return []
  const flowsOf = (flows: readonly string[]) =>
    flows.length === 0
      ? ''
      : ` (${flows.map((id) => (address === undefined ? codeSpan(id) : flowLink(address, id))).join(', ')})`
  const broken = variantsThat('depends', readings).map(
    (one) =>
      `- ${codeSpan(`${one.reading}=${one.usual}`)}, not ${codeSpan(one.variant)}: ${codeSpan(whatVariantDid(one))} ${escapeMarkdown(whereSilent(one))}${flowsOf(one.flows)}\n`,
  )
  const together = readings.combinations.failed.map(
    (one) => `- ${codeSpan(namesOfCombination(one))}: ${codeSpan(whatTogetherDid(one))}${flowsOf(one.flows)}\n`,
  )
  const others = reasonsOf(readings).map(
    ({ verdict, reason, count, names }) =>
      `- ${count} ${verdict}: ${[escapeMarkdown(reason), ...(names.length === 0 ? [] : [names.map(codeSpan).join(', ')])].join(': ')}\n`,
  )
  return ['### Readings\n', `${escapeMarkdown(describeReadings(readings))}\n`, ...broken, ...together, ...others]
}

function totalsTable(report: AuditReport): string {
  const totals = totalsInOrder(report)
  if (totals.length === 0) return 'No row was run.\n'
  return renderTable(
    totals.map(([title]) => ({ title, isNumber: true })),
    [totals.map(([, count]) => count)],
  )
}

function findingBlock(row: AuditedRow, address: string | undefined): string {
  const references = [...row.refs.map(escapeMarkdown), ...row.cwe.map(cweLink)]
  const flows = row.flows.map((id) => (address === undefined ? codeSpan(id) : flowLink(address, id)))
  const lines = [
    `What was sent: ${escapeMarkdown(row.summary)}`,
    ...(whatAppDid(row) === '' ? [] : [`What happened: ${codeSpan(whatAppDid(row))}`]),
    `Check: ${escapeMarkdown(row.rule)}`,
    `Harm: ${escapeMarkdown(row.harm)}`,
    ...(references.length === 0 ? [] : [`Reference: ${references.join('; ')}`]),
    ...(flows.length === 0 ? [] : [`Flow: ${flows.join(', ')}`]),
  ]
  return `#### ${row.verdict}: ${codeSpan(row.row)}\n\n${weightOf(row)}\n\n${lines.map((line) => `- ${line}\n`).join('')}`
}

function cweLink(cwe: string): string {
  const [, number] = /^CWE-(\d+)$/.exec(cwe) ?? []
  if (number === undefined) return escapeMarkdown(cwe)
  return `[CWE-${number}](https://cwe.mitre.org/data/definitions/${number}.html)`
}

function flowLink(address: string, id: string): string {
  const url = flowAddress(address, id)
  if (!URL.canParse(url)) return codeSpan(id)
  const { href, protocol } = new URL(url)
  return /^https?:$/.test(protocol) ? `[${codeSpan(id)}](<${href}>)` : codeSpan(id)
}

function reasonLine(reason: string, rows: readonly AuditedRow[]): string {
  const meaning = meaningOf(reason)
  const why = meaning === '' ? codeSpan(reason) : `${codeSpan(reason)}, ${escapeMarkdown(meaning)}`
  return `- ${rows.length}: ${why}: ${namesOf(rows)}\n`
}

const namesOf = (rows: readonly AuditedRow[]) => rows.map(({ row }) => codeSpan(row)).join(', ')

const FOLDED: readonly VerdictName[] = ['known', 'observed', 'not for this app', 'refused', 'accepted']

function restBlocks(report: AuditReport): string[] {
  const learned = Object.entries(report.learned).flatMap(([flow, signs]) =>
    signs === undefined
      ? []
      : [`- ${flow}: yes is ${codeSpan(signs.yes)}, no is ${signs.no.map(codeSpan).join(' or ')}\n`],
  )
  const verdicts = FOLDED.flatMap((verdict) => {
    const rows = report.rows.filter((row) => row.verdict === verdict)
    return rows.length === 0 ? [] : [fold(`${rows.length} ${verdict}`, restLines(report, verdict, rows))]
  })
  return learned.length === 0 ? verdicts : [...verdicts, fold('What was learned', learned.join(''))]
}

function restLines(report: AuditReport, verdict: VerdictName, rows: readonly AuditedRow[]): string {
  if (verdict === 'refused' || verdict === 'accepted') return `${namesOf(rows)}\n`
  if (verdict === 'observed')
    return rows.map((row) => `- ${codeSpan(row.row)}: ${codeSpan(whatAppDid(row))}\n`).join('')
  return byReason(report, verdict)
    .map(([reason, those]) => reasonLine(reason, those))
    .join('')
}
