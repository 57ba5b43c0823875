/** Quotes a text as one word of a POSIX shell, which expands nothing in it. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
