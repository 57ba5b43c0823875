import { formatPath } from '../../text/schema-problems.ts'
import { jsonMistake } from './json-mistakes.ts'

/** The value of JSON text, or why it has none. */
export type JsonText = { ok: true; value: unknown } | { ok: false; reason: string }

// Decision: nothing that the service reads is nested deeper than a few levels, and what recurses
// must not run out of stack.
const MAX_LEVELS = 64

/**
 * Parses JSON that a client sent, without the byte order mark of an editor (RFC 8259 section 8.1).
 * The reason says where it breaks and never repeats more than a few characters of it.
 */
export function parseJson(sent: string): JsonText {
  const text = sent.replace(/^\uFEFF/, '')
  try {
    const value: unknown = JSON.parse(text)
    return hasManyBrackets(text) && isTooDeep(value)
      ? { ok: false, reason: `it is nested deeper than ${MAX_LEVELS} levels` }
      : { ok: true, value }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // One line: the message repeats a few characters of the text. Only Node 22 and later name line
    // and column too.
    const reason = error.message.replaceAll(/\s+/g, ' ').replace(/ \(line \d+ column \d+\)$/, '')
    const mistake = jsonMistake(text)
    return { ok: false, reason: mistake === undefined ? reason : `${reason} (${mistake})` }
  }
}

/** The most repeated names that are reported: more of them do not help. */
const MAX_REPEATED = 10

/** A text with a colon behind it is a name. */
const TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]/g

/**
 * The paths of members whose name is repeated in their object (RFC 8259 section 4). `text` is valid
 * JSON, nested below `root`.
 */
export function repeatedMembers(text: string, root?: string): string[] {
  const repeated: string[] = []
  const open: { counts?: Map<string, number>; step: string | number }[] = []
  for (const [token, name, colon] of text.matchAll(TOKENS)) {
    const current = open.at(-1)
    if (token === '{') open.push({ counts: new Map(), step: '' })
    else if (token === '[') open.push({ step: 0 })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',' && typeof current?.step === 'number') current.step += 1
    if (!current?.counts || name === undefined || colon === undefined) continue
    const member = String(JSON.parse(name))
    const count = (current.counts.get(member) ?? 0) + 1
    current.step = member
    current.counts.set(member, count)
    if (count === 2)
      repeated.push(
        formatPath([...(root === undefined ? [] : [root]), ...open.map(({ step }) => step)]),
      )
    if (repeated.length === MAX_REPEATED) break
  }
  return repeated
}

/** Whether a text is rather JSON than a form. */
export const looksLikeJson = (text: string): boolean => /^\s*[{[]/.test(text)

/**
 * Whether there are enough for so many levels: hardly a text has them, and most need not be walked
 * through.
 */
const hasManyBrackets = (text: string) => !/^[^[{]*(?:[[{][^[{]*){0,64}$/.test(text)

/** Level by level, for a recursion would be what it is to prevent. */
function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isNesting)
  for (let depth = 1; depth <= MAX_LEVELS; depth++) {
    level = level.flatMap((one): unknown[] => Object.values(one)).filter(isNesting)
    if (level.length === 0) return false
  }
  return true
}

const isNesting = (value: unknown): value is object => typeof value === 'object' && value !== null
