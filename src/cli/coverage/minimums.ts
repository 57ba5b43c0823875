import { ConfigError } from '../../files/config-error.ts'
import {
  type CoverageDimension,
  type DescribedCoverage,
  DIMENSIONS,
  type DimensionName,
} from '../../sandbox/coverage/coverage.ts'
import { quote, unknownName } from '../../text/message-parts.ts'

/** The least percent of a dimension. */
export interface Minimum {
  readonly dimension: DimensionName
  readonly percent: number
}

/** Reads `answers=100,must=80`. @throws ConfigError with one line, for what is no minimum */
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

/** The minimums that were not reached. */
export const missedMinimums = ({ dimensions }: DescribedCoverage, minimums: readonly Minimum[]): readonly Minimum[] =>
  minimums.filter(({ dimension, percent }) => exactPercent(dimensions[dimension]) < percent)

/** `percent` is rounded down; the exact one decides. */
const exactPercent = ({ covered, total, percent }: CoverageDimension) =>
  total === 0 ? percent : (100 * covered) / total
