import type { AuditedRow, AuditReport, VerdictName } from '../../../sandbox/outcomes/audit-report.ts'
import { findingsOf } from '../../../sandbox/outcomes/report/findings.ts'
import { flowAddress } from '../../../sandbox/outcomes/report/flow-address.ts'
import { meaningOf, weightOf, whatAppDid } from '../../../sandbox/outcomes/report/row-texts.ts'
import { byReason, conclusionOf, totalsInOrder } from '../../../sandbox/outcomes/report/summary.ts'
import { codeSpan, escapeMarkdown } from '../../reports/markdown-text.ts'

export interface MarkdownOptions {
  /** The address of the console: `http://localhost:2435/_sandbox/console`. */
  readonly console?: string | undefined
  /** Default: what GitHub takes as the summary of a step. */
  readonly maxBytes?: number | undefined
}

/** Of the summary of a step on GitHub. */
export const MAX_SUMMARY_BYTES = 1024 * 1024
const CUT = 'The report ends here: the summary of a step takes 1 MiB. `--json` writes all of it.\n'

/** An audit as GitHub Flavored Markdown: totals, findings, what could not be judged, and the rest folded up. */
export function renderMarkdown(
  report: AuditReport,
  { console: address, maxBytes = MAX_SUMMARY_BYTES }: MarkdownOptions = {},
) {
  const findings = findingsOf(report)
  const undetermined = byReason(report, 'undetermined')
  return withinBytes(maxBytes, [
    `## Audit of a relying party: ${conclusionOf(report)}\n`,
    totalsTable(report),
    `${codeSpan(report.app)}, catalogue ${escapeMarkdown(report.catalogue)}, ${report.seconds.toFixed(1)} seconds\n`,
    ...(findings.length === 0 ? [] : ['### Findings\n']),
    ...findings.map((row) => findingBlock(row, address)),
    ...(undetermined.length === 0 ? [] : ['### Undetermined\n']),
    ...undetermined.map(([reason, rows]) => reasonLine(reason, rows)),
    ...(report.notes.length === 0 ? [] : ['### Notes\n']),
    ...report.notes.map((note) => `- ${codeSpan(note)}\n`),
    ...restBlocks(report),
  ])
}

function totalsTable(report: AuditReport): string {
  const totals = totalsInOrder(report)
  if (totals.length === 0) return 'No row was run.\n'
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |\n`
  return (
    line(totals.map(([verdict]) => verdict)) + line(totals.map(() => '---:')) + line(totals.map(([, count]) => count))
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

const fold = (title: string, text: string) => `<details>\n<summary>${title}</summary>\n\n${text}\n</details>\n`

/** As many blocks as there is room for: a cut between two of them leaves no markup open. */
function withinBytes(maxBytes: number, blocks: readonly string[]): string {
  const room = maxBytes - Buffer.byteLength(CUT) - 1
  let text = ''
  let bytes = 0
  for (const [index, block] of blocks.entries()) {
    const part = index === 0 || isListItem(block, blocks[index - 1]) ? block : `\n${block}`
    bytes += Buffer.byteLength(part)
    if (bytes > room) return `${text}\n${CUT}`
    text += part
  }
  return text
}

/** Items of one list stand without an empty line between them. */
const isListItem = (block: string, before = '') => block.startsWith('- ') && before.startsWith('- ')
