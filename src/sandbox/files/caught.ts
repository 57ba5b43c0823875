import { isNativeError } from 'node:util/types'

/**
 * Whether a caught value is an error. Jest runs a package in a realm of its own, where the errors
 * of Node are no instances of the global `Error`; a `DOMException` in turn is an instance and no
 * native error.
 */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || isNativeError(value)

/** The code of an error of Node or the operating system, for example `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  isError(error) && 'code' in error ? String(error.code) : undefined

/** The message of an error. */
export const messageOf = (error: unknown): string =>
  isError(error) ? error.message : String(error)
