import { findRow } from '../../sandbox/outcomes/catalogue.ts'
import { type Reading, type Readings, readingId, type Variant } from '../../sandbox/readings/reading.ts'
import { findReading, READINGS } from '../../sandbox/readings/readings.ts'
import { verdictOfRefused } from '../judge/judge-rows.ts'
import { reasonNotFor } from '../plan/applicability.ts'
import { type FlowSettings, flowsOfRow, goodFlowsOf, type TriedFlow } from './tried-flow.ts'

/** A variant that is not the usual one. */
export interface UnusualVariant {
  readonly reading: Reading
  readonly variant: Variant
  readonly usual: string
}

/** `par_status=200` */
export const nameOf = ({ reading, variant }: UnusualVariant): string => readingId(reading.name, variant.name)

/** Every variant that the tenant does not have now. */
export const unusualVariants = (usual: Readings): readonly UnusualVariant[] =>
  READINGS.flatMap((reading) =>
    reading.variants
      .filter(({ name }) => name !== usual[reading.name])
      .map((variant) => ({ reading, variant, usual: usual[reading.name] ?? reading.default })),
  )

/** The flows of an app that may show a reading, or why there are none. */
export type Applicability =
  | { readonly kind: 'applies'; readonly flows: readonly TriedFlow[] }
  | { readonly kind: 'not for this app' | 'undetermined'; readonly reason: string }

/** What the rows that show a reading say about this app: the good flows come first, then rows of failures. */
export function applicabilityOf(
  { reading: { name, shownBy }, variant }: UnusualVariant,
  settings: FlowSettings,
  usual: Readings,
): Applicability {
  const { learned } = settings
  if (name === 'brand_word' && learned.use.profile.upgradeScope) return { kind: 'not for this app', reason: OWN_BRAND }
  const other = Object.entries(usual).find((one) => isExcluded([name, variant.name], one))
  if (other) return { kind: 'undetermined', reason: `it excludes ${readingId(...other)}, which the tenant has` }
  const good = goodFlowsOf(learned)
  const rows = shownBy.flatMap((id) => findRow(id) ?? [])
  const found = rows.map((row) => {
    const absent = reasonNotFor(row, { ...learned, profile: learned.use.profile, slow: false })
    return { row, absent, refused: verdictOfRefused(row, learned) }
  })
  const open = found
    .filter(({ absent, refused }) => absent === undefined && refused === undefined)
    .map(({ row }) => row)
  const others = open.filter((row) => !good.some((flow) => flow.row === row))
  if (open.length > 0)
    return { kind: 'applies', flows: [...good, ...others.flatMap((row) => flowsOfRow(row, settings))] }
  const refused = found.find((one) => one.refused !== undefined)?.refused
  if (refused) return { kind: 'undetermined', reason: `masked: ${refused.evidence}` }
  return { kind: 'not for this app', reason: found.find(({ absent }) => absent !== undefined)?.absent ?? NOTHING_SHOWS }
}

// Decision: the brand word is a setting of an app that writes it into its requests, as the base URL is.
const OWN_BRAND = 'your app names the brand word itself, in the upgrade scope'

type Choice = readonly [reading: string, variant: string]

const excludedBy = (...[reading, variant]: Choice): readonly string[] => findReading(reading)?.excludes?.[variant] ?? []

/** Whether two variants cannot hold together; the table says it of either of them. */
export const isExcluded = (one: Choice, other: Choice): boolean =>
  excludedBy(...one).includes(readingId(...other)) || excludedBy(...other).includes(readingId(...one))

const NOTHING_SHOWS = 'no flow of an audit shows it'
