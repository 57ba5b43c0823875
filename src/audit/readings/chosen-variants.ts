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

/** A variant to try, and the usual variant of the same reading. */
export interface ChosenVariant {
  readonly reading: Reading
  readonly variant: Variant
  readonly usual: string
  /** The flows of an app that may show the difference. */
  readonly flows: readonly TriedFlow[]
  /** Why the variant cannot be tried. */
  readonly absent?: TrialFinding | undefined
}

/** `refused_token_status=403` */
export const chosenVariantName = ({ reading, variant }: NamedVariant): string =>
  readingId(reading.name, variant.name)

type NamedVariant = Pick<ChosenVariant, 'reading'> & { readonly variant: Pick<Variant, 'name'> }

/**
 * All variants that the tenant does not have now. The good flows of an app come first, then those
 * of the rows that show the reading.
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
    // Decision: the brand word is a setting of an app that writes it into its requests, like the
    // base URL.
    if (name === 'brand_word' && profile.upgradeScope)
      return notForThisApp('your app names the brand word itself, in the upgrade scope')
    const other = set.find((one) => isExcluded({ reading, variant }, one))
    if (other) return undetermined(`it excludes ${chosenVariantName(other)}, which the tenant has`)
    const known = rows.flatMap((row) => knownBefore(row, settings) ?? [])
    if (known.length === rows.length) {
      const masked = known.find(({ verdict }) => verdict !== 'not for this app')
      return masked ? undetermined(masked.evidence, 'masked') : known[0]
    }
    // Answers of Create always come in a redirect.
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

export const mayMeet = (one: ChosenVariant, other: ChosenVariant): boolean =>
  one.reading !== other.reading && !isExcluded(one, other)

/** Whether two variants exclude each other; one of them lists the other. */
function isExcluded(one: NamedVariant, other: NamedVariant): boolean {
  const excludes = ({ reading, variant }: NamedVariant, beside: NamedVariant) =>
    reading.excludes?.[variant.name]?.includes(chosenVariantName(beside)) === true
  return excludes(one, other) || excludes(other, one)
}
