import { styleText } from 'node:util'

// One style at a time: given several, Node 20 does not look whether the stream is a terminal.
type Style = Extract<Parameters<typeof styleText>[0], string>

/** Writes a line of the answer of a command. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

let waiting = ''

/** Writes a line of a log together with those that come in the same turn: a write takes as long as a tenth of an answer. */
export function printSoon(text: string): void {
  if (waiting === '') setImmediate(printWaiting)
  waiting += `${text}\n`
}

function printWaiting(): void {
  process.stdout.write(waiting)
  waiting = ''
}

/** Writes a line that is no part of the answer: a warning or an error. */
export function printError(text: string): void {
  process.stderr.write(`${text}\n`)
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
  return text.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))
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

/**
 * A reader that has seen enough (`| head`) closes the pipe: not an error of ours, and no reason for a server to stop.
 */
export function outliveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: Error & { code?: string }) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}
