import * as z from 'zod'
import { didYouMean } from '../text/nearest.ts'
import { quote } from '../text/quote.ts'

/**
 * A zod error map for one value, which writes for the author of a file: what is wrong, what was found, what would be right.
 * It has no say where a schema brings its own message. Of all unknown keys only the first ones, so many as `explained`, are
 * compared with the known ones.
 */
export function createIssueDescriber(explained: number): (issue: z.core.$ZodRawIssue) => string | undefined {
  let left = explained
  return (issue) => {
    if (issue.code !== 'unrecognized_keys') return describeIssue(issue)
    const known = knownKeys(issue.inst)
    return issue.keys.map((key) => (left-- > 0 ? `unknown key${suggestion(key, known)}` : 'unknown key')).join('\n')
  }
}

function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      // Any value would do, as long as there is one.
      if (issue.expected === 'nonoptional') return 'is missing'
      return issue.input === undefined
        ? `is missing; expected ${expectedThing(issue.expected)}`
        : `expected ${expectedThing(issue.expected)}, ${foundAt(issue)}`
    case 'invalid_value':
      return unknownValue(lastKey(issue.path), issue.input, issue.values)
    case 'invalid_union':
      return unknownVariant(issue.discriminator, issue.input, issue.options)
    case 'too_small':
      return `expected at least ${amount(issue.minimum, issue.origin)}, ${foundAt(issue)}`
    case 'too_big':
      return `expected at most ${amount(issue.maximum, issue.origin)}, ${foundAt(issue)}`
    default:
      return undefined
  }
}

/** The `error` of a schema or check: `must be 0 or more seconds, found -5`. */
export const mustBe = (right: string) => ({ error: (issue: Found) => `must be ${right}, ${foundAt(issue)}` })

type Found = Pick<z.core.$ZodRawIssue, 'input' | 'path'>

/** A secret is not repeated. */
function foundAt({ input, path }: Found): string {
  const isSecret =
    /secret|token/.test(lastKey(path)) && typeof input !== 'object' && input !== undefined && input !== ''
  return isSecret ? `found a ${typeof input} that is not shown` : found(input)
}

const THINGS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'nothing',
}

/** The kind of value that a schema asks for, with its article: `a list`. */
export function expectedThing(expected: string): string {
  return THINGS[expected] ?? expected
}

/** What stands there instead, short enough for one line: `found the text "12"`. */
export function found(input: unknown): string {
  if (input === null || input === undefined) return 'found nothing'
  if (typeof input === 'string') return input === '' ? 'found an empty text' : `found the text ${quote(input)}`
  if (Array.isArray(input)) return `found a list of ${input.length}`
  if (typeof input === 'object') return 'found a mapping'
  return Number.isNaN(input) ? 'found no number' : `found ${String(input)}`
}

/** A value that is none of the known ones: `unknown method "facial"`, with the nearest known one or all of them. */
export function unknownValue(noun: string, input: unknown, values: readonly z.core.util.Primitive[]): string {
  const names = values.map(String)
  if (input === undefined) return `is missing${oneOf(names)}`
  if (typeof input !== 'string') return `unknown ${noun}, ${found(input)}${oneOf(names)}`
  return `unknown ${noun} ${quote(input)}${suggestion(input, names)}`
}

function unknownVariant(discriminator: unknown, input: unknown, options: unknown): string | undefined {
  if (typeof discriminator !== 'string' || !Array.isArray(options) || !isPlainObject(input)) return undefined
  return unknownValue(discriminator, input[discriminator], options)
}

function suggestion(word: string, names: readonly string[]): string {
  const nearMiss = didYouMean(word, names)
  return nearMiss === '' ? oneOf(names) : `.${nearMiss}`
}

function oneOf(names: readonly string[]): string {
  if (names.length === 0) return '; none is allowed here'
  return names.length === 1 ? `; expected ${names[0]}` : `; expected one of ${names.join(', ')}`
}

function amount(limit: number | bigint, origin: string): string {
  const unit = { string: 'character', array: 'item', set: 'item' }[origin]
  return unit === undefined ? String(limit) : `${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`
}

function knownKeys(schema: z.core.$ZodType | z.core.$ZodCheck | undefined): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (schema instanceof z.ZodRecord) return [...(schema.keyType._zod.values ?? [])].map(String)
  return []
}

function lastKey(path: readonly PropertyKey[] | undefined): string {
  return String(path?.findLast((key) => typeof key === 'string') ?? 'value')
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
