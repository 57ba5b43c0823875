import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { parseInstant } from '../../../src/service/age/calendar.ts'
import type { Issue } from '../../../src/service/age/explain.ts'

/**
 * The cases of a JSON file beside the tests. The file is read as text, so that a member `__proto__`
 * and the number 1e400 arrive as sent.
 */
export function readCases<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): z.output<Schema> {
  return schema.parse(JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')))
}

/** Rows for `test.each`; `%s` in the title is the name of the case. */
export function named<Case extends { readonly name: string }>(
  cases: readonly Case[],
): [string, Case][] {
  return cases.map((one) => [one.name, one])
}

/**
 * What a parser finds, in the form of the cases: `CLM-03 age_thresholds/0: claims.age_thresholds[0]
 * must be an integer, is "18"`.
 */
export const issueTexts = (issues: readonly Issue[]): string[] =>
  issues.map(({ rule, path, message }) => `${rule} ${path.join('/')}: ${message}`)

const texts = z.array(z.string())

/**
 * Claims objects, and the issues that `parseClaims` finds in them with `SIGNAL_CONTEXT.platforms`.
 */
export const CLAIMS_CASES = readCases(
  'claims.cases.json',
  z.array(z.strictObject({ name: z.string(), claims: z.unknown(), issues: texts })),
)

const changes = { with: z.looseObject({}).optional(), without: texts.optional() }
const signalCases = readCases(
  'signal.cases.json',
  z.strictObject({
    now: z.string(),
    signals: z.record(z.string(), z.looseObject({ method: z.string() })),
    cases: z.array(z.strictObject({ name: z.string(), of: z.string(), ...changes, issues: texts })),
  }),
)

/** Valid age signals, by a short name. */
export const SIGNALS = signalCases.signals

/**
 * A changed signal of `SIGNALS`, and the issues that `parseAgeSignals` finds in a list of only this
 * signal with `SIGNAL_CONTEXT`.
 */
export const SIGNAL_CASES = signalCases.cases

export const SIGNAL_CONTEXT = {
  now: parseInstant(signalCases.now) ?? Number.NaN,
  provenanceAllowlist: ['/veratad/roc', '/yoti', '/inicis', '/spruce_id', '/stripe'],
  platforms: ['apple_wallet', 'sandbox'],
}

export function signalOf({
  of,
  with: changes = {},
  without = [],
}: (typeof SIGNAL_CASES)[number]): object {
  const changed = { ...SIGNALS[of], ...changes }
  return Object.fromEntries(Object.entries(changed).filter(([name]) => !without.includes(name)))
}
