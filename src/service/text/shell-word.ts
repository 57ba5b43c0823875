/** Quotes a text as one word for a POSIX shell. The shell expands nothing in the quoted text. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Writes a text as one word for a POSIX shell, quoted only if necessary. */
export const flagWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : shellWord(text)
