import { codeSpan, escapeMarkdown, fold, joinBlocks, renderMarkdownTable } from '../../files/reports/markdown.ts'
import { grouped } from '../../http/html/elements.ts'
import {
  type Coverage,
  type CoverageGap,
  type CoverageItem,
  DIMENSIONS,
  type DimensionName,
  gapsOf,
  nameOfSide,
} from '../../sandbox/coverage/coverage.ts'
import { countOf, gapCount, type Minimum, missedInWords } from './minimums.ts'

interface MarkdownOptions {
  /** The source of the coverage. */
  readonly from: string
  readonly minimums: readonly Minimum[]
  readonly missed: readonly Minimum[]
  readonly notes: readonly string[]
  /** By default the length that GitHub accepts for the summary of a step. */
  readonly maxBytes?: number
}

/** Coverage as GitHub Flavored Markdown: a line for each dimension, the gaps, and folded the tests that saw the rest. */
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

const headline = ({ dimensions }: Coverage) => gapCount(DIMENSIONS.flatMap((name) => gapsOf(dimensions[name])))

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

/** Gaps of one dimension that are visible; more would make the page long and are folded. */
const MAX_OPEN = 10

function gapBlocks(name: DimensionName, { dimensions }: Coverage): string[] {
  const gaps = gapsOf(dimensions[name])
  if (gaps.length === 0) return []
  const lists = grouped(gaps, ({ item }) => item.claims).flatMap(([claims, those]) => [
    ...(claims === undefined ? [] : [`For ${codeSpan(claims)}:\n`]),
    those.map(gapLine).join(''),
  ])
  const title = `### ${name}: ${gapCount(gaps)}\n`
  return gaps.length <= MAX_OPEN ? [title, ...lists] : [title, fold('What closes each', lists.join('\n'))]
}

const gapLine = ({ what, closes = '' }: CoverageGap) => `- ${codeSpan(what)}: ${escapeMarkdown(closes)}\n`

function seenBlocks(name: DimensionName, { dimensions }: Coverage): string[] {
  const lines = dimensions[name].items.flatMap(seenLines)
  return lines.length === 0 ? [] : [fold(`${name}: what was seen, and by which tests`, lines.join(''))]
}

const seenLines = (item: CoverageItem): string[] =>
  Object.entries(item.sides).flatMap(([side, { count, tests = [] }]) => {
    if (count === 0) return []
    const by = tests.length === 0 ? '' : `: ${tests.map(escapeMarkdown).join('; ')}`
    return [`- ${codeSpan(nameOfSide(item, side))}, ${count === 1 ? 'once' : `${count} times`}${by}\n`]
  })
