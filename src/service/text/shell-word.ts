/** Quotes a text as one word of a POSIX shell, which expands nothing in it. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A text as one word of a shell, quoted only if necessary. */
export const flagWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : shellWord(text)
