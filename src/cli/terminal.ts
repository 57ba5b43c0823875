import { styleText } from 'node:util'
import { codeOf } from '../files/caught.ts'
import { createOutput, type Output } from './output.ts'

// One style at a time: given several, Node 20 does not look whether the stream is a terminal.
type Style = Extract<Parameters<typeof styleText>[0], string>

/** Bytes that a reader may leave unread before lines of a log, warnings and errors are dropped. */
export const MAX_UNREAD_BYTES = 1024 * 1024

/** Writes to stdout. */
export const writeOut = escaping(createOutput(process.stdout))
const writeError = escaping(createOutput(process.stderr))

let unwritten: Error | undefined

/** Writes a line of the answer of a command. */
export function print(text: string): void {
  printText(`${text}\n`)
}

/** Writes a part of the answer of a command. */
export function printText(text: string): void {
  const error = writeOut(text)
  // A reader that has seen enough (`| head`) closes the pipe on purpose.
  if (codeOf(error) !== 'EPIPE') unwritten ??= error
}

/** @throws Error with one line when a part of the answer of a command could not be written */
export function requireWritten(): void {
  if (unwritten !== undefined) throw new Error(`stdout: the answer cannot be written: ${unwritten.message}`)
}

/** Writes a line that is no part of the answer: a warning or an error. */
export function printError(text: string): void {
  writeError(`${text}\n`, { maxUnreadBytes: MAX_UNREAD_BYTES })
}

/** Draws the last line of a terminal at stderr over again; an empty text takes it away. */
export function redrawError(text: string): void {
  writeError(`\r\u001b[K${text}`, { maxUnreadBytes: MAX_UNREAD_BYTES })
}

/** Colours `text` for stdout: only on a terminal, and not when `NO_COLOR` is set. */
export function paint(style: Style, text: string): string {
  takesColour ??= styleText('bold', '.', { stream: process.stdout }) !== '.'
  return takesColour ? styleText(style, text, { stream: process.stdout }) : text
}

/** Asked once: a log paints much, and whether it may stays as it is. */
let takesColour: boolean | undefined

/** The same for stderr. */
export function paintError(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stderr })
}

/** Makes control characters visible, so that what a request says cannot steer the terminal or forge a line. */
export function visible(text: string): string {
  return text
    .replace(NEVER_WRITTEN, codeOfCharacter)
    .replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))
}

/** What steers a terminal beside the characters below 32, also inside JSON: other controls, what turns the direction of text, and what has no width. */
const NEVER_WRITTEN = /[\x7f-\x9f\u200b\u2028\u2029\u2060\ufeff]|\p{Bidi_Control}/gu

const codeOfCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

function escaping(write: Output): Output {
  return (text, options) => write(text.replace(NEVER_WRITTEN, codeOfCharacter), options)
}

/** Lines of columns, each as wide as its widest cell. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(width(column)))
      .join('  ')
      .trimEnd(),
  )
}
