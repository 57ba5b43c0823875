import * as z from 'zod'
import type { Issue } from './issue.ts'
import { isJsonObject } from './json-object.ts'
import { didYouMean } from './nearest.ts'

type RawIssue = z.core.$ZodRawIssue
type Path = Issue['path']

/** A hostile request shall not be answered by something much larger than itself. */
const MAX_ISSUES = 100

const LONGEST_QUOTE = 60

/**
 * The `error` of a zod schema or check that stands for a rule of the specification. zod has no room for a rule id, so the id
 * leads the message (`SIG-08 must be an integer from 0 to 150, is "18"`) and `issuesOf` takes it off again.
 *
 * @param sentence what would be right, beginning with `must`
 * @param other rules for an absent value (`missing`) and for the unknown members of an object (`unknown`), when they are
 *   not `rule` itself
 */
export function breaks(rule: string, sentence: string, other: { missing?: string; unknown?: string } = {}) {
  return (issue: RawIssue): string => {
    if (issue.code === 'unrecognized_keys') return unknownMembers(other.unknown ?? rule, issue)
    if (issue.input === undefined) return `${other.missing ?? rule} is missing: it ${sentence}`
    return `${rule} ${sentence}${received(issue)}`
  }
}

/** The issues of a schema whose every `error` is made by `breaks`, one for each unknown member; `root` names the checked value. */
export function issuesOf(error: z.ZodError, root: string, at: Path = []): Issue[] {
  return withoutEchoes(error.issues).flatMap((issue) => {
    // Only symbols are left out here, which JSON cannot have.
    const path = [...at, ...issue.path.filter((step) => typeof step !== 'symbol')]
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined]
    const lines = issue.message.split('\n')
    return keys.slice(0, MAX_ISSUES).map((key, index): Issue => {
      const line = lines[index] ?? issue.message
      return {
        rule: line.slice(0, line.indexOf(' ')),
        path: key === undefined ? path : [...path, key],
        message: `${nameOf(root, path)}${line.slice(line.indexOf(' '))}`,
      }
    })
  })
}

/** zod measures whatever has a length: a text where a list must stand is one mistake, and not a list of a wrong size too. */
export function withoutEchoes(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const ofWrongKind = new Set(issues.filter(({ code }) => code === 'invalid_type').map(placeOf))
  if (ofWrongKind.size === 0) return issues
  return issues.filter((issue) => !(SIZES.has(issue.code) && ofWrongKind.has(placeOf(issue))))
}

const SIZES: ReadonlySet<string> = new Set(['too_small', 'too_big'])

const placeOf = ({ path }: z.core.$ZodIssue) => JSON.stringify(path)

/** An issue found by a rule that no schema can state; `sentence` says what must be and what is. */
export function issue(rule: string, root: string, path: Path, sentence: string): Issue {
  return { rule, path, message: `${nameOf(root, path)} ${sentence}` }
}

/** As many issues as one answer holds, the first ones. */
export function bounded(issues: readonly Issue[]): Issue[] {
  return issues.slice(0, MAX_ISSUES)
}

/** A value in a message: quoted, cut when long, with control characters and lone surrogates escaped. */
function quote(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value.length > LONGEST_QUOTE ? `${value.slice(0, LONGEST_QUOTE)}…` : value)
}

/** The end of a sentence that says what a value must be: `, is "credti". Did you mean "credit"?` */
export function butIs(value: unknown, candidates: readonly string[]): string {
  const hint = typeof value === 'string' ? didYouMean(value, candidates) : ''
  return `, is ${quote(value)}${hint && `.${hint}`}`
}

/** One line for each unknown member, in the order of `issue.keys`. */
function unknownMembers(rule: string, issue: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string {
  const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : []
  const members = known.length > 0 ? ` Its members are ${known.join(', ')}.` : ' It has no members.'
  return issue.keys
    .slice(0, MAX_ISSUES)
    .map((key) => `${rule} has no member ${quote(key)}.${didYouMean(key, known) || members}`)
    .join('\n')
}

function received(issue: RawIssue): string {
  const { input } = issue
  if (issue.code === 'custom' && Array.isArray(input)) return `, has ${input.length}`
  if (issue.code === 'too_small' && Array.isArray(input)) return ', is empty'
  if (issue.code === 'custom' && isJsonObject(input)) return ''
  return butIs(input, issue.code === 'invalid_value' ? issue.values.filter((value) => typeof value === 'string') : [])
}

function nameOf(root: string, path: Path): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === 'number') return `${name}[${step}]`
    return /^\w{1,60}$/.test(step) ? `${name}.${step}` : `${name}[${quote(step)}]`
  }, root)
}
