import {
  type Coverage,
  type CoverageDimension,
  type CoverageGap,
  type CoverageItem,
  claimsTextOf,
  DIMENSIONS,
  type DimensionName,
  gapsOf,
  nameOfSide,
} from '../../../sandbox/coverage/coverage.ts'
import { type JUnitCase, renderJUnit } from '../../../sandbox/files/reports/junit.ts'
import {
  codeSpan,
  escapeMarkdown,
  fold,
  joinBlocks,
  renderMarkdownTable,
} from '../../../sandbox/files/reports/markdown.ts'
import { grouped } from '../../../server/http/html/elements.ts'
import { visible } from '../../../service/text/visible.ts'
import { alignColumns } from '../terminal.ts'

/** The minimum percentage of a dimension. */
export interface Minimum {
  readonly dimension: DimensionName
  readonly percent: number
}

interface TerminalOptions {
  readonly missed: readonly Minimum[]
  colour(style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string): string
}

/**
 * Maximum number of gaps to list for a dimension. An app without tests of wrong answers has a
 * hundred gaps; JSON and Markdown list all.
 */
const MAX_GAPS = 5

/** Renders coverage as lines for a terminal. */
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
  const lines = alignColumns(rows)
  return DIMENSIONS.map((name, index) => {
    const line = lines[index] ?? ''
    if (missed.some(({ dimension }) => dimension === name)) return colour('red', line)
    return dimensions[name].percent === 100 ? colour('green', line) : line
  })
}

const BAR_WIDTH = 20

function barOf(percent: number): string {
  const filled = Math.floor((percent * BAR_WIDTH) / 100)
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`
}

function gapLines(name: DimensionName, coverage: Coverage, { colour }: TerminalOptions): string[] {
  const gaps = gapsOf(coverage.dimensions[name])
  if (gaps.length === 0) return []
  const shown = gaps.slice(0, MAX_GAPS)
  const hasManyClaims = Object.keys(coverage.claims).length > 1
  const lines = [colour('bold', `${name}: ${gapCount(gaps)}`)]
  for (const [claims, gapsOfClaims] of grouped(shown, ({ item }) => claimsTextOf(item, coverage))) {
    if (claims !== undefined && hasManyClaims) lines.push(`  ${colour('dim', shortened(claims))}`)
    lines.push(...linesOf(gapsOfClaims))
  }
  if (gaps.length > shown.length)
    lines.push(`  and ${gaps.length - shown.length} more, which --json and --markdown name`)
  return lines
}

const linesOf = (gaps: readonly CoverageGap[]) =>
  alignColumns(gaps.map(({ what, closes = '' }) => [`  ${visible(what)}`, visible(closes)]))

const MAX_CLAIMS_LENGTH = 100

const shortened = (claims: string) =>
  visible(claims.length > MAX_CLAIMS_LENGTH ? `${claims.slice(0, MAX_CLAIMS_LENGTH)}…` : claims)

function* remarks({ unused, omitted }: Coverage): Generator<string> {
  if (unused.length > 0)
    yield `Not used by the app, and no gap: ${unused.map(({ flow, reason }) => `${flow} (${reason})`).join('; ')}`
  if (omitted)
    yield 'Not counted: what came after the limit of distinct claims or of names was reached'
}

interface MarkdownOptions {
  /** The source of the coverage. */
  readonly from: string
  readonly minimums: readonly Minimum[]
  readonly missed: readonly Minimum[]
  readonly notes: readonly string[]
  /** Maximum size (default: the size that GitHub accepts for the summary of a step). */
  readonly maxBytes?: number
}

/** Renders coverage as GitHub Flavored Markdown: the dimensions, the gaps, and folded details. */
export function renderCoverageMarkdown(coverage: Coverage, options: MarkdownOptions): string {
  const { from, missed, notes, maxBytes } = options
  const { unused } = coverage
  const blocks = [
    `## Coverage of answers: ${missed.length > 0 ? 'below a minimum' : headline(coverage)}\n`,
    dimensionTable(coverage, options),
    `Read from ${codeSpan(from)}, by catalogue ${escapeMarkdown(coverage.catalogue)}\n`,
    ...[...missed.map((minimum) => missedInWords(coverage, minimum)), ...notes].map(
      (note) => `- ${escapeMarkdown(note)}\n`,
    ),
    ...DIMENSIONS.flatMap((name) => gapBlocks(name, coverage)),
    ...(unused.length === 0 ? [] : ['### Not used by the app\n']),
    ...unused.map(({ flow, reason }) => `- ${codeSpan(flow)}: ${escapeMarkdown(reason)}\n`),
    ...DIMENSIONS.flatMap((name) => seenBlocks(name, coverage)),
  ]
  return joinBlocks(blocks, maxBytes)
}

const headline = ({ dimensions }: Coverage) =>
  gapCount(DIMENSIONS.flatMap((name) => gapsOf(dimensions[name])))

const dimensionTable = ({ dimensions }: Coverage, { minimums }: MarkdownOptions) =>
  renderMarkdownTable(
    [
      { title: 'Dimension' },
      { title: 'Percent', isNumber: true },
      { title: 'Minimum', isNumber: true },
      { title: 'Seen' },
    ],
    DIMENSIONS.map((name) => {
      const minimum = minimums.find(({ dimension }) => dimension === name)
      return [name, dimensions[name].percent, minimum?.percent ?? '', countOf(dimensions[name])]
    }),
  )

/** Maximum number of visible gaps of a dimension. More gaps are folded. */
const MAX_OPEN = 10

function gapBlocks(name: DimensionName, coverage: Coverage): string[] {
  const gaps = gapsOf(coverage.dimensions[name])
  if (gaps.length === 0) return []
  const lists: string[] = []
  for (const [claims, gapsOfClaims] of grouped(gaps, ({ item }) => claimsTextOf(item, coverage))) {
    if (claims !== undefined) lists.push(`For ${codeSpan(claims)}:\n`)
    lists.push(gapsOfClaims.map(gapLine).join(''))
  }
  const title = `### ${name}: ${gapCount(gaps)}\n`
  return gaps.length <= MAX_OPEN
    ? [title, ...lists]
    : [title, fold('What closes each', lists.join('\n'))]
}

const gapLine = ({ what, closes = '' }: CoverageGap) =>
  `- ${codeSpan(what)}: ${escapeMarkdown(closes)}\n`

function seenBlocks(name: DimensionName, { dimensions }: Coverage): string[] {
  const lines = dimensions[name].items.flatMap(seenLines)
  return lines.length === 0 ? [] : [fold(`${name}: what was seen`, lines.join(''))]
}

const seenLines = (item: CoverageItem): string[] =>
  Object.entries(item.sides)
    .filter(([, { seen }]) => seen)
    .map(([side]) => `- ${codeSpan(nameOfSide(item, side))}\n`)

/**
 * Renders coverage as JUnit XML, with a testsuite for each dimension and a testcase for each side.
 * A gap fails if its dimension misses a minimum, and is skipped otherwise.
 */
export const renderCoverageJUnit = (coverage: Coverage, missed: readonly Minimum[]): string =>
  renderJUnit(
    DIMENSIONS.map((name) => {
      const isMissed = missed.some(({ dimension }) => dimension === name)
      const { items } = coverage.dimensions[name]
      const casesOf = (item: CoverageItem) =>
        Object.keys(item.sides).map((side) => caseOf(item, { side, name, isMissed, coverage }))
      return { name, cases: items.flatMap(casesOf) }
    }),
  )

function caseOf(
  item: CoverageItem,
  {
    side,
    name,
    isMissed,
    coverage,
  }: { side: string; name: DimensionName; isMissed: boolean; coverage: Coverage },
): JUnitCase {
  const claims = claimsTextOf(item, coverage)
  const about = claims === undefined ? '' : ` of ${claims}`
  const facts = { name: `${nameOfSide(item, side)}${about}`, classname: name, seconds: 0 }
  const { seen = false, closes } = item.sides[side] ?? {}
  if (seen) return { ...facts, status: 'passed' }
  return { ...facts, status: isMissed ? 'failed' : 'skipped', detail: closes }
}

/** The count in words: `3 of 4`, or why nothing is counted. */
const countOf = ({ covered, total, percent }: CoverageDimension): string => {
  if (total > 0) return `${covered} of ${total}`
  return percent === 0 ? 'nothing was delivered' : 'nothing to see for this app'
}

const MAX_NAMES = 3

/** A missed minimum in words: actual and required percentage, and the first gaps. */
function missedInWords({ dimensions }: Coverage, { dimension, percent }: Minimum): string {
  const found = dimensions[dimension]
  const gaps = gapsOf(found)
  const names = gaps.slice(0, MAX_NAMES).map(({ what }) => what)
  const more = gaps.length > names.length ? ` and ${gaps.length - names.length} more` : ''
  const missing = names.length === 0 ? '' : `; missing are ${names.join(', ')}${more}`
  return `${dimension} is below its minimum: it has ${found.percent} % (${countOf(found)}) and needs ${percent} %${missing}`
}

/** `1 gap` */
const gapCount = ({ length }: readonly unknown[]): string =>
  length === 1 ? '1 gap' : `${length} gaps`
