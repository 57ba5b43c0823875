import { findRow, rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../sandbox/outcomes/outcome.ts'
import { type Reading, type Readings, readingId, type Variant } from '../../sandbox/readings/reading.ts'
import { excludedBy, READINGS } from '../../sandbox/readings/readings.ts'
import type { Role } from '../drive/tested-personas.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import { knownBefore, notForThisApp } from '../trials/known-before.ts'
import { planRow, type RowSettings } from '../trials/row-trial.ts'
import type { TrialFinding } from '../trials/trial.ts'

/** A flow that the app is driven through under each reading. */
export interface TriedFlow {
  readonly row: AuditRow
  readonly role: Role
  /** `use/verified as minor` */
  readonly name: string
}

const flowOf = (row: AuditRow, role: Role): TriedFlow => ({ row, role, name: `${rowId(row)} as ${role}` })

/** The flows that end as they should: an adult comes in, a minor and a denial do not, and what else the app uses. */
function goodFlowsOf({ create, upgrade }: LearnedApp): readonly TriedFlow[] {
  const find = (role: Role, ...ids: readonly string[]) =>
    ids.flatMap((id) => findRow(id) ?? []).map((row) => flowOf(row, role))
  return [
    ...find('adult', 'use/verified', 'use/access_denied'),
    ...find('minor', 'use/verified'),
    ...(create.kind === 'learned' ? find('newcomer', 'create/created', 'create/access_denied') : []),
    ...(upgrade.kind === 'learned' ? find('minor', 'use/code_issued') : []),
  ]
}

/** The flows in which a row is sent. */
const flowsOfRow = (row: AuditRow, settings: RowSettings): readonly TriedFlow[] =>
  planRow(row, settings).roles.map((role) => flowOf(row, role))

/** A variant of a reading beside the usual one. */
export interface ChosenVariant {
  readonly reading: Reading
  readonly variant: Variant
  /** Name of the usual variant. */
  readonly usual: string
  /** The flows of an app that may show it. */
  readonly flows: readonly TriedFlow[]
  /** Why it is not tried. */
  readonly absent?: TrialFinding | undefined
}

/** `refused_token_status=403` */
export const chosenVariantName = ({ reading, variant }: Pick<ChosenVariant, 'reading' | 'variant'>): string =>
  readingId(reading.name, variant.name)

/** Every variant that the tenant does not have now. The good flows of an app come first, then those of the rows that show the reading. */
export function unusualVariants(own: Readings, settings: RowSettings): readonly ChosenVariant[] {
  const { profile, create } = settings.learned
  const readings = Object.fromEntries(READINGS.map((reading) => [reading.name, own[reading.name] ?? reading.default]))
  const good = goodFlowsOf(settings.learned)
  const set = Object.entries(readings).map((one) => readingId(...one))
  const isRedirected = profile.responseMode !== 'form_post' || create.kind === 'learned'
  const open = (evidence: string, reason?: string) =>
    ({ verdict: 'undetermined', reason, evidence, flows: [] }) as const

  function whyAbsent(reading: Reading, rows: readonly AuditRow[], variant: string): TrialFinding | undefined {
    const { name } = reading
    // Decision: the brand word is a setting of an app that writes it into its requests, as the base URL is.
    if (name === 'brand_word' && profile.upgradeScope)
      return notForThisApp('your app names the brand word itself, in the upgrade scope')
    const other = set.find((one) => isExcluded(readingId(name, variant), one))
    if (other !== undefined) return open(`it excludes ${other}, which the tenant has`)
    const known = rows.flatMap((row) => knownBefore(row, settings) ?? [])
    if (known.length === rows.length) {
      const masked = known.find(({ verdict }) => verdict !== 'not for this app')
      return masked ? open(masked.evidence, 'masked') : known[0]
    }
    // Answers of Create always come in a redirect.
    if (!isRedirected && (name === 'redirect_status' || name === 'callback_spaces'))
      return open('your app asks for form_post, and its answers come in no redirect')
    return undefined
  }

  return READINGS.flatMap((reading) => {
    const usual = readings[reading.name] ?? reading.default
    const rows = reading.shownBy.flatMap((id) => findRow(id) ?? [])
    const others = rows.filter((row) => !knownBefore(row, settings) && !good.some((flow) => flow.row === row))
    const flows = [...good, ...others.flatMap((row) => flowsOfRow(row, settings))]
    return reading.variants
      .filter(({ name }) => name !== usual)
      .map((variant) => ({ reading, variant, usual, flows, absent: whyAbsent(reading, rows, variant.name) }))
  })
}

/** Whether two variants may hold together. */
export const mayMeet = (one: ChosenVariant, other: ChosenVariant): boolean =>
  one.reading !== other.reading && !isExcluded(chosenVariantName(one), chosenVariantName(other))

/** Whether two variants cannot hold together; the table says it of either of them. */
function isExcluded(one: string, other: string): boolean {
  const excludes = (name: string, beside: string) => {
    const [reading = '', variant = ''] = name.split('=')
    return excludedBy(reading, variant).includes(beside)
  }
  return excludes(one, other) || excludes(other, one)
}
