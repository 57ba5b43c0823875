import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import type { Mask } from '../../../sandbox/clients/mask.ts'

/** What an app writes to its standard output and standard error, line by line and without secrets. */
export interface AppLog {
  /** The last error, or the last lines that are no stack, for a message; empty when there is none. */
  lastWords(): string
  /** All that is kept. */
  lines(): readonly string[]
  /** Takes down what comes from now on; the function that comes back gives it. */
  record(): () => Promise<readonly string[]>
}

const MAX_LINES = 500
const MAX_CHARACTERS = 300
const LAST_LINES = 3
/** What an app wrote before it answered comes through a pipe, which may be slower than the answer. */
const LATE_MS = 20

const STACK = /^\s+at |^\s+File "|^goroutine |^\s*$/

const ERROR = /^(?:Uncaught )?[\w.$]*(?:Error|Exception)\b.*:|^panic:/

/** Reads the log of a program. @param mask takes configured secrets out of it; tokens are taken out anyway */
export function createAppLog({ mask }: { mask: Mask }) {
  const kept: string[] = []
  let dropped = 0
  const keep = (line: string) => {
    const text = withoutTokens(mask(stripVTControlCharacters(line).trimEnd()))
    kept.push(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text)
    if (kept.length <= MAX_LINES) return
    kept.shift()
    dropped += 1
  }
  return {
    lines: () => kept,
    lastWords() {
      const all = kept.filter((line) => !STACK.test(line))
      // What Node and Python write behind the message says less.
      const error = all.findLast((line) => ERROR.test(line))
      const words = error === undefined ? all.slice(-LAST_LINES) : [error]
      return words.length === 0 ? '' : `; it wrote: ${words.map((line) => line.trim()).join(' | ')}`
    },
    record() {
      const start = dropped + kept.length
      return async () => {
        await wait(LATE_MS)
        return kept.slice(Math.max(0, start - dropped))
      }
    },
    /** Reads what a program writes, until it ends. */
    read({ stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>): void {
      for (const stream of [stdout, stderr]) {
        let rest = ''
        stream?.setEncoding('utf8').on('data', (text: string) => {
          const lines = (rest + text).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) keep(line)
        })
        stream?.on('end', () => {
          if (rest !== '') keep(rest)
        })
      }
    },
  }
}

/** JSON Web Tokens, the values of parameters that carry one or a code, and what a header authorizes with. */
const withoutTokens = (line: string) =>
  line
    .replaceAll(/\beyJ[\w-]+(?:\.[\w-]*)*/g, '***')
    .replaceAll(/\b(id_token|code|access_token|client_secret|password)=[^&\s"']+/gi, '$1=***')
    .replaceAll(/\b(Bearer|Basic) [\w+/=.~-]{8,}/gi, '$1 ***')
