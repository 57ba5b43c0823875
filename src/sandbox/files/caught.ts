import { isNativeError } from 'node:util/types'

/**
 * Whether a caught value is an error. Jest runs a package in a separate realm, where errors of Node
 * are not instances of the global `Error`. A `DOMException` is an instance of `Error` but not a
 * native error.
 */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || isNativeError(value)

/** The code of an error of Node or of the operating system, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  isError(error) && 'code' in error ? String(error.code) : undefined

/** The message of an error, or any other caught value as text. */
export const messageOf = (error: unknown): string =>
  isError(error) ? error.message : String(error)
