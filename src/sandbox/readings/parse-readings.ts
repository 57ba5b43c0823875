import * as z from 'zod'
import { Refusal } from '../../oidc/refusal.ts'
import { didYouMean, quote, unknownName } from '../../text/message-parts.ts'
import { type Readings, readingId } from './reading.ts'
import { excludedBy, findReading, findVariant, READINGS } from './readings.ts'

/** What is wrong with readings, in one line, and the reading concerned. */
export interface ReadingProblem {
  readonly reading?: string | undefined
  readonly message: string
}

/** What is wrong with each reading, then with pairs of them; empty when all can be set together. */
export function problemsOf(readings: Readings): readonly ReadingProblem[] {
  const problems = Object.entries(readings).flatMap(([reading, variant]) => {
    const message = problemOf(reading, variant)
    return message === undefined ? [] : [{ reading, message }]
  })
  return problems.length > 0 ? problems : exclusions(readings)
}

/**
 * Readings of texts such as `refused_token_status=403`.
 * @returns the readings, or what is wrong in one line
 */
export function parseReadings(texts: readonly string[]): { readings: Readings } | { problem: string } {
  const readings: Record<string, string> = {}
  for (const text of texts) {
    const at = text.indexOf('=')
    const [name, variant] = at < 0 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
    const known = findReading(name)
    if (!known) return { problem: unknownReading(name) }
    if (variant === '') {
      const examples = known.variants.map((one) => readingId(name, one.name)).join(' or ')
      return { problem: `${quote(text)} names no variant; write ${examples}` }
    }
    const before = readings[name]
    if (before !== undefined && before !== variant) {
      const [one, other] = [readingId(name, before), readingId(name, variant)]
      return { problem: `${one} and ${other} exclude each other; drop one of the two` }
    }
    readings[name] = variant
  }
  const [first] = problemsOf(readings)
  return first ? { problem: first.message } : { readings }
}

/** The readings after a change; `null` removes a reading. `problemsOf` says what is wrong with the result. */
export const changeReadings = (readings: Readings, change: Readonly<Record<string, string | null>>): Readings =>
  Object.fromEntries(
    Object.entries({ ...readings, ...change }).flatMap(([name, variant]) =>
      variant === null ? [] : [[name, variant]],
    ),
  )

/** The readings of a flag; texts that are wrong stay as they are, and the schema reports them. */
export function parseReadingTexts(texts: string | readonly string[]): unknown {
  const parsed = parseReadings([texts].flat())
  return 'problem' in parsed ? texts : parsed.readings
}

/** Readings in YAML and JavaScript: a variant may be a number. */
export const readingsOf = (given: Readonly<Record<string, string | number>> = {}): Readings =>
  Object.fromEntries(Object.entries(given).map(([name, variant]) => [name, String(variant)]))

/**
 * The readings of a tenant after a change.
 * @param change variants to set; null removes a reading, and `null` instead of an object removes all
 * @throws Refusal 400 for an unknown name, and for two readings that exclude each other
 */
export function requireReadings(
  set: Readings,
  change: Readonly<Record<string, string | number | null>> | null,
): Readings {
  if (change === null) return {}
  const texts = Object.entries(change).map(([name, variant]) => [name, variant === null ? null : String(variant)])
  const readings = changeReadings(set, Object.fromEntries(texts))
  const [problem] = problemsOf(readings)
  if (problem) throw Refusal.invalidRequest(`readings: ${problem.message}`)
  return readings
}

function unknownReading(name: string): string {
  const known = READINGS.map((reading) => reading.name)
  return `${unknownName('reading', name, known)} "agekey-sandbox explain readings" lists all.`
}

function problemOf(name: string, variant: string): string | undefined {
  const reading = findReading(name)
  if (!reading) return unknownReading(name)
  if (findVariant(reading, variant)) return undefined
  const known = reading.variants.map((one) => one.name)
  return `${name} has no variant ${quote(variant)}; it has ${known.join(', ')}.${didYouMean(variant, known)}`
}

function exclusions(readings: Readings): readonly ReadingProblem[] {
  return Object.entries(readings).flatMap(([reading, variant]) =>
    excludedBy(reading, variant)
      .filter((other) => Object.entries(readings).some(([name, set]) => readingId(name, set) === other))
      .map((other) => ({
        reading,
        message: `${readingId(reading, variant)} and ${other} exclude each other; drop one of the two`,
      })),
  )
}

const variant = z.union([z.string(), z.number()], { error: 'expected the name of a variant' })

/** Variants by the names of their readings. The message about a list of texts says what is wrong with the texts. */
export const readingsSchema = z
  .record(z.string(), variant, { error: ({ input }) => problemOfList(input) })
  .check(({ value, issues }) => {
    for (const { reading, message } of problemsOf(readingsOf(value))) {
      issues.push({ code: 'custom', message, input: value, path: reading === undefined ? [] : [reading] })
    }
  })

/** A change of readings: null removes one. Whether a variant is possible depends on the readings that are set. */
export const readingsChangeSchema = z.record(z.string(), variant.nullable())

function problemOfList(input: unknown): string {
  const texts = z.array(z.string()).safeParse(input)
  const parsed = texts.success ? parseReadings(texts.data) : undefined
  return parsed && 'problem' in parsed ? parsed.problem : 'expected variants by the names of their readings'
}
