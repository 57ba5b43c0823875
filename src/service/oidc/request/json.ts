import { formatPath } from '../../text/schema-problems.ts'
import { jsonMistake } from './json-mistakes.ts'

/** The result of parsing JSON text: the value, or why the text is malformed. */
export type JsonText = { ok: true; value: unknown } | { ok: false; reason: string }

// Decision: at most 64 levels, far more than any valid request has. Deeper values could overflow
// the stack of recursive code.
const MAX_LEVELS = 64

/**
 * Parses JSON that a client sent. A byte order mark is ignored (RFC 8259 section 8.1). The reason
 * says where the text is malformed and repeats only a few of its characters.
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
    // The message of Node on one line, without the line and column that only Node 22 and later add.
    const reason = error.message.replaceAll(/\s+/g, ' ').replace(/ \(line \d+ column \d+\)$/, '')
    const mistake = jsonMistake(text)
    return { ok: false, reason: mistake === undefined ? reason : `${reason} (${mistake})` }
  }
}

/** Maximum number of repeated names that are reported. */
const MAX_REPEATED = 10

/** Brackets, commas and strings; a string before a colon is the name of a member. */
const TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]/g

/**
 * Finds the members whose name is repeated in their object (RFC 8259 section 4).
 * @param text valid JSON
 * @param root the path of the whole value
 * @returns the paths of the repeated members, at most ten
 * @example
 * ```ts
 * repeatedMembers('{"a": 1, "a": 2}', 'claims') // ['claims.a']
 * ```
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

/** Whether a text begins like JSON and not like a form. */
export const looksLikeJson = (text: string): boolean => /^\s*[{[]/.test(text)

/**
 * Whether a text has more than 64 brackets. Most texts have fewer, and their values need no further
 * check.
 */
const hasManyBrackets = (text: string) => !/^[^[{]*(?:[[{][^[{]*){0,64}$/.test(text)

/** Iterative: recursion could overflow the stack, which this check exists to prevent. */
function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isNesting)
  for (let depth = 1; depth <= MAX_LEVELS; depth++) {
    level = level.flatMap((one): unknown[] => Object.values(one)).filter(isNesting)
    if (level.length === 0) return false
  }
  return true
}

const isNesting = (value: unknown): value is object => typeof value === 'object' && value !== null
