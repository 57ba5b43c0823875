import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'

const MAX_LINES = 500
const MAX_CHARACTERS = 300
/** Milliseconds to wait for output, which may arrive later than the app's response. */
const LATE_MS = 20

/** The output of an app, line by line, with secrets masked. */
export interface AppLog {
  /** The last 500 lines. */
  lines(): readonly string[]
  /** Starts to record lines. The returned function stops the recording and returns the lines. */
  record(): () => Promise<readonly string[]>
}

/** @param mask hides secrets in a line */
export function createAppLog(
  { stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>,
  mask: (text: string) => string,
): AppLog {
  const kept: string[] = []
  let count = 0
  const keep = (line: string) => {
    const text = withoutTokens(mask(stripVTControlCharacters(line).trimEnd()))
    kept.push(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text)
    count += 1
    if (kept.length > MAX_LINES) kept.shift()
  }
  for (const stream of [stdout, stderr])
    if (stream) createInterface({ input: stream }).on('line', keep)
  return {
    lines: () => [...kept],
    record() {
      const start = count
      return async () => {
        await wait(LATE_MS)
        return count === start ? [] : kept.slice(start - count)
      }
    },
  }
}

const STACK = /^\s+at |^\s+File "|^goroutine |^\s*$/
const ERROR = /^(?:Uncaught )?[\w.$]*(?:Error|Exception)\b.*:|^panic:/

/** The last error in the log, otherwise the last lines, as the end of a message; may be empty. */
export function lastWords(log: AppLog): string {
  const all = log.lines().filter((line) => !STACK.test(line))
  // Node and Python write less important lines after the message.
  const error = all.findLast((line) => ERROR.test(line))
  const words = error === undefined ? all.slice(-3) : [error]
  return words.length === 0 ? '' : `; it wrote: ${words.map((line) => line.trim()).join(' | ')}`
}

/**
 * Hides JSON Web Tokens, values of parameters such as `code`, and the value of an `Authorization`
 * header.
 */
const withoutTokens = (line: string) =>
  line
    .replaceAll(/\beyJ[\w-]+(?:\.[\w-]*)*/g, '***')
    .replaceAll(/\b(id_token|code|access_token|client_secret|password)=[^&\s"']+/gi, '$1=***')
    .replaceAll(/\b(Bearer|Basic) [\w+/=.~-]{8,}/gi, '$1 ***')
