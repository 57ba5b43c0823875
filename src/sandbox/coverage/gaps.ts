import type { CoverageDimension, CoverageItem, CoverageSide } from './coverage.ts'

/** A side of an item that was not seen. */
export interface CoverageGap extends Pick<CoverageSide, 'closes' | 'persona' | 'outcome'> {
  readonly item: CoverageItem
  /** What is missing, in few words: `age_thresholds 18: false`, `use/id_token.expired`, `par: timeout`. */
  readonly what: string
}

/** What was not seen of a dimension, in the order of its items. */
export const gapsOf = ({ items }: CoverageDimension): readonly CoverageGap[] =>
  items.flatMap((item) =>
    Object.entries(item.sides).flatMap(([side, { count, tests: _tests, ...closing }]) =>
      count > 0 ? [] : [{ item, what: nameOfSide(item, side), ...closing }],
    ),
  )

/** A side in few words. */
export function nameOfSide({ id, title, claims }: CoverageItem, side: string): string {
  if (claims !== undefined) return `${title}: ${side}`
  return side === 'seen' ? id : `${id}: ${side}`
}
