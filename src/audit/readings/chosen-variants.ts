import { findRow } from '../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../sandbox/outcomes/outcome.ts'
import {
  type Reading,
  type Readings,
  readingId,
  type Variant,
} from '../../sandbox/readings/reading.ts'
import { READINGS } from '../../sandbox/readings/readings.ts'
import { knownBefore, notForThisApp } from '../trials/rows/known-before.ts'
import { planRow, type RowSettings } from '../trials/rows/row-plan.ts'
import { type TrialFinding, undetermined } from '../trials/trial.ts'
import { flowOf, goodFlowsOf, type TriedFlow } from './tried-flow.ts'

/** A variant to try, and the current variant of the same reading. */
export interface ChosenVariant {
  readonly reading: Reading
  readonly variant: Variant
  readonly usual: string
  /** The flows of the app that may show a difference. */
  readonly flows: readonly TriedFlow[]
  /** Why the variant cannot be tried. */
  readonly absent?: TrialFinding | undefined
}

/** The id of a variant: `refused_token_status=403`. */
export const chosenVariantName = ({ reading, variant }: NamedVariant): string =>
  readingId(reading.name, variant.name)

type NamedVariant = Pick<ChosenVariant, 'reading'> & { readonly variant: Pick<Variant, 'name'> }

/**
 * All variants that differ from the current readings of the tenant. The flows of each variant are
 * the good flows of the app, then the flows of other rows that show the reading.
 */
export function unusualVariants(own: Readings, settings: RowSettings): readonly ChosenVariant[] {
  const { profile, create } = settings.learned
  const usualOf = (reading: Reading) => own[reading.name] ?? reading.default
  const good = goodFlowsOf(settings.learned)
  const set = READINGS.map((reading) => ({ reading, variant: { name: usualOf(reading) } }))
  const isRedirected = profile.responseMode !== 'form_post' || create.kind === 'learned'

  function whyAbsent(
    reading: Reading,
    rows: readonly AuditRow[],
    variant: Variant,
  ): TrialFinding | undefined {
    const { name } = reading
    // Decision: an app that requests the upgrade scope has the brand word as a setting, like the
    // base URL, so another brand word shows nothing.
    if (name === 'brand_word' && profile.upgradeScope)
      return notForThisApp('your app names the brand word itself, in the upgrade scope')
    const other = set.find((one) => isExcluded({ reading, variant }, one))
    if (other) return undetermined(`it excludes ${chosenVariantName(other)}, which the tenant has`)
    const known = rows.flatMap((row) => knownBefore(row, settings) ?? [])
    if (known.length === rows.length) {
      const masked = known.find(({ verdict }) => verdict !== 'not for this app')
      return masked ? undetermined(masked.evidence, 'masked') : known[0]
    }
    // Create always answers by a redirect, Use does not with form_post.
    if (!isRedirected && (name === 'redirect_status' || name === 'callback_spaces'))
      return undetermined('your app asks for form_post, and its answers come in no redirect')
    return undefined
  }

  return READINGS.flatMap((reading) => {
    const usual = usualOf(reading)
    const rows = reading.shownBy.flatMap((id) => findRow(id) ?? [])
    const others = rows.filter(
      (row) => !knownBefore(row, settings) && !good.some((flow) => flow.row === row),
    )
    const flows = [
      ...good,
      ...others.flatMap((row) => planRow(row, settings).roles.map((role) => flowOf(row, role))),
    ]
    return reading.variants
      .filter(({ name }) => name !== usual)
      .map((variant) => ({
        reading,
        variant,
        usual,
        flows,
        absent: whyAbsent(reading, rows, variant),
      }))
  })
}

/** Whether one combination may contain both variants. */
export const mayMeet = (one: ChosenVariant, other: ChosenVariant): boolean =>
  one.reading !== other.reading && !isExcluded(one, other)

/** Whether one of two variants excludes the other. */
function isExcluded(one: NamedVariant, other: NamedVariant): boolean {
  const excludes = ({ reading, variant }: NamedVariant, beside: NamedVariant) =>
    reading.excludes?.[variant.name]?.includes(chosenVariantName(beside)) === true
  return excludes(one, other) || excludes(other, one)
}
