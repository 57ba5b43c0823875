import { flagWord } from '../../service/text/shell-word.ts'
import { visible } from '../../service/text/visible.ts'
import type { AuditReport } from './audit-report.ts'
import { conclusionOf, describeChecks, describeReadings, listChecks } from './conclusion.ts'
import { isFound, linesOf, type Point, pointsOf, unshownOf } from './points.ts'

export interface TerminalOptions {
  /** The URL of the console: `http://localhost:2435/_sandbox/console`. */
  readonly console?: string | undefined
  /** The command that audits the same app again (default: the command with the app's page). */
  readonly command?: string | undefined
  colour(style: 'bold' | 'dim' | 'red' | 'yellow' | 'green', text: string): string
}

const MAX_NAMES = 5
const COLOURS = {
  passed: 'green',
  failed: 'red',
  undetermined: 'yellow',
  'nothing was judged': 'red',
} as const

/**
 * Renders the essentials of a report as lines for a terminal: findings, what could not be judged,
 * the checks that hold, notes, and how to continue.
 */
export function renderAuditTerminal(report: AuditReport, options: TerminalOptions): string[] {
  const { checks, rows, readings, notes, app, totals, seconds } = report
  const { colour, command = `npx agekey-sandbox audit ${flagWord(app)}` } = options
  const found = pointsOf(report).filter(isFound)
  const holding = checks.filter(({ verdict }) => verdict === 'holds')
  const conclusion = conclusionOf(report)
  const counts = Object.entries(totals).map(([verdict, count]) => `${count} ${verdict}`)
  const again =
    found.find((point) => point.rows.length > 0)?.rows[0] ??
    rows.find((row) => row.verdict === 'undetermined')
  const written = new Set<string>()
  const sections = [
    checks.length === 0 ? [] : [colour('bold', visible(describeChecks(checks)))],
    ...found.map((point) => pointLines(point, written, options)),
    ...unshownOf(report).map(({ verdict, reason, count, names }) => {
      const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
      const shown =
        names.length === 0 ? [] : [`  ${visible(names.slice(0, MAX_NAMES).join(', '))}${more}`]
      return [`${colour('yellow', `${verdict} ${count}`)} ${visible(reason)}`, ...shown]
    }),
    holding.length === 0
      ? []
      : wrapped(`holds: ${visible(listChecks(holding))}`).map((line) =>
          line.replace(/^holds/, colour('green', '$&')),
        ),
    notes.map((note) => `${colour('yellow', 'note')} ${visible(note)}`),
    [
      (rows.length > 0 || !readings) &&
        `${colour(COLOURS[conclusion], conclusion)}: ${counts.join(', ') || 'no rows'}; ${seconds.toFixed(1)} seconds`,
      readings &&
        `${colour('bold', 'readings')}: ${visible(describeReadings(readings))}; ${readings.seconds.toFixed(1)} seconds`,
      again && `One row again: ${visible(`${command} --only ${flagWord(again.row)}`)}`,
    ].filter((line) => typeof line === 'string'),
  ]
  return sections
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

/** Wraps a list at commas, into lines of at most 120 columns. */
const wrapped = (list: string): readonly string[] =>
  [...list.matchAll(/(?:.{1,117}|.+?)(?:, |$)/g)].map(
    ([line], index) => (index === 0 ? '' : '  ') + line.trimEnd(),
  )

function pointLines(
  point: Point,
  written: Set<string>,
  { colour, console }: TerminalOptions,
): string[] {
  const { verdict, title, state, weight, flows } = point
  // Only a missing check needs all facts. For other findings, what happened is enough.
  const shown = point.facts.filter(
    ({ kind }) => verdict === 'missing' || kind === 'happened' || kind === 'see',
  )
  const facts = shown.map((fact) => {
    const isRepeated = fact.kind === 'write' && written.has(fact.text)
    written.add(fact.text)
    return isRepeated ? { ...fact, text: 'the lines above' } : fact
  })
  return [
    `${colour(state === 'failed' ? 'red' : 'yellow', verdict)} ${colour('bold', visible(title))}${weight && ` (${weight})`}`,
    ...linesOf({ facts, flows }, console).map((line) => `  ${visible(line)}`),
  ]
}
