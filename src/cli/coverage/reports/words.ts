import type { Coverage, CoverageDimension } from '../../../sandbox/coverage/coverage.ts'
import { gapsOf } from '../../../sandbox/coverage/gaps.ts'
import type { Minimum } from '../minimums.ts'

/** `3 of 4`, or why there is nothing to count. */
export const countOf = ({ covered, total, percent }: CoverageDimension): string => {
  if (total > 0) return `${covered} of ${total}`
  return percent === 0 ? 'nothing was delivered' : 'nothing to see for this app'
}

const MAX_NAMES = 3

/** Which dimension is below its minimum, what it has, what it needs, and the first gaps. */
export function missedInWords({ dimensions }: Coverage, { dimension, percent }: Minimum): string {
  const found = dimensions[dimension]
  const gaps = gapsOf(found)
  const names = gaps.slice(0, MAX_NAMES).map(({ what }) => what)
  const more = gaps.length > names.length ? ` and ${gaps.length - names.length} more` : ''
  const missing = names.length === 0 ? '' : `; missing are ${names.join(', ')}${more}`
  return `${dimension} is below its minimum: it has ${found.percent} % (${countOf(found)}) and needs ${percent} %${missing}`
}
