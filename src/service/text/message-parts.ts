/**
 * Longest word that is compared, in characters. No name is so long that a longer word could be a
 * typing mistake.
 */
const MAX_WORD = 64

/** Maximum number of names in a question, and in a list when no name is similar. */
const MAX_ASKED = 4
const MAX_LISTED = 12

interface Fit {
  readonly name: string
  /** Two names with the same distance are equally likely. */
  readonly distance: number
}

/**
 * Finds the names that `word` probably means, the most similar first. The first of these groups
 * that is not empty is returned: names that differ only in case and punctuation; names that contain
 * `word` (`expired` in `id_token.expired`); names that `word` misspells.
 * @example
 * ```ts
 * nearest('pasport', ['adult-passport', 'teen-16']) // ['adult-passport']
 * ```
 */
export const nearest = (word: string, candidates: readonly string[]): string[] =>
  fitsOf(word, candidates).map(({ name }) => name)

/**
 * A question that follows a sentence, with the most similar names: ` Did you mean "x" or "y"?`
 * @returns an empty text when no name is similar
 */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const fits = fitsOf(word, candidates)
  const best = fits
    .filter(({ distance }) => distance === fits[0]?.distance)
    .map(({ name }) => JSON.stringify(name))
  const asked = best.length > MAX_ASKED ? [...best.slice(0, MAX_ASKED), 'another that fits'] : best
  return asked.length === 0 ? '' : ` Did you mean ${alternatives(asked)}?`
}

/** Whether a message contains the question that `didYouMean` writes. */
export const isNearMiss = (message: string): boolean => /\bdid you mean /i.test(message)

/**
 * Explains a word that other services use, to follow a sentence: `: credit_card is
 * payment_card_network here`.
 */
export const calledHere = (word: string, name: string): string =>
  `: ${excerpt(word)} is ${name} here`

/** Whether a message contains the explanation that `calledHere` writes. */
export const saysWhatIsCalledHere = (message: string): boolean => /: .+ is \w+ here$/.test(message)

/**
 * Joins names as `a, b or c`. The format is created on first use, because creating it takes 20 ms.
 */
const alternatives = (names: readonly string[]) =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)

/** The message for every unknown name: `there is no persona "teen". Did you mean "teen-16"?` */
export const unknownName = (kind: string, name: string, known: readonly string[]): string =>
  `there is no ${kind} ${quote(name)}.${didYouMean(name, known) || (known.length === 0 ? ' There is none yet.' : ` Known are ${listed(known)}.`)}`

/** Joins the first twelve names and counts the others: `a, b, c and 28 more`. */
export const listed = (names: readonly string[]): string =>
  names.slice(0, MAX_LISTED).join(', ') +
  (names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '')

function fitsOf(word: string, candidates: readonly string[]): Fit[] {
  if (word.length > MAX_WORD || lettersOf(word) === '') return []
  for (const measure of [inSpelling, asPart, inLetters, inLettersOfParts]) {
    const fits = [...new Set(candidates)].flatMap((name) => {
      const distance = measure(word, name)
      return distance === undefined ? [] : [{ name, distance }]
    })
    if (fits.length > 0) return fits.sort((one, other) => one.distance - other.distance)
  }
  return []
}

/**
 * Measures the distance of a word from a name; `undefined` when the word does not match the name.
 */
type Measure = (word: string, name: string) => number | undefined

/** Ignores case and punctuation: `accessDenied` and `access-denied` match `access_denied`. */
const inSpelling: Measure = (word, name) => (lettersOf(word) === lettersOf(name) ? 0 : undefined)

/**
 * The word is the beginning of the name, one of the members between its dots, or some of its parts
 * in any order.
 */
const asPart: Measure = (word, name) => {
  if (isBeginning(lettersOf(word), lettersOf(name))) return 0
  if (name.split('.').some((member) => inSpelling(word, member) === 0)) return 1
  const parts = partsOf(name)
  const words = partsOf(word)
  if (words.every((one) => parts.includes(one))) return 2
  return words.every((one) => parts.some((part) => part === one || isBeginning(one, part)))
    ? 3
    : undefined
}

const inLetters: Measure = (word, name) => {
  const distance = distanceWithin(name.length / 3, word.toLowerCase(), name.toLowerCase())
  return Number.isFinite(distance) ? distance : undefined
}

/**
 * Compares part by part: `pasport` misspells a part of `adult-passport`. Parts of fewer than 5
 * letters must be spelled correctly.
 */
const inLettersOfParts: Measure = (word, name) => {
  const parts = partsOf(name)
  const distances = partsOf(word).map((one) =>
    Math.min(...parts.map((part) => distanceOfPart(one, part))),
  )
  const sum = distances.reduce((total, distance) => total + distance)
  return Number.isFinite(sum) ? sum : undefined
}

function distanceOfPart(word: string, part: string): number {
  if (word === part) return 0
  return part.length < 5 ? Number.POSITIVE_INFINITY : distanceWithin(part.length / 3, word, part)
}

const isBeginning = (word: string, text: string) => word.length >= 3 && text.startsWith(word)

const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/**
 * Splits a text into its parts in lower case.
 * @example
 * ```ts
 * partsOf('id_token.nonceMissing') // ['id', 'token', 'nonce', 'missing']
 * ```
 */
export const partsOf = (text: string) =>
  text
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]/u)
    .filter((part) => part !== '')

/**
 * The edit distance of two words: insertions, deletions, substitutions and swaps of adjacent
 * characters. Infinite when the distance is greater than `most`; the comparison stops as soon as
 * this is certain.
 */
export function distanceWithin(most: number, from: string, to: string): number {
  if (Math.abs(from.length - to.length) > most) return Number.POSITIVE_INFINITY
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const substitution = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      const swapped =
        row > 1 &&
        column > 1 &&
        from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1]
      const swap = swapped ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY
      current.push(
        Math.min(substitution, swap, at(previous, column) + 1, at(current, column - 1) + 1),
      )
    }
    if (Math.min(...current) > most) return Number.POSITIVE_INFINITY
    beforePrevious = previous
    previous = current
  }
  const distance = at(previous, to.length)
  return distance <= most ? distance : Number.POSITIVE_INFINITY
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}

const MAX_QUOTE = 60

/**
 * Quotes a text for a message: at most 60 characters, with control characters, invisible characters
 * and lone surrogates escaped.
 */
export const quote = (text: string): string => {
  const cut = text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text
  return JSON.stringify(cut).replaceAll(/\p{C}/gu, (invisible) => `\\u${hexOf(invisible)}`)
}

/**
 * The text itself if it is short and has only printable ASCII characters without blanks and double
 * quotes; otherwise the quoted text.
 */
export const excerpt = (text: string): string => (/^[!#-~]{1,80}$/.test(text) ? text : quote(text))

const hexOf = (character: string) => (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')

/**
 * Describes a received value in a message about a file or JSON.
 * @example
 * ```ts
 * found('12') // 'found the text "12"'
 * found([1, 2]) // 'found a list of 2'
 * ```
 */
export function found(input: unknown): string {
  if (input === null || input === undefined) return 'found nothing'
  if (typeof input === 'string')
    return input === '' ? 'found an empty text' : `found the text ${quote(input)}`
  if (Array.isArray(input)) return `found a list of ${input.length}`
  if (typeof input === 'object') return 'found a mapping'
  return Number.isNaN(input) ? 'found no number' : `found ${String(input)}`
}

/**
 * Describes a received value in a message about a request.
 * @example
 * ```ts
 * foundInstead('credti', ['credit']) // ', is "credti". Did you mean "credit"?'
 * ```
 */
export function foundInstead(value: unknown, candidates: readonly string[] = []): string {
  if (Array.isArray(value)) return ', is an array'
  if (typeof value === 'object' && value !== null) return ', is an object'
  if (typeof value !== 'string') return `, is ${String(value)}`
  const hint = didYouMean(value, candidates)
  return `, is ${quote(value)}${hint && `.${hint}`}`
}

/** Whether a text begins like JSON of an object or array, encoded once or several times. */
export const isJsonText = (text: string): boolean => /^[\s"\\]*[[{]/.test(text)

/**
 * `foundInstead` where an object or array is expected: says so when a text contains JSON, because
 * the JSON was encoded twice.
 */
export const foundInsteadOfJson = (value: unknown): string =>
  typeof value === 'string' && isJsonText(value)
    ? ', is JSON inside a string: it was encoded twice'
    : foundInstead(value)
