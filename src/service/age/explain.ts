import * as z from 'zod'
import { didYouMean, foundInstead, foundInsteadOfJson, quote } from '../text/message-parts.ts'
import { formatPath, MAX_PROBLEMS, withoutEchoes } from '../text/schema-problems.ts'

type RawIssue = z.core.$ZodRawIssue
type Path = Issue['path']

/** Unknown members of one object for which a similar known name is searched. */
const MAX_COMPARED = 10

interface Wording {
  /**
   * The rules for an absent value and for unknown members, where they differ from the rule itself.
   */
  readonly missing?: string
  readonly unknown?: string
  /** The members of the object in words: `Attributes of id_doc_scan`. */
  readonly members?: string
  /** Says what is wrong with a text, where the sentence does not. */
  readonly fault?: (text: string) => string
  /** Says what a word of other services is called here; empty for any other word. */
  readonly synonym?: (word: string) => string
}

const NOTHING = () => ''

/**
 * The `error` of a zod schema or check that stands for a rule of the specification. zod has no room
 * for a rule id, so the id leads the message (`SIG-08 must be an integer from 0 to 150, is "18"`)
 * and `issuesOf` takes it off again.
 *
 * @param sentence what would be right, beginning with `must`
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
 * The issues of a schema whose every `error` is made by `breaks`, one for each unknown member;
 * `root` names the checked value.
 */
export function issuesOf(error: z.ZodError, root: string, at: Path = []): Issue[] {
  // A misspelt member explains why another is missing.
  const rank = ({ code }: z.core.$ZodIssue) => (code === 'unrecognized_keys' ? 0 : 1)
  const issues = withoutEchoes(error.issues).toSorted((one, other) => rank(one) - rank(other))
  return issues.flatMap((one) => {
    // Only symbols are left out, which JSON cannot have.
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
 * An issue of a rule that no schema can state. `sentence` says what must be, and what was found.
 */
export function issue(rule: string, root: string, path: Path, sentence: string): Issue {
  return { rule, path, message: `${formatPath([root, ...path])} ${sentence}` }
}

/** Issues in one answer, at most: a hostile request must not cause a much larger answer. */
export const bounded = (issues: readonly Issue[]): Issue[] => issues.slice(0, MAX_PROBLEMS)

/** One line for each unknown member, in the order of `issue.keys`. */
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
 * A broken rule, before it is decided whether it refuses the request: `rule` is the stable id of a
 * row of `oidc/rules.ts`, `path` leads from the checked value to the culprit, `message` says what
 * is wrong and what would be right.
 */
export interface Issue {
  readonly rule: string
  readonly path: readonly (string | number)[]
  readonly message: string
}
