import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { codeOf } from '../../sandbox/files/caught.ts'
import { escapeSteering } from '../../service/text/visible.ts'

// One style at a time: with several, Node 20 does not check whether the stream is a terminal.
type Style = Extract<Parameters<typeof styleText>[0], string>

/** Bytes that a reader may leave unread before logs, warnings and errors are dropped. */
export const MAX_UNREAD_BYTES = 1024 * 1024

/** Writes to stdout. */
export const writeOut = createOutput(process.stdout)
const writeError = createOutput(process.stderr)

let unwritten: Error | undefined

/** Writes a line of the result of a command. */
export function print(text: string): void {
  printText(`${text}\n`)
}

/** Writes the result of a command as JSON for people and programs. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, undefined, 2))
}

/** Writes a part of the result of a command. */
export function printText(text: string): void {
  const error = writeOut(text)
  // A reader like `| head` closes the pipe on purpose.
  if (codeOf(error) !== 'EPIPE') unwritten ??= error
}

/** @throws Error with one line when a part of the result of a command could not be written */
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

/** Colours `text` for stdout: only on a terminal, and not when `NO_COLOR` is set. */
export function paint(style: Style, text: string): string {
  takesColour ??= styleText('bold', '.', { stream: process.stdout }) !== '.'
  return takesColour ? styleText(style, text, { stream: process.stdout }) : text
}

/** Read once: a log colours much, and the answer never changes. */
let takesColour: boolean | undefined

/** Colours `text` for stderr, under the same conditions. */
export function paintError(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stderr })
}

/** Aligns columns, each as wide as its widest cell. */
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
 * Stdout or stderr, which may be full, closed or unread. Writes a text and returns the error that
 * is known to prevent it. With `maxUnreadBytes` nothing is written while a reader has left more
 * than that unread.
 */
export type Output = (
  text: string,
  options?: { readonly maxUnreadBytes?: number },
) => Error | undefined

/** Creates the output of a standard stream. No error of the stream ends the process afterwards. */
function createOutput(stream: Writable & { readonly fd: number }): Output {
  const write = stream instanceof Socket ? createSocketOutput(stream) : createFileOutput(stream)
  return (text, options) => write(escapeSteering(text), options)
}

/** A pipe or terminal: its error comes later and is final. */
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
 * A file or device, written without its stream, which the first error would close: a full disk may
 * have room later.
 */
function createFileOutput(stream: Writable & { readonly fd: number }): Output {
  // Catches errors of what others write, for example Node itself.
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
