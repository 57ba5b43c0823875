import { didYouMean } from './nearest.ts'
import { quote } from './quote.ts'

/** What stands in a file or in JSON, short enough for one line: `found the text "12"`. */
export function found(input: unknown): string {
  if (input === null || input === undefined) return 'found nothing'
  if (typeof input === 'string') return input === '' ? 'found an empty text' : `found the text ${quote(input)}`
  if (Array.isArray(input)) return `found a list of ${input.length}`
  if (typeof input === 'object') return 'found a mapping'
  return Number.isNaN(input) ? 'found no number' : `found ${String(input)}`
}

/** The part of a message about a request that says what was received: `, is "credti". Did you mean "credit"?` */
export function foundInstead(value: unknown, candidates: readonly string[] = []): string {
  if (Array.isArray(value)) return ', is an array'
  if (typeof value === 'object' && value !== null) return ', is an object'
  if (typeof value !== 'string') return `, is ${String(value)}`
  const hint = didYouMean(value, candidates)
  return `, is ${quote(value)}${hint && `.${hint}`}`
}

/** The same where a list or an object must stand: a text that holds one was encoded twice. */
export const foundInsteadOfJson = (value: unknown): string =>
  typeof value === 'string' && /^\s*[[{]/.test(value)
    ? ', is JSON inside a string: it was encoded twice'
    : foundInstead(value)
