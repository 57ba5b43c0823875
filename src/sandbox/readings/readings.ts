import * as z from 'zod'
import { DEFAULT_POLICY, type Policy } from '../../service/oidc/policy.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { didYouMean, quote, unknownName } from '../../service/text/message-parts.ts'
import { findRow } from '../outcomes/catalogue.ts'
import type { AnswerChange } from '../outcomes/outcome.ts'
import { type Reading, type ReadingRow, type Readings, readingId, type Variant } from './reading.ts'
import { CALLBACK_READINGS, SERVER_REPLIES } from './rows/answers.ts'
import { ID_TOKEN, LIVES } from './rows/issued.ts'
import { PUBLISHED } from './rows/published.ts'

const ROWS: readonly ReadingRow[] = [
  ...SERVER_REPLIES,
  ...CALLBACK_READINGS,
  ...ID_TOKEN,
  ...LIVES,
  ...PUBLISHED,
]

/** All points that the specification leaves open. */
export const READINGS: readonly Reading[] = ROWS.map(
  ({ decides, source, variants, shownBy, ...row }) => {
    const variantOf = (name: string, given: string | Omit<Variant, 'name' | 'source'>): Variant => {
      const value = /^\d+$/.test(name) ? Number(name) : name
      const isOther = decides && value !== DEFAULT_POLICY[decides]
      const said = typeof given === 'string' ? { summary: given } : given
      return { name, source, ...(isOther && { policy: { [decides]: value } }), ...said }
    }
    const usual =
      row.default ?? String((decides && DEFAULT_POLICY[decides]) ?? Object.keys(variants)[0])
    return {
      ...row,
      default: usual,
      shownBy: shownBy ?? ['use/verified'],
      // JavaScript objects list numeric names first, but the default must come first.
      variants: Object.entries(variants)
        .map(([name, given]) => variantOf(name, given))
        .sort((one, other) => Number(other.name === usual) - Number(one.name === usual)),
    }
  },
)

const byName = new Map(READINGS.map((reading) => [reading.name, reading]))

export const findReading = (name: string): Reading | undefined => byName.get(name)

const findVariant = ({ variants }: Reading, name: string): Variant | undefined =>
  variants.find((variant) => variant.name === name)

/**
 * The variants that a variant excludes, such as `unknown_members=everywhere`. The table states an
 * exclusion for only one of the two variants.
 */
export const excludedBy = (reading: string, variant: string): readonly string[] =>
  findReading(reading)?.excludes?.[variant] ?? []

/** A reading in the shape of `GET catalog` and `agekey-sandbox explain readings --json`. */
export const describeReading = ({ variants, excludes = {}, shownBy, ...told }: Reading) => ({
  ...told,
  variants: variants.map(({ name, summary, source }) => ({
    name,
    summary,
    source,
    excludes: excludes[name] ?? [],
  })),
  shown_by: shownBy,
})

/**
 * The quotation with the open point: `“Only verifications after it are accepted.” (nothing on when
 * a date begins)`.
 */
export const quotationOf = ({ quote, open }: Pick<Reading, 'quote' | 'open'>): string =>
  `“${quote}”${open === undefined ? '' : ` (${open})`}`

/** The readings of a tenant, ready to apply. */
export interface ActiveReadings {
  /**
   * The ids of the variants that differ from the default, as the journal records them:
   * `refused_token_status=403`.
   */
  readonly ids: readonly string[] | undefined
  readonly policy: Policy
  /** The changes to answers, in order; empty without readings. */
  readonly changes: readonly AnswerChange[]
}

const NO_READINGS: ActiveReadings = { ids: undefined, policy: DEFAULT_POLICY, changes: [] }

/**
 * Prepares readings for use. Unknown names are ignored, because a later version of the sandbox may
 * have stored them.
 */
export function activate(readings: Readings): ActiveReadings {
  const active = READINGS.flatMap((reading) => {
    const variant = findVariant(reading, readings[reading.name] ?? '')
    if (!variant?.policy && !variant?.changes) return []
    return [{ ...variant, id: readingId(reading.name, variant.name) }]
  })
  if (active.length === 0) return NO_READINGS
  return {
    ids: active.map(({ id }) => id),
    policy: Object.assign({}, DEFAULT_POLICY, ...active.map(({ policy }) => policy)),
    changes: active.flatMap(({ changes = [] }) => changes.map(changeOf)),
  }
}

function changeOf(change: AnswerChange | string): AnswerChange {
  const found = typeof change === 'string' ? findRow(change) : change
  if (!found) throw new Error(`a reading names ${change}, which is no row of the catalogue`)
  return found
}

/**
 * The problems of single readings or, if there are none, of pairs that exclude each other; empty
 * when the readings can be set.
 */
function problemsOf(
  readings: Readings,
): readonly { readonly reading: string; readonly message: string }[] {
  const set = Object.entries(readings)
  const problems = set.flatMap(([reading, variant]) => {
    const known = findReading(reading)
    if (!known) return [{ reading, message: unknownReading(reading) }]
    if (findVariant(known, variant)) return []
    const names = known.variants.map((one) => one.name)
    const message = `${reading} has no variant ${quote(variant)}; it has ${names.join(', ')}.${didYouMean(variant, names)}`
    return [{ reading, message }]
  })
  if (problems.length > 0) return problems
  const ids = set.map(([name, variant]) => readingId(name, variant))
  return set.flatMap(([reading, variant]) =>
    excludedBy(reading, variant)
      .filter((other) => ids.includes(other))
      .map((other) => ({ reading, message: excluding(readingId(reading, variant), other) })),
  )
}

function unknownReading(name: string): string {
  return `${unknownName('reading', name, [...byName.keys()])} "agekey-sandbox explain readings" lists all.`
}

const excluding = (one: string, other: string) =>
  `${one} and ${other} exclude each other; drop one of the two`

/**
 * Parses readings such as `refused_token_status=403`.
 * @returns the readings, or the first problem in one line
 * @example
 * ```ts
 * parseReadings(['code_use=repeated']) // { readings: { code_use: 'repeated' } }
 * ```
 */
export function parseReadings(
  texts: readonly string[],
): { readings: Readings } | { problem: string } {
  const readings: Record<string, string> = {}
  for (const text of texts) {
    const at = text.indexOf('=')
    const [name, variant] =
      at < 0 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
    const known = findReading(name)
    if (!known) return { problem: unknownReading(name) }
    if (variant === '') {
      const examples = known.variants.map((one) => readingId(name, one.name)).join(' or ')
      return { problem: `${quote(text)} names no variant; write ${examples}` }
    }
    const before = readings[name] ?? variant
    if (before !== variant)
      return { problem: excluding(readingId(name, before), readingId(name, variant)) }
    readings[name] = variant
  }
  const [first] = problemsOf(readings)
  return first ? { problem: first.message } : { readings }
}

/**
 * Parses the readings of a flag. Invalid texts are returned unchanged, so that the schema reports
 * them.
 */
export function parseReadingTexts(texts: string | readonly string[]): unknown {
  const parsed = parseReadings([texts].flat())
  return 'problem' in parsed ? texts : parsed.readings
}

/**
 * Normalises readings from YAML and JavaScript, where a variant may be a number and `null` removes
 * a reading.
 */
export const readingsOf = (
  given: Readonly<Record<string, string | number | null>> = {},
): Readings =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, variant]) =>
      variant === null ? [] : [[name, String(variant)]],
    ),
  )

/**
 * The readings of a tenant after a change.
 * @param change the variants to set; `null` for a variant removes its reading, and `null` for the
 * whole change removes all readings
 * @throws Refusal 400 for an unknown name, and for two readings that exclude each other
 */
export function requireReadings(
  set: Readings,
  change: Parameters<typeof readingsOf>[0] | null,
): Readings {
  if (change === null) return {}
  const readings = readingsOf({ ...set, ...change })
  const [problem] = problemsOf(readings)
  if (problem) throw Refusal.invalidRequest(`readings: ${problem.message}`)
  return readings
}

const variant = z.union([z.string(), z.number()], { error: 'expected the name of a variant' })

/**
 * Maps the name of a reading to the name of its variant. For a list of texts the message describes
 * the problem of the texts.
 */
export const readingsSchema = z
  .record(z.string(), variant, { error: ({ input }) => problemOfList(input) })
  .check(({ value, issues }) => {
    for (const { reading, message } of problemsOf(readingsOf(value)))
      issues.push({ code: 'custom', message, input: value, path: [reading] })
  })

/**
 * A change to readings; `null` removes a reading. Whether a variant is allowed depends on the
 * readings that are already set.
 */
export const readingsChangeSchema = z.record(z.string(), variant.nullable())

function problemOfList(input: unknown): string {
  const texts = z.array(z.string()).safeParse(input)
  const parsed = texts.success ? parseReadings(texts.data) : undefined
  return parsed && 'problem' in parsed
    ? parsed.problem
    : 'expected variants by the names of their readings'
}
