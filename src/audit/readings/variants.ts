import { findRow } from '../../sandbox/outcomes/catalogue.ts'
import { type Reading, type Readings, readingId, type Variant } from '../../sandbox/readings/reading.ts'
import { excludedBy, READINGS } from '../../sandbox/readings/readings.ts'
import { knownBefore, notForThisApp } from '../trials/known-before.ts'
import type { RowSettings } from '../trials/row-trial.ts'
import type { Finding } from '../trials/trial.ts'
import { coverPairs } from './cover-pairs.ts'
import { flowsOfRow, goodFlowsOf, type TriedFlow } from './tried-flow.ts'

/** A variant of a reading beside the usual one. */
export interface ChosenVariant {
  readonly reading: Reading
  readonly variant: Variant
  /** Name of the usual variant. */
  readonly usual: string
  /** The flows of an app that may show it. */
  readonly flows: readonly TriedFlow[]
  /** Why there are none. */
  readonly absent?: Finding
}

/** `par_status=200` */
export const nameOf = ({ reading, variant }: Pick<ChosenVariant, 'reading' | 'variant'>): string =>
  readingId(reading.name, variant.name)

/** Every variant that the tenant does not have now. The good flows of an app come first, then those of the rows that show the reading. */
export function unusualVariants(readings: Readings, settings: RowSettings): readonly ChosenVariant[] {
  const { learned } = settings
  const good = goodFlowsOf(learned)
  const set = Object.entries(readings).map((one) => readingId(...one))

  function planOf(reading: Reading, variant: Variant): Pick<ChosenVariant, 'flows' | 'absent'> {
    const absent = (finding: Finding) => ({ flows: [], absent: finding })
    const open = (evidence: string, reason?: string) => absent({ verdict: 'undetermined', reason, evidence, flows: [] })
    // Decision: the brand word is a setting of an app that writes it into its requests, as the base URL is.
    if (reading.name === 'brand_word' && learned.profile.upgradeScope)
      return absent(notForThisApp('your app names the brand word itself, in the upgrade scope'))
    const other = set.find((one) => isExcluded(readingId(reading.name, variant.name), one))
    if (other !== undefined) return open(`it excludes ${other}, which the tenant has`)
    const rows = reading.shownBy.flatMap((id) => findRow(id) ?? [])
    const left = rows.filter((row) => !knownBefore(row, settings))
    const others = left.filter((row) => !good.some((flow) => flow.row === row))
    if (left.length > 0) return { flows: [...good, ...others.flatMap((row) => flowsOfRow(row, settings))] }
    const known = rows.flatMap((row) => knownBefore(row, settings) ?? [])
    const masked = known.find(({ verdict }) => verdict !== 'not for this app')
    if (masked) return open(masked.evidence, 'masked')
    return absent(known[0] ?? notForThisApp('no flow of an audit shows it'))
  }

  return READINGS.flatMap((reading) => {
    const usual = readings[reading.name] ?? reading.default
    const others = reading.variants.filter(({ name }) => name !== usual)
    return others.map((variant) => ({ reading, variant, usual, ...planOf(reading, variant) }))
  })
}

/** Combinations of variants that together hold every pair of them, beside the usual ones, as far as they may stand together. */
export function combinationsOf(variants: readonly ChosenVariant[]): readonly (readonly ChosenVariant[])[] {
  const choices = READINGS.map((reading) => {
    const own = variants.filter((one) => one.reading === reading)
    const usual = reading.variants.find(({ name }) => name === own[0]?.usual)
    return [...own, ...own.slice(0, 1).map((one) => ({ ...one, variant: usual ?? one.variant }))]
  })
  // One variant alone was tried before.
  return coverPairs<ChosenVariant>(choices, (one, other) => !isExcluded(nameOf(one), nameOf(other)))
    .map((combination) => combination.filter((one) => variants.includes(one)))
    .filter(({ length }) => length > 1)
}

/** Whether two variants cannot hold together; the table says it of either of them. */
function isExcluded(one: string, other: string): boolean {
  const excludes = (name: string, beside: string) => {
    const [reading = '', variant = ''] = name.split('=')
    return excludedBy(reading, variant).includes(beside)
  }
  return excludes(one, other) || excludes(other, one)
}
