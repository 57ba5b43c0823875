import { codeSpan, escapeMarkdown, fold, joinBlocks, renderTable } from '../../files/reports/markdown.ts'
import type { AuditedRow, AuditReport, VerdictName } from '../../sandbox/outcomes/audit-report.ts'
import { flowAddress, whatAppDid } from '../../sandbox/outcomes/report/audited-row.ts'
import { type Fact, isFound, type Point, pointsOf, unshownOf } from '../../sandbox/outcomes/report/points.ts'
import { describeReadings } from '../../sandbox/outcomes/report/readings-report.ts'
import { conclusionOf, describeChecks, totalsInOrder } from '../../sandbox/outcomes/report/totals.ts'

export interface MarkdownOptions {
  /** The address of the console: `http://localhost:2435/_sandbox/console`. */
  readonly console?: string | undefined
  /** Default: what GitHub takes as the summary of a step. */
  readonly maxBytes?: number | undefined
}

/** An audit as GitHub Flavored Markdown: its checks, with their rows folded up behind them, then the rest. */
export function renderMarkdown(report: AuditReport, { console: address, maxBytes }: MarkdownOptions = {}) {
  const { rows, readings, checks, notes } = report
  const found = pointsOf(report).filter(isFound)
  const unshown = unshownOf(report)
  const isOfReadings = readings && rows.length === 0
  const blocks = [
    `## Audit of a relying party: ${isOfReadings ? 'readings' : conclusionOf(report)}\n`,
    ...(checks.length === 0 ? [] : [`${escapeMarkdown(describeChecks(checks))}\n`]),
    ...(readings ? [`Readings: ${escapeMarkdown(describeReadings(readings))}\n`] : []),
    ...(isOfReadings ? [] : [totalsTable(report)]),
    `${codeSpan(report.app)}, catalogue ${escapeMarkdown(report.catalogue)}, ${report.seconds.toFixed(1)} seconds\n`,
    ...found.flatMap((point) => pointBlocks(point, address)),
    ...(unshown.length === 0 ? [] : ['### Undetermined\n']),
    ...unshown.map(
      ({ verdict, reason, count, names }) =>
        `- ${count} ${verdict}: ${[codeSpan(reason), ...(names.length === 0 ? [] : [namesOf(names)])].join(': ')}\n`,
    ),
    ...(notes.length === 0 ? [] : ['### Notes\n']),
    ...notes.map((note) => `- ${codeSpan(note)}\n`),
    ...restBlocks(report),
  ]
  return joinBlocks(blocks, maxBytes)
}

function totalsTable(report: AuditReport): string {
  const totals = totalsInOrder(report)
  if (totals.length === 0) return 'No row was run.\n'
  const columns = totals.map(([title]) => ({ title, isNumber: true }))
  return renderTable(columns, [totals.map(([, count]) => count)])
}

function pointBlocks({ verdict, title, weight, facts, flows, rows }: Point, address: string | undefined): string[] {
  const lines = facts.map((fact) => `- ${fact.label}: ${factText(fact)}\n`)
  const links = flows.map((id) => flowLink(id, address)).join(', ')
  const head = `### ${verdict}: ${escapeMarkdown(title)}\n\n${weight && `${weight}\n\n`}`
  return [
    `${head}${lines.join('')}${links && `- Flow: ${links}\n`}`,
    ...(rows.length === 0 ? [] : [foldRows(`${rows.length} row${rows.length === 1 ? '' : 's'}`, rows)]),
  ]
}

function factText({ kind, text }: Fact): string {
  if (kind === 'write')
    return text
      .split('\n')
      .map((line) => codeSpan(line.trim()))
      .join(' ')
  if (kind === 'happened') return codeSpan(text)
  const linked = (part: string) => {
    const [, number] = /^CWE-(\d+)$/.exec(part) ?? []
    return number ? `[${part}](https://cwe.mitre.org/data/definitions/${number}.html)` : escapeMarkdown(part)
  }
  return kind === 'see' ? text.split('; ').map(linked).join('; ') : escapeMarkdown(text)
}

function flowLink(id: string, address: string | undefined): string {
  const url = address === undefined ? '' : flowAddress(address, id)
  if (!URL.canParse(url)) return codeSpan(id)
  const { href, protocol } = new URL(url)
  return /^https?:$/.test(protocol) ? `[${codeSpan(id)}](<${href}>)` : codeSpan(id)
}

const namesOf = (names: readonly string[]) => names.map(codeSpan).join(', ')

/** Rows that nothing can be said of beyond their names share a line. */
function foldRows(title: string, rows: readonly AuditedRow[]): string {
  const told = rows.filter((row) => row.verdict !== 'refused' && row.verdict !== 'accepted' && whatAppDid(row) !== '')
  const lines = told.map((row) => `- ${codeSpan(row.row)}: ${codeSpan(whatAppDid(row))}\n`)
  const names = namesOf(rows.filter((row) => !told.includes(row)).map(({ row }) => row))
  return fold(title, `${lines.join('')}${names && `${lines.length === 0 ? '' : '\n'}${names}\n`}`)
}

const FOLDED: readonly VerdictName[] = ['known', 'observed', 'not for this app', 'refused', 'accepted']

function restBlocks({ checks, rows, learned }: AuditReport): string[] {
  const holds = checks.filter(({ verdict }) => verdict === 'holds').map(({ title }) => escapeMarkdown(title))
  const verdicts = FOLDED.flatMap((verdict) => {
    const those = rows.filter((row) => row.verdict === verdict)
    return those.length === 0 ? [] : [foldRows(`${those.length} ${verdict}`, those)]
  })
  const signs = Object.entries(learned).flatMap(([flow, one]) =>
    one === undefined ? [] : [`- ${flow}: yes is ${codeSpan(one.yes)}, no is ${one.no.map(codeSpan).join(' or ')}\n`],
  )
  return [
    ...(holds.length === 0 ? [] : [`Holds: ${holds.join(', ')}\n`]),
    ...verdicts,
    ...(signs.length === 0 ? [] : [fold('What was learned', signs.join(''))]),
  ]
}
