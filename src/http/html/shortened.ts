/** Characters of one value on a page: a token of 64 KB would otherwise be there three times. The control API has all of it. */
const MOST_CHARACTERS = 2_000

/** A text whose end may be cut off, and then says how long it is. */
export const shortened = (text: string, most = MOST_CHARACTERS): string =>
  text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text
