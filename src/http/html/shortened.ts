/** Characters of one value on a page, which may show a token of 64 KB three times. The control API has the whole value. */
const MAX_CHARACTERS = 2_000

/** A long text without its end, followed by its length. */
export const shortened = (text: string, max = MAX_CHARACTERS): string =>
  text.length > max ? `${text.slice(0, max)}… (${text.length} characters)` : text
