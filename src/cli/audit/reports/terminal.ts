import { shellWord } from '../../../audit/command/settings.ts'
import type { AuditedRow, AuditReport } from '../../../sandbox/outcomes/audit-report.ts'
import { findingsOf, isFailure } from '../../../sandbox/outcomes/report/findings.ts'
import { flowAddress } from '../../../sandbox/outcomes/report/flow-address.ts'
import {
  dependencesOf,
  describeReadings,
  namesOfCombination,
  reasonsOf,
  variantName,
  whatTogetherDid,
  whatVariantDid,
  whereSilent,
} from '../../../sandbox/outcomes/report/readings-text.ts'
import { meaningOf, referencesOf, weightOf, whatHappened } from '../../../sandbox/outcomes/report/row-texts.ts'
import { byReason, type Conclusion, conclusionOf, totalsInOrder } from '../../../sandbox/outcomes/report/summary.ts'
import { visible } from '../../terminal.ts'

type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green'

interface TerminalOptions {
  /** The address of the console: `http://localhost:2435/_sandbox/console`. */
  readonly console?: string | undefined
  /** What is typed to audit the same app again; without it, its page is given. */
  readonly command?: string | undefined
  colour(style: Style, text: string): string
}

/** Findings that are explained. An app that checks nothing has hundreds; of the others the name says enough. */
const MAX_EXPLAINED = 25
const MAX_NAMES = 5

/** What matters of an audit, in lines for a terminal: findings, what could not be judged, totals, how to go on. */
export function renderTerminal(report: AuditReport, options: TerminalOptions): string[] {
  const findings = findingsOf(report)
  const sections = [
    ...findings.slice(0, MAX_EXPLAINED).map((row) => explain(row, options)),
    findings.slice(MAX_EXPLAINED).map((row) => headline(row, options)),
    byReason(report, 'undetermined').flatMap(([reason, rows]) => undeterminedLines(reason, rows, options)),
    ...readingsSections(report, options),
    report.notes.map((note) => `${options.colour('yellow', 'note')} ${visible(note)}`),
    [...conclusionLines(report, options), ...howToGoOn(report, findings, options)],
  ]
  const filled = sections.filter((lines) => lines.length > 0)
  return filled.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

function explain(row: AuditedRow, options: TerminalOptions): string[] {
  const { colour } = options
  const references = referencesOf(row)
  return [
    headline(row, options),
    `  ${visible(whatHappened(row))}`,
    `  Check: ${visible(row.rule)}`,
    ...(references === '' ? [] : [`  ${colour('dim', visible(references))}`]),
    ...flowLines(row.flows, options),
  ]
}

function flowLines(flows: readonly string[], { console: address }: TerminalOptions): string[] {
  const shown = flows.map((id) => (address === undefined ? `flow ${id}` : flowAddress(address, id)))
  return shown.length === 0 ? [] : [`  ${visible(shown.join(' '))}`]
}

function headline(row: AuditedRow, { colour }: TerminalOptions): string {
  const verdict = colour(isFailure(row) ? 'red' : 'yellow', row.verdict)
  return `${verdict} ${colour('bold', visible(row.row))} (${weightOf(row)})`
}

function undeterminedLines(reason: string, rows: readonly AuditedRow[], { colour }: TerminalOptions): string[] {
  const names = rows.slice(0, MAX_NAMES).map(({ row }) => row)
  const more = rows.length > MAX_NAMES ? ` and ${rows.length - MAX_NAMES} more` : ''
  const meaning = meaningOf(reason)
  const why = meaning === '' ? reason : `${reason}, ${meaning}`
  return [`${colour('yellow', `undetermined ${rows.length}`)} ${visible(why)}`, `  ${visible(names.join(', '))}${more}`]
}

const COLOURS: Readonly<Record<Conclusion, Style>> = {
  passed: 'green',
  failed: 'red',
  undetermined: 'yellow',
  'nothing was judged': 'red',
}

/** What the app depends on, then what could not be shown. */
function readingsSections({ readings }: AuditReport, options: TerminalOptions): string[][] {
  if (!readings) return []
  const { colour } = options
  const mark = colour(readings.counted ? 'red' : 'yellow', 'depends on')
  const dependences = dependencesOf(readings).flatMap(({ needs, broken }) =>
    broken.map((one) => [
      `${mark} ${colour('bold', visible(needs))}: it fails under ${visible(variantName(one))}`,
      `  ${visible(whatVariantDid(one))}`,
      `  ${colour('dim', visible(whereSilent(one)))}`,
      ...flowLines(one.flows, options),
    ]),
  )
  const together = readings.combinations.failed.map((one) => [
    `${colour(readings.counted ? 'red' : 'yellow', 'fails under')} ${colour('bold', visible(namesOfCombination(one)))}`,
    `  ${visible(whatTogetherDid(one))}`,
    ...flowLines(one.flows, options),
  ])
  const others = reasonsOf(readings).map(({ verdict, reason, count, names }) => [
    `${colour('yellow', `${verdict} ${count}`)} ${visible(reason)}`,
    ...(names.length === 0 ? [] : [`  ${visible(names.join(', '))}`]),
  ])
  return [...dependences, ...together, ...others]
}

function conclusionLines(report: AuditReport, options: TerminalOptions): string[] {
  const { readings, rows } = report
  if (!readings) return [conclusionLine(report, options)]
  const seconds = `${readings.seconds.toFixed(1)} seconds`
  const line = `${options.colour('bold', 'readings')}: ${visible(describeReadings(readings))}; ${seconds}`
  return rows.length === 0 ? [line] : [conclusionLine(report, options), line]
}

function conclusionLine(report: AuditReport, { colour }: TerminalOptions): string {
  const conclusion = conclusionOf(report)
  const totals = totalsInOrder(report).map(([verdict, count]) => `${count} ${verdict}`)
  const counts = totals.length === 0 ? 'no rows' : totals.join(', ')
  return `${colour(COLOURS[conclusion], conclusion)}: ${counts}; ${report.seconds.toFixed(1)} seconds`
}

/** How one row is run again: the worst finding, or else a row that could not be judged. */
function howToGoOn(
  { app, rows }: AuditReport,
  [worst]: readonly AuditedRow[],
  { command = `npx agekey-sandbox audit ${shellWord(app)}` }: TerminalOptions,
): string[] {
  const row = worst ?? rows.find(({ verdict }) => verdict === 'undetermined')
  if (row === undefined) return []
  return [`One row again: ${visible(`${command} --only ${shellWord(row.row)}`)}`]
}
