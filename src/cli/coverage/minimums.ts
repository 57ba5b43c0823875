import { ConfigError } from '../../files/config-error.ts'
import {
  type CoverageDimension,
  type DescribedCoverage,
  DIMENSIONS,
  type DimensionName,
  gapsOf,
} from '../../sandbox/coverage/coverage.ts'
import { quote, unknownName } from '../../text/message-parts.ts'

/** The least percentage of a dimension. */
export interface Minimum {
  readonly dimension: DimensionName
  readonly percent: number
}

/** Parses `answers=100,must=80`. @throws ConfigError with one line */
export function readMinimums(text: string | undefined): readonly Minimum[] {
  if (text === undefined) return []
  const minimums = text.split(',').map((entry) => readMinimum(entry.trim()))
  const twice = minimums.find(
    ({ dimension }, index) => minimums.findIndex((one) => one.dimension === dimension) !== index,
  )
  if (twice !== undefined) throw ConfigError.of(`--min: ${twice.dimension} is given twice; keep one`)
  return minimums
}

function readMinimum(entry: string): Minimum {
  const [, name, number = ''] = /^([^=]*)=(.*)$/s.exec(entry) ?? []
  if (name === undefined)
    throw ConfigError.of(`--min: ${quote(entry)} is not a dimension and a percent like answers=100`)
  const dimension = DIMENSIONS.find((known) => known === name)
  if (dimension === undefined) throw ConfigError.of(`--min: ${unknownName('dimension', name, DIMENSIONS)}`)
  const percent = /^\d{1,3}(\.\d{1,9})?$/.test(number) ? Number(number) : Number.NaN
  if (percent >= 0 && percent <= 100) return { dimension, percent }
  throw ConfigError.of(`--min: ${dimension}: ${quote(number)} is not a number from 0 to 100`)
}

/** The missed minimums. */
export const missedMinimums = ({ dimensions }: DescribedCoverage, minimums: readonly Minimum[]): readonly Minimum[] =>
  minimums.filter((minimum) => {
    const { covered, total, percent } = dimensions[minimum.dimension]
    // `percent` is rounded down; the exact value decides.
    return (total === 0 ? percent : (100 * covered) / total) < minimum.percent
  })

/** `3 of 4`, or why nothing is counted. */
export const countOf = ({ covered, total, percent }: CoverageDimension): string => {
  if (total > 0) return `${covered} of ${total}`
  return percent === 0 ? 'nothing was delivered' : 'nothing to see for this app'
}

const MAX_NAMES = 3

/** A missed minimum: the dimension, its percentage, the required one, and the first gaps. */
export function missedInWords({ dimensions }: DescribedCoverage, { dimension, percent }: Minimum): string {
  const found = dimensions[dimension]
  const gaps = gapsOf(found)
  const names = gaps.slice(0, MAX_NAMES).map(({ what }) => what)
  const more = gaps.length > names.length ? ` and ${gaps.length - names.length} more` : ''
  const missing = names.length === 0 ? '' : `; missing are ${names.join(', ')}${more}`
  return `${dimension} is below its minimum: it has ${found.percent} % (${countOf(found)}) and needs ${percent} %${missing}`
}

/** `1 gap` */
export const gapCount = ({ length }: readonly unknown[]): string => (length === 1 ? '1 gap' : `${length} gaps`)
