/** A word of a POSIX shell: nothing in it is expanded. */
export const shellWord = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
