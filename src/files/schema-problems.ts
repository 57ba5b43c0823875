import type * as z from 'zod'
import { withoutEchoes } from '../age/explain.ts'
import { nearest } from '../text/nearest.ts'
import { quote } from '../text/quote.ts'
import { createIssueDescriber, expectedThing, found, unknownValue } from './describe-issue.ts'

/** One thing wrong with a value: where it is, and a sentence that says what is wrong and what would be right. */
export interface SchemaProblem {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

export type Checked<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | {
      readonly kind: 'invalid'
      readonly problems: readonly SchemaProblem[]
      /** The last line of a report that was cut: `and 19900 more problems`. */
      readonly rest: readonly string[]
    }

/**
 * Problems of one report: more of them do not help. What finds them takes time in proportion to the value, and no more: a request
 * may have 20,000 mistakes.
 */
const MAX_PROBLEMS = 100

/**
 * Validates `value` against any zod schema and reports what is wrong, one problem for each unknown key.
 * A message given by the schema is kept; the others come from `describe-issue.ts`.
 */
export function checkAgainst<S extends z.ZodType>(schema: S, value: unknown): Checked<z.output<S>> {
  const result = schema.safeParse(value, { error: createIssueDescriber(MAX_PROBLEMS), reportInput: true })
  if (result.success) return { kind: 'valid', value: result.data }
  const problems = distinct(withoutMisspelt(withoutEchoes(result.error.issues)).flatMap(problemsOf))
  return { kind: 'invalid', ...reportOf(problems) }
}

/** The first problems, and how many more there are. */
export function reportOf<Problem>(problems: readonly Problem[]): { problems: Problem[]; rest: string[] } {
  const more = problems.length - MAX_PROBLEMS
  const rest = more > 0 ? [`and ${more} more problem${more === 1 ? '' : 's'}`] : []
  return { problems: problems.slice(0, MAX_PROBLEMS), rest }
}

/** `age_key.signals[0].method`; a key with other characters is quoted: `certifications["/veratad/roc"]`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    if (!/^[\w-]{1,60}$/.test(String(key))) return `${text}[${quote(String(key))}]`
    return text === '' ? String(key) : `${text}.${String(key)}`
  }, '')
}

/** A required key that is misspelt is one mistake: an unknown key, and not a missing one too. */
function withoutMisspelt(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const strangers = new Map(
    issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys' ? [[formatPath(issue.path), issue.keys.slice(0, MAX_PROBLEMS)]] : [],
    ),
  )
  return issues.filter(({ path, input }) => {
    if (input !== undefined) return true
    const beside = strangers.get(formatPath(path.slice(0, -1))) ?? []
    return !beside.some((key) => nearest(key, [String(path.at(-1))]).length > 0)
  })
}

/** Two checks may find the same. */
const distinct = (problems: readonly SchemaProblem[]): SchemaProblem[] =>
  [
    ...new Map(
      problems.toReversed().map((problem) => [`${problem.message} ${formatPath(problem.path)}`, problem]),
    ).values(),
  ].reverse()

/** The schemas of age signals lead their messages with the id of a rule for requests, which says nothing in a file. */
const RULE_ID = /^[A-Z]{3}-\d\d /gm

function problemsOf(issue: z.core.$ZodIssue): SchemaProblem[] {
  const { path } = issue
  const message = issue.message.replace(RULE_ID, '')
  switch (issue.code) {
    case 'unrecognized_keys': {
      // describeIssue writes one line for each key, in their order.
      const lines = message.split('\n')
      return issue.keys.map((key, index) => ({ path: [...path, key], message: lines[index] ?? message }))
    }
    case 'invalid_key':
      return issue.issues.map((inner) => ({ path, message: `bad key: ${inner.message}` }))
    case 'invalid_union':
      return unionProblems(issue)
    default:
      return [{ path, message }]
  }
}

/** Of a union, the alternative that was probably meant: one that takes this kind of value, and complains least. */
function unionProblems(issue: z.core.$ZodIssueInvalidUnion): SchemaProblem[] {
  const { path, message } = issue
  const possible = issue.errors.filter((branch) => !branch.some(isWrongKind))
  const meant = possible.filter((branch) => !branch.some(isWrongVariant))
  const [nearest] = (meant.length > 0 ? meant : possible.map((branch) => mergeVariants(branch, possible)))
    .map((branch) => branch.flatMap(problemsOf))
    .sort((a, b) => a.length - b.length)
  if (nearest !== undefined) return nearest.map((inner) => ({ ...inner, path: [...path, ...inner.path] }))

  const kinds = new Set(
    issue.errors
      .flat()
      .filter(isWrongKind)
      .map((inner) => expectedThing(inner.expected)),
  )
  if (kinds.size === 0) return [{ path, message }]
  return [{ path, message: `expected ${[...kinds].join(' or ')}, ${found(issue.input)}` }]
}

/** When no alternative has the member's value, the values of all of them are the ones to choose from. */
function mergeVariants(branch: readonly z.core.$ZodIssue[], branches: readonly (readonly z.core.$ZodIssue[])[]) {
  const [wrong] = branch.filter(isWrongVariant)
  if (wrong === undefined) return branch
  const values = branches.flatMap((other) => other.filter(isWrongVariant)).flatMap((other) => other.values)
  return [{ ...wrong, message: unknownValue(String(wrong.path[0]), wrong.input, [...new Set(values)]) }]
}

function isWrongVariant(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidValue {
  return issue.code === 'invalid_value' && issue.path.length === 1 && issue.values.length === 1
}

function isWrongKind(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidType {
  return issue.code === 'invalid_type' && issue.path.length === 0
}
