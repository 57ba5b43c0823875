import { visible } from '../../files/visible.ts'
import type { AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import { flowAddress } from '../../sandbox/outcomes/report/audited-row.ts'
import { isFound, type Point, pointsOf, unshownOf } from '../../sandbox/outcomes/report/points.ts'
import { describeReadings } from '../../sandbox/outcomes/report/readings-report.ts'
import { conclusionOf, describeChecks, isOfReadings } from '../../sandbox/outcomes/report/totals.ts'
import { shellWord } from '../command/settings.ts'

export interface TerminalOptions {
  /** The address of the console: `http://localhost:2435/_sandbox/console`. */
  readonly console?: string | undefined
  /** What is typed to audit the same app again; without it, its page is given. */
  readonly command?: string | undefined
  colour(style: 'bold' | 'dim' | 'red' | 'yellow' | 'green', text: string): string
}

const MAX_NAMES = 5
const COLOURS = { passed: 'green', failed: 'red', undetermined: 'yellow', 'nothing was judged': 'red' } as const

/** What matters of an audit, in lines for a terminal: missing checks, what else was found, what holds, how to go on. */
export function renderTerminal(report: AuditReport, options: TerminalOptions): string[] {
  const { checks, rows, readings, notes, app, totals, seconds } = report
  const { colour, command = `npx agekey-sandbox audit ${shellWord(app)}` } = options
  const found = pointsOf(report).filter(isFound)
  const holds = checks.filter(({ verdict }) => verdict === 'holds').map(({ title }) => title)
  const conclusion = conclusionOf(report)
  const counts = Object.entries(totals).map(([verdict, count]) => `${count} ${verdict}`)
  const again =
    found.find((point) => point.rows.length > 0)?.rows[0] ?? rows.find((row) => row.verdict === 'undetermined')
  const written = new Set<string>()
  const sections = [
    checks.length === 0 ? [] : [colour('bold', visible(describeChecks(checks)))],
    ...found.map((point) => pointLines(point, written, options)),
    ...unshownOf(report).map(({ verdict, reason, count, names }) => {
      const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
      const shown = names.length === 0 ? [] : [`  ${visible(names.slice(0, MAX_NAMES).join(', '))}${more}`]
      return [`${colour('yellow', `${verdict} ${count}`)} ${visible(reason)}`, ...shown]
    }),
    holds.length === 0 ? [] : [`${colour('green', 'holds')} ${visible(holds.join(', '))}`],
    notes.map((note) => `${colour('yellow', 'note')} ${visible(note)}`),
    [
      !isOfReadings(report) &&
        `${colour(COLOURS[conclusion], conclusion)}: ${counts.join(', ') || 'no rows'}; ${seconds.toFixed(1)} seconds`,
      readings &&
        `${colour('bold', 'readings')}: ${visible(describeReadings(readings))}; ${readings.seconds.toFixed(1)} seconds`,
      again && `One row again: ${visible(`${command} --only ${shellWord(again.row)}`)}`,
    ].filter((line) => typeof line === 'string'),
  ]
  return sections.filter((lines) => lines.length > 0).flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

/** At most six lines: what, what happened, harm, what to write in up to two, and where to read on. */
function pointLines(
  { verdict, title, state, weight, facts, flows }: Point,
  written: Set<string>,
  { colour, console: address }: TerminalOptions,
): string[] {
  const lines = facts.flatMap(({ kind, label, text }) => {
    if (kind === 'happened') return [text]
    // Of an app that is safe by accident, or too strict, what happened says enough.
    if (kind === 'see' || verdict !== 'missing') return []
    // Lines of code are our own, and one call checks much of a token. What an app says makes no line.
    if (kind !== 'write') return [`${label}: ${text}`]
    const isShown = written.has(text)
    written.add(text)
    return isShown ? [`${label}: the lines above`] : `${label}: ${text}`.split('\n')
  })
  const see = facts.filter(({ kind }) => kind === 'see').map(({ text }) => text)
  const places = [...see, ...flows.map((id) => (address === undefined ? `flow ${id}` : flowAddress(address, id)))]
  return [
    `${colour(state === 'failed' ? 'red' : 'yellow', verdict)} ${colour('bold', visible(title))}${weight && ` (${weight})`}`,
    ...lines.map((line) => `  ${visible(line)}`),
    ...(places.length === 0 ? [] : [`  ${colour('dim', visible(places.join('; ')))}`]),
  ]
}
