import { visible } from '../../files/visible.ts'
import { grouped } from '../../http/html/elements.ts'
import {
  type Coverage,
  type CoverageGap,
  DIMENSIONS,
  type DimensionName,
  gapsOf,
} from '../../sandbox/coverage/coverage.ts'
import { alignColumns } from '../terminal.ts'
import { countOf, gapCount, type Minimum, missedInWords } from './minimums.ts'

interface TerminalOptions {
  readonly missed: readonly Minimum[]
  colour(style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string): string
}

/** Gaps of one dimension that are listed. An app without tests of wrong answers has a hundred; JSON and Markdown list all. */
const MAX_GAPS = 5

/** Coverage as lines for a terminal. */
export function renderTerminal(coverage: Coverage, options: TerminalOptions): string[] {
  const { missed, colour } = options
  const sections = [
    table(coverage, options),
    ...DIMENSIONS.map((name) => gapLines(name, coverage, options)),
    [...remarks(coverage)],
    missed.map((minimum) => colour('red', visible(missedInWords(coverage, minimum)))),
  ]
  const filled = sections.filter((lines) => lines.length > 0)
  return filled.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

function table({ dimensions }: Coverage, { missed, colour }: TerminalOptions): string[] {
  const rows = DIMENSIONS.map((name) => {
    const { percent } = dimensions[name]
    return [name, `${percent} %`.padStart(5), barOf(percent), countOf(dimensions[name])]
  })
  return alignColumns(rows).map((line, index) => {
    const name = DIMENSIONS[index]
    const isMissed = missed.some(({ dimension }) => dimension === name)
    return isMissed
      ? colour('red', line)
      : name !== undefined && dimensions[name].percent === 100
        ? colour('green', line)
        : line
  })
}

const BAR_WIDTH = 20

function barOf(percent: number): string {
  const filled = Math.floor((percent * BAR_WIDTH) / 100)
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`
}

function gapLines(name: DimensionName, { dimensions, claims }: Coverage, { colour }: TerminalOptions): string[] {
  const gaps = gapsOf(dimensions[name])
  if (gaps.length === 0) return []
  const shown = gaps.slice(0, MAX_GAPS)
  const isOneOfMany = claims.length > 1
  return [
    colour('bold', `${name}: ${gapCount(gaps)}`),
    ...grouped(shown, ({ item }) => item.claims).flatMap(([asked, those]) => [
      ...(asked === undefined || !isOneOfMany ? [] : [`  ${colour('dim', shortened(asked))}`]),
      ...linesOf(those),
    ]),
    ...(gaps.length > shown.length
      ? [`  and ${gaps.length - shown.length} more, which --json and --markdown name`]
      : []),
  ]
}

const linesOf = (gaps: readonly CoverageGap[]) =>
  alignColumns(gaps.map(({ what, closes = '' }) => [`  ${visible(what)}`, visible(closes)]))

const MAX_CLAIMS_LENGTH = 100

const shortened = (claims: string) =>
  visible(claims.length > MAX_CLAIMS_LENGTH ? `${claims.slice(0, MAX_CLAIMS_LENGTH)}…` : claims)

function* remarks({ unused, omitted }: Coverage): Generator<string> {
  if (unused.length > 0)
    yield `Not used by the app, and no gap: ${unused.map(({ flow, reason }) => `${flow} (${reason})`).join('; ')}`
  if (omitted.claims > 0)
    yield `Not counted: ${omitted.claims} answers, whose claims came after the limit of distinct claims was reached`
}
