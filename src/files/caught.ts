/** The code of an error of Node or the operating system, for example `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

/** The message of an error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
