import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { codeOf, messageOf } from './caught.ts'
import { ConfigError } from './config-error.ts'
import { decodeText } from './decode-text.ts'

/** Maximum size of a file that a user writes. */
const MAX_FILE_BYTES = 1024 * 1024

/** Maximum size of a report that the sandbox writes and reads again. */
export const MAX_REPORT_BYTES = 64 * 1024 * 1024

/** The text of a file, or why it cannot be read. */
export type TextFile = { readonly ok: true; readonly text: string } | UnreadableFile

export interface UnreadableFile {
  readonly ok: false
  /**
   * With a code: a clause such as `there is no such file`. Without a code: the end of a sentence
   * that begins with the name of the file, such as `is UTF-16 ...`.
   */
  readonly reason: string
  /** The code of a system error; absent when the file was read but is too large or not UTF-8. */
  readonly code?: string
  /** The line of the problem, from 1. */
  readonly line?: number
  readonly cause?: unknown
}

/**
 * Reads a UTF-8 text file without its byte order mark. All files that users write are read by this
 * function.
 * @param options.maxBytes maximum size (default 1 MiB); a larger file is not read completely
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

/**
 * Reads a text file.
 * @throws ConfigError that names the file, and the line that is not UTF-8
 */
export function requireText(file: string): string {
  const read = readTextFile(file)
  if (read.ok) return read.text
  throw fileError(file, read)
}

/**
 * Reads a text file; `undefined` when the file does not exist.
 * @throws ConfigError as `requireText`
 */
export function readTextIfThere(file: string, options: ReadOptions = {}): string | undefined {
  const read = readTextFile(file, options)
  if (read.ok) return read.text
  if (read.code === 'ENOENT') return undefined
  throw fileError(file, read)
}

/**
 * The error for a file that cannot be read.
 * @param file the name of the file in messages
 */
export function fileError(
  file: string,
  { reason, code, line, cause }: UnreadableFile,
): ConfigError {
  const message = code === undefined ? reason : (ALONE[code] ?? `cannot be read: ${reason}`)
  return ConfigError.inFiles([line === undefined ? { file, message } : { file, line, message }], {
    cause,
  })
}

/** Reasons in brackets, after the name of the file and the failed action. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
}

/** Reasons that follow the name of the file directly. */
const ALONE: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'is a folder; name a file in it',
  EACCES: 'cannot be read: permission denied; let this user read it',
}

const CHUNK_BYTES = 64 * 1024

/**
 * Reads the bytes of a file or, if there are too many, returns their number as text. A pipe reports
 * no size, so its bytes are counted.
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
