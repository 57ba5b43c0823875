import * as z from 'zod'
import { didYouMean, foundInstead, foundInsteadOfJson, quote } from '../text/message-parts.ts'
import { formatPath, MAX_PROBLEMS, withoutEchoes } from '../text/schema-problems.ts'

type RawIssue = z.core.$ZodRawIssue
type Path = Issue['path']

/** Maximum number of unknown members of one object for which a similar name is suggested. */
const MAX_COMPARED = 10

interface Wording {
  /** Rules for an absent value and for unknown members; by default the rule itself. */
  readonly missing?: string
  readonly unknown?: string
  /** The members of the object in words: `Attributes of id_doc_scan`. */
  readonly members?: string
  /** Adds what is wrong with a text, if the sentence does not say so. */
  readonly fault?: (text: string) => string
  /** Translates a word that other services use; empty for any other word. */
  readonly synonym?: (word: string) => string
}

const NOTHING = () => ''

/**
 * The `error` option of a zod schema or check that implements a rule of the specification. zod has
 * no field for the id of a rule, so the message begins with it (`SIG-08 must be an integer from 0
 * to 150, is "18"`); `issuesOf` removes it.
 * @param sentence what is allowed, beginning with `must`
 */
export function breaks(rule: string, sentence: string, wording: Wording = {}) {
  const {
    missing = rule,
    unknown = rule,
    members = 'Members',
    fault = NOTHING,
    synonym = NOTHING,
  } = wording
  return (issue: RawIssue): string => {
    const { input } = issue
    if (issue.code === 'unrecognized_keys')
      return unknownMembers({ rule: unknown, members, synonym }, issue)
    if (input === undefined) return `${missing} is missing: it ${sentence}`
    if (typeof input !== 'string') return `${rule} ${sentence}${received(issue)}`
    const called = synonym(input)
    const instead = called === '' ? received(issue) : foundInstead(input) + called
    return `${rule} ${sentence}${instead}${fault(input)}`
  }
}

/**
 * Converts the errors of a schema into issues, one for each unknown member. Every `error` of the
 * schema must come from `breaks`.
 * @param root the name of the checked value
 */
export function issuesOf(error: z.ZodError, root: string, at: Path = []): Issue[] {
  // Unknown members come first: a misspelt member explains why another member is missing.
  const rank = ({ code }: z.core.$ZodIssue) => (code === 'unrecognized_keys' ? 0 : 1)
  const issues = withoutEchoes(error.issues).toSorted((one, other) => rank(one) - rank(other))
  return issues.flatMap((one) => {
    // JSON has no symbols, so this filter changes only the type.
    const path = [...at, ...one.path.filter((step) => typeof step !== 'symbol')]
    const keys = one.code === 'unrecognized_keys' ? one.keys : []
    return one.message.split('\n').map((line, index): Issue => {
      const [rule = '', ...words] = line.split(' ')
      const key = keys[index]
      return {
        ...issue(rule, root, path, words.join(' ')),
        path: key === undefined ? path : [...path, key],
      }
    })
  })
}

/**
 * Makes an issue of a rule that no schema can check.
 * @param sentence what is allowed and what was found
 */
export function issue(rule: string, root: string, path: Path, sentence: string): Issue {
  return { rule, path, message: `${formatPath([root, ...path])} ${sentence}` }
}

/** Limits the issues of one answer: a hostile request must not cause a much larger answer. */
export const bounded = (issues: readonly Issue[]): Issue[] => issues.slice(0, MAX_PROBLEMS)

/** Writes one line for each unknown member, in the order of `issue.keys`. */
function unknownMembers(
  { rule, members, synonym }: { rule: string; members: string; synonym: (word: string) => string },
  issue: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>,
): string {
  const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : []
  const allowed = `${members}: ${known.join(', ') || 'none'}.`
  return issue.keys
    .slice(0, MAX_PROBLEMS)
    .map((key, index) => {
      const called = index < MAX_COMPARED ? synonym(key) : ''
      const hint = index < MAX_COMPARED && called === '' ? didYouMean(key, known) : ''
      return `${rule} has no member ${quote(key)}${called}.${hint} ${allowed}`
    })
    .join('\n')
}

function received(issue: RawIssue): string {
  const { input } = issue
  if (issue.code === 'invalid_type' && ['array', 'object'].includes(issue.expected))
    return foundInsteadOfJson(input)
  if (issue.code === 'too_big' && typeof input === 'string')
    return `, has ${input.length}: ${quote(input)}`
  if (issue.code === 'custom' && Array.isArray(input)) return `, has ${input.length}`
  if (issue.code === 'too_small' && Array.isArray(input)) return ', is empty'
  return foundInstead(input, issue.code === 'invalid_value' ? issue.values.map(String) : undefined)
}

/**
 * A rule that a value breaks. The profile decides later whether the issue refuses the request.
 * `rule` is the id of a row in `service/oidc/rules/`, `path` leads from the checked value to the
 * wrong value, `message` says what is wrong and what is allowed.
 */
export interface Issue {
  readonly rule: string
  readonly path: readonly (string | number)[]
  readonly message: string
}
