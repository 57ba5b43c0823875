import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { codeOf, messageOf } from './caught.ts'
import { ConfigError } from './config-error.ts'
import { decodeText } from './decode-text.ts'

/** Bytes of a file that a user writes, at most. */
const MAX_FILE_BYTES = 1024 * 1024

/** Bytes of a report that the sandbox writes and reads again, at most. */
export const MAX_REPORT_BYTES = 64 * 1024 * 1024

/** The text of a file, or why there is none. */
export type TextFile = { readonly ok: true; readonly text: string } | UnreadableFile

export interface UnreadableFile {
  readonly ok: false
  /** `there is no such file`; without a code it continues the name of the file: `is UTF-16 ...`. */
  readonly reason: string
  /**
   * The code of an error of the system; absent when the file is there but is too large or no UTF-8.
   */
  readonly code?: string
  /** The line of what is wrong, from 1. */
  readonly line?: number
  readonly cause?: unknown
}

/**
 * Reads a text file: UTF-8, without the byte order mark of an editor. All files that users write
 * are read here.
 * @param options.maxBytes of a larger file no more is read (default 1 MiB)
 */
export function readTextFile(
  file: string,
  { maxBytes = MAX_FILE_BYTES }: ReadOptions = {},
): TextFile {
  try {
    const bytes = readAtMost(file, maxBytes)
    if (typeof bytes !== 'string') return decodeText(bytes)
    return {
      ok: false,
      reason: `has ${bytes} bytes, and ${maxBytes} are read at most; name a smaller file, or split it`,
    }
  } catch (cause) {
    const code = codeOf(cause) ?? ''
    return { ok: false, reason: REASONS[code] ?? messageOf(cause), code, cause }
  }
}

interface ReadOptions {
  readonly maxBytes?: number
}

/** The text of a file. @throws ConfigError that names the file, and the line of what is no UTF-8 */
export function requireText(file: string): string {
  const read = readTextFile(file)
  if (read.ok) return read.text
  throw fileError(file, read)
}

/**
 * The text of a file; `undefined` when the file does not exist.
 * @throws ConfigError as `requireText`
 */
export function readTextIfThere(file: string, options: ReadOptions = {}): string | undefined {
  const read = readTextFile(file, options)
  if (read.ok) return read.text
  if (read.code === 'ENOENT') return undefined
  throw fileError(file, read)
}

/** The error for a file that cannot be read. @param file how messages name it */
export function fileError(
  file: string,
  { reason, code, line, cause }: UnreadableFile,
): ConfigError {
  const message = code === undefined ? reason : (ALONE[code] ?? `cannot be read: ${reason}`)
  return ConfigError.inFiles([line === undefined ? { file, message } : { file, line, message }], {
    cause,
  })
}

/** Reasons in brackets, behind a name and what was tried. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
}

/** The same behind a name alone. */
const ALONE: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'is a folder; name a file in it',
  EACCES: 'cannot be read: permission denied; let this user read it',
}

const CHUNK_BYTES = 64 * 1024

/**
 * The bytes of a file, or how many there are when there are too many. A pipe has no size, so what
 * comes is counted.
 */
function readAtMost(file: string, maxBytes: number): Buffer | string {
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    if (size > maxBytes) return String(size)
    const chunks: Buffer[] = []
    let total = 0
    for (let count = -1; count !== 0 && total <= maxBytes; total += count) {
      const chunk = Buffer.alloc(CHUNK_BYTES)
      count = readSync(descriptor, chunk)
      chunks.push(chunk.subarray(0, count))
    }
    return total > maxBytes ? `more than ${maxBytes}` : Buffer.concat(chunks)
  } finally {
    closeSync(descriptor)
  }
}
