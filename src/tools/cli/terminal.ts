import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { codeOf } from '../../sandbox/files/caught.ts'
import { escapeSteering } from '../../service/text/visible.ts'

// A single style: for a list of styles, Node 20 does not check whether the stream is a terminal.
type Style = Extract<Parameters<typeof styleText>[0], string>

/** Maximum number of unread bytes in a pipe. Beyond, logs, warnings and errors are dropped. */
export const MAX_UNREAD_BYTES = 1024 * 1024

/** Writes to stdout. */
export const writeOut = createOutput(process.stdout)
const writeError = createOutput(process.stderr)

let unwritten: Error | undefined

/** Writes a line of the result of a command. */
export function print(text: string): void {
  printText(`${text}\n`)
}

/** Writes the result of a command as indented JSON. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, undefined, 2))
}

/** Writes a part of the result of a command. */
export function printText(text: string): void {
  const error = writeOut(text)
  // A reader such as `| head` closes the pipe on purpose.
  if (codeOf(error) !== 'EPIPE') unwritten ??= error
}

/** @throws Error with one line when a part of the result could not be written to stdout */
export function requireWritten(): void {
  if (unwritten !== undefined)
    throw new Error(`stdout: the answer cannot be written: ${unwritten.message}`)
}

/** Writes a line that is not part of the result: a warning or an error. */
export function printError(text: string): void {
  writeError(`${text}\n`, { maxUnreadBytes: MAX_UNREAD_BYTES })
}

/** Replaces the last line of a terminal on stderr; an empty text removes it. */
export function redrawError(text: string): void {
  writeError(`\r\u001b[K${text}`, { maxUnreadBytes: MAX_UNREAD_BYTES })
}

/** Colours `text` for stdout, if stdout is a terminal and `NO_COLOR` is not set. */
export function paint(style: Style, text: string): string {
  takesColour ??= styleText('bold', '.', { stream: process.stdout }) !== '.'
  return takesColour ? styleText(style, text, { stream: process.stdout }) : text
}

/** Cached, because a log calls `paint` often and the result does not change. */
let takesColour: boolean | undefined

/** Colours `text` for stderr, under the same conditions. */
export function paintError(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stderr })
}

/**
 * Pads cells so that each column is as wide as its widest cell.
 * @example
 * ```ts
 * alignColumns([['a', '1'], ['long', '2']]) // ['a     1', 'long  2']
 * ```
 */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(width(column)))
      .join('  ')
      .trimEnd(),
  )
}

/**
 * Writes a text to stdout or stderr, which may be full, closed or unread.
 * @param options.maxUnreadBytes writes nothing while more bytes than this are unread
 * @returns the error that prevented the write, if it is known already
 */
export type Output = (
  text: string,
  options?: { readonly maxUnreadBytes?: number },
) => Error | undefined

/** Creates the output of a standard stream. Errors of the stream no longer end the process. */
function createOutput(stream: Writable & { readonly fd: number }): Output {
  const write = stream instanceof Socket ? createSocketOutput(stream) : createFileOutput(stream)
  return (text, options) => write(escapeSteering(text), options)
}

/** The output of a pipe or terminal. Its error arrives later, and is final. */
function createSocketOutput(stream: Socket): Output {
  let failure: Error | undefined
  stream.on('error', (error) => {
    failure = error
  })
  return (text, { maxUnreadBytes = Number.POSITIVE_INFINITY } = {}) => {
    if (failure !== undefined) return failure
    if (stream.writableLength > maxUnreadBytes) return new Error('its reader does not read')
    stream.write(text)
    return undefined
  }
}

/**
 * The output of a file or device. Writes to the descriptor, because the first error would close the
 * stream, and a full disk may have room later.
 */
function createFileOutput(stream: Writable & { readonly fd: number }): Output {
  // Catches errors of writes by other code, for example by Node itself.
  stream.on('error', () => {})
  let isTorn = false
  return (text) => {
    const bytes = Buffer.from(isTorn ? `\n${text}` : text)
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(stream.fd, bytes, written)
      isTorn = false
      return undefined
    } catch (error) {
      if (written > 0) isTorn = bytes[written - 1] !== NEWLINE
      return error instanceof Error ? error : new Error(String(error))
    }
  }
}

const NEWLINE = 0x0a
