import { visible } from '../../files/visible.ts'
import type { AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import { flowAddress } from '../../sandbox/outcomes/report/audited-row.ts'
import { type Fact, isFound, type Point, pointsOf, unshownOf } from '../../sandbox/outcomes/report/points.ts'
import { describeReadings } from '../../sandbox/outcomes/report/readings-report.ts'
import { conclusionOf, describeChecks, totalsInOrder } from '../../sandbox/outcomes/report/totals.ts'
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
  const { checks, rows, readings, notes, app } = report
  const { colour, command = `npx agekey-sandbox audit ${shellWord(app)}` } = options
  const found = pointsOf(report).filter(isFound)
  const holds = checks.filter(({ verdict }) => verdict === 'holds').map(({ title }) => title)
  const conclusion = conclusionOf(report)
  const totals = totalsInOrder(report).map(([verdict, count]) => `${count} ${verdict}`)
  const again = found.find((point) => point.rows.length > 0)?.rows[0] ?? rows.find(isUndetermined)
  const sections = [
    checks.length === 0 ? [] : [colour('bold', visible(describeChecks(checks)))],
    ...found.map((point, index) => pointLines(withoutRepetition(point, found.slice(0, index)), options)),
    ...unshownOf(report).map(({ verdict, reason, count, names }) => [
      `${colour('yellow', `${verdict} ${count}`)} ${visible(reason)}`,
      ...(names.length === 0 ? [] : [`  ${visible(names.slice(0, MAX_NAMES).join(', '))}${moreThan(names.length)}`]),
    ]),
    holds.length === 0 ? [] : [`${colour('green', 'holds')} ${visible(holds.join(', '))}`],
    notes.map((note) => `${colour('yellow', 'note')} ${visible(note)}`),
    [
      ...(readings && rows.length === 0
        ? []
        : [`${colour(COLOURS[conclusion], conclusion)}: ${totals.join(', ') || 'no rows'}; ${secondsOf(report)}`]),
      ...(readings
        ? [`${colour('bold', 'readings')}: ${visible(describeReadings(readings))}; ${secondsOf(readings)}`]
        : []),
      ...(again ? [`One row again: ${visible(`${command} --only ${shellWord(again.row)}`)}`] : []),
    ],
  ]
  return sections.filter((lines) => lines.length > 0).flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

/** At most six lines: what, what happened, harm, what to write in up to two, and where to read on. */
function pointLines({ verdict, title, state, weight, facts, flows }: Point, options: TerminalOptions): string[] {
  const { colour, console: address } = options
  const head = `${colour(state === 'failed' ? 'red' : 'yellow', verdict)} ${colour('bold', visible(title))}`
  const see = facts.flatMap(({ kind, text }) => (kind === 'see' ? [text] : []))
  const places = [...see, ...flows.map((id) => (address === undefined ? `flow ${id}` : flowAddress(address, id)))]
  // Of an app that is safe by accident, or too strict, what happened says enough.
  const shown = facts.filter(({ kind }) => kind === 'happened' || (verdict === 'missing' && kind !== 'see'))
  return [
    `${head}${weight && ` (${weight})`}`,
    ...shown
      // Lines of code are our own. What an app says makes no line.
      .flatMap(({ kind, label, text }) =>
        kind === 'write' ? `${label}: ${text}`.split('\n') : [kind === 'happened' ? text : `${label}: ${text}`],
      )
      .map((line) => `  ${visible(line)}`),
    ...(places.length === 0 ? [] : [`  ${colour('dim', visible(places.join('; ')))}`]),
  ]
}

/** One call checks much of a token: its lines are shown once. */
function withoutRepetition(point: Point, before: readonly Point[]): Point {
  const isShown = ({ kind, text }: Fact) =>
    kind === 'write' && before.some((one) => one.facts.some((fact) => fact.text === text))
  return { ...point, facts: point.facts.map((fact) => (isShown(fact) ? { ...fact, text: 'the lines above' } : fact)) }
}

const isUndetermined = ({ verdict }: { readonly verdict: string }) => verdict === 'undetermined'
const moreThan = (count: number) => (count > MAX_NAMES ? ` and ${count - MAX_NAMES} more` : '')
const secondsOf = ({ seconds }: { readonly seconds: number }) => `${seconds.toFixed(1)} seconds`
