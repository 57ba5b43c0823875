import * as z from 'zod'
import { didYouMean, found, nearest, quote, saysWhatIsCalledHere } from './message-parts.ts'

/** One problem of a value: where it is, what is wrong, and what is allowed. */
export interface SchemaProblem {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

export type Checked<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | ({ readonly kind: 'invalid' } & ProblemReport)

export interface ProblemReport<Problem = SchemaProblem> {
  readonly problems: readonly Problem[]
  /** The last line of a shortened report, such as `and 19900 more problems`; otherwise empty. */
  readonly rest: readonly string[]
}

/**
 * Maximum number of problems in one report. A request may have 20,000 mistakes, so the search takes
 * time proportional to the size of the value.
 */
export const MAX_PROBLEMS = 100

/**
 * Validates `value` against a zod schema and describes every problem. Each unknown key is a problem
 * of its own. A message of the schema itself is kept.
 */
export function checkAgainst<S extends z.ZodType>(schema: S, value: unknown): Checked<z.output<S>> {
  const result = schema.safeParse(value, { error: createIssueDescriber(), reportInput: true })
  if (result.success) return { kind: 'valid', value: result.data }
  const problems = distinct(withoutMisspelt(withoutEchoes(result.error.issues)).flatMap(problemsOf))
  return { kind: 'invalid', ...reportOf(problems) }
}

/** Keeps the first problems and counts the others. */
export function reportOf<Problem>(problems: readonly Problem[]): ProblemReport<Problem> {
  const more = problems.length - MAX_PROBLEMS
  const rest = more > 0 ? [`and ${more} more problem${more === 1 ? '' : 's'}`] : []
  return { problems: problems.slice(0, MAX_PROBLEMS), rest }
}

/**
 * Writes a report as lines: the path, then the message.
 * @param root the name of the value itself, such as `options`
 */
export const problemLines = ({ problems, rest }: ProblemReport, root: string): string[] => [
  ...problems.map(({ path, message }) => `${formatPath(path) || root}: ${message}`),
  ...rest,
]

/**
 * Writes a path as text. Keys with unusual characters are quoted.
 * @example
 * ```ts
 * formatPath(['age_key', 'signals', 0, 'method']) // 'age_key.signals[0].method'
 * formatPath(['certifications', '/veratad/roc']) // 'certifications["/veratad/roc"]'
 * ```
 */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    if (!/^[\w-]{1,60}$/.test(String(key))) return `${text}[${quote(String(key))}]`
    return text === '' ? String(key) : `${text}.${String(key)}`
  }, '')
}

/**
 * Removes problems of size from values of a wrong type. zod also checks the length of a text where
 * a list is expected.
 */
export function withoutEchoes(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const placeOf = ({ path }: z.core.$ZodIssue) => JSON.stringify(path)
  const ofWrongKind = new Set(issues.filter(({ code }) => code === 'invalid_type').map(placeOf))
  return issues.filter(
    (issue) =>
      !(
        (issue.code === 'too_small' || issue.code === 'too_big') &&
        ofWrongKind.has(placeOf(issue))
      ),
  )
}

/**
 * Options for a schema or check with a message of its own: `must be 0 or more seconds, found -5`.
 */
export const mustBe = (right: string) => ({
  error: (issue: Found) => `must be ${right}, ${foundAt(issue)}`,
})

type Found = Pick<z.core.$ZodRawIssue, 'input' | 'path'>

/** Removes the problem of a missing key if an unknown key beside it misspells the missing key. */
function withoutMisspelt(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const strangers = new Map(
    issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? [[formatPath(issue.path), issue.keys.slice(0, MAX_PROBLEMS)]]
        : [],
    ),
  )
  return issues.filter(({ path, input }) => {
    if (input !== undefined) return true
    const beside = strangers.get(formatPath(path.slice(0, -1))) ?? []
    return !beside.some((key) => nearest(key, [String(path.at(-1))]).length > 0)
  })
}

/** Removes duplicates: two checks may find the same problem. */
const distinct = (problems: readonly SchemaProblem[]): SchemaProblem[] =>
  [
    ...new Map(
      problems
        .toReversed()
        .map((problem) => [`${problem.message} ${formatPath(problem.path)}`, problem]),
    ).values(),
  ].reverse()

/** The id of a rule at the beginning of a message. The id means nothing to the author of a file. */
const RULE_ID = /^[A-Z]{3}-\d\d /gm

function problemsOf(issue: z.core.$ZodIssue): SchemaProblem[] {
  const { path } = issue
  const message = issue.message.replace(RULE_ID, '')
  switch (issue.code) {
    case 'unrecognized_keys': {
      // describeIssue writes one line for each key, in their order.
      const lines = message.split('\n')
      return issue.keys.map((key, index) => ({
        path: [...path, key],
        message: lines[index] ?? message,
      }))
    }
    case 'invalid_key':
      return issue.issues.map((inner) => ({ path, message: `bad key: ${inner.message}` }))
    case 'invalid_union':
      return unionProblems(issue)
    default:
      return [{ path, message }]
  }
}

/**
 * The problems of the union's alternative that was probably meant: the alternative accepts this
 * kind of value and has the fewest problems.
 */
function unionProblems(issue: z.core.$ZodIssueInvalidUnion): SchemaProblem[] {
  const { path, message } = issue
  const possible = issue.errors.filter((branch) => !branch.some(isWrongKind))
  const meant = possible.filter((branch) => !branch.some(isWrongVariant))
  const [nearest] = (
    meant.length > 0 ? meant : possible.map((branch) => mergeVariants(branch, possible))
  )
    .map((branch) => branch.flatMap(problemsOf))
    .sort((a, b) => a.length - b.length)
  if (nearest !== undefined)
    return nearest.map((inner) => ({ ...inner, path: [...path, ...inner.path] }))

  const kinds = new Set(
    issue.errors
      .flat()
      .filter(isWrongKind)
      .map((inner) => expectedThing(inner.expected)),
  )
  if (kinds.size === 0) return [{ path, message }]
  return [{ path, message: `expected ${[...kinds].join(' or ')}, ${found(issue.input)}` }]
}

/**
 * When no alternative accepts the value of the discriminating member, one message lists the values
 * of all alternatives. A message that already explains the value is kept.
 */
function mergeVariants(
  branch: readonly z.core.$ZodIssue[],
  branches: readonly (readonly z.core.$ZodIssue[])[],
) {
  const [wrong] = branch.filter(isWrongVariant)
  if (wrong === undefined || saysWhatIsCalledHere(wrong.message)) return branch
  const values = branches
    .flatMap((other) => other.filter(isWrongVariant))
    .flatMap((other) => other.values)
  return [
    { ...wrong, message: unknownValue(String(wrong.path[0]), wrong.input, [...new Set(values)]) },
  ]
}

function isWrongVariant(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidValue {
  return issue.code === 'invalid_value' && issue.path.length === 1 && issue.values.length === 1
}

function isWrongKind(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidType {
  return issue.code === 'invalid_type' && issue.path.length === 0
}

/**
 * Creates a zod error map whose messages address the author of a file. zod does not call it for a
 * schema with its own message. Only the first unknown keys are compared with the known keys, to
 * bound the cost.
 */
function createIssueDescriber(): (issue: z.core.$ZodRawIssue) => string | undefined {
  let left = MAX_PROBLEMS
  return (issue) => {
    if (issue.code !== 'unrecognized_keys') return describeIssue(issue)
    const known = knownKeys(issue.inst)
    return issue.keys
      .map((key) => (left-- > 0 ? `unknown key${suggestion(key, known)}` : 'unknown key'))
      .join('\n')
  }
}

function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      // The schema accepts any value except undefined.
      if (issue.expected === 'nonoptional') return 'is missing'
      return issue.input === undefined
        ? `is missing; expected ${expectedThing(issue.expected)}`
        : `expected ${expectedThing(issue.expected)}, ${foundAt(issue)}`
    case 'invalid_value':
      return unknownValue(lastKey(issue.path), issue.input, issue.values)
    case 'invalid_union':
      return unknownVariant(issue.discriminator, issue.input, issue.options)
    case 'too_small':
      return `expected at least ${amount(issue.minimum, issue.origin)}, ${foundAt(issue)}`
    case 'too_big':
      return `expected at most ${amount(issue.maximum, issue.origin)}, ${foundAt(issue)}`
    default:
      return undefined
  }
}

/** Describes a received value; the value of a secret is not shown. */
function foundAt({ input, path }: Found): string {
  const isSecret =
    /secret|token/.test(lastKey(path)) &&
    typeof input !== 'object' &&
    input !== undefined &&
    input !== ''
  return isSecret ? `found a ${typeof input} that is not shown` : found(input)
}

const THINGS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'nothing',
}

/** The type that a schema expects, in words and with an article: `a list`. */
function expectedThing(expected: string): string {
  return THINGS[expected] ?? expected
}

/**
 * The message for a value outside a list of known values: `unknown method "facial"`, then the most
 * similar known value or all of them.
 */
function unknownValue(
  noun: string,
  input: unknown,
  values: readonly z.core.util.Primitive[],
): string {
  const names = values.map(String)
  if (input === undefined) return `is missing${oneOf(names)}`
  if (typeof input !== 'string') return `unknown ${noun}, ${found(input)}${oneOf(names)}`
  return `unknown ${noun} ${quote(input)}${suggestion(input, names)}`
}

function unknownVariant(
  discriminator: unknown,
  input: unknown,
  options: unknown,
): string | undefined {
  if (typeof discriminator !== 'string' || !Array.isArray(options)) return undefined
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  return unknownValue(discriminator, Reflect.get(input, discriminator), options)
}

function suggestion(word: string, names: readonly string[]): string {
  const nearMiss = didYouMean(word, names)
  return nearMiss === '' ? oneOf(names) : `.${nearMiss}`
}

function oneOf(names: readonly string[]): string {
  if (names.length === 0) return '; none is allowed here'
  return names.length === 1 ? `; expected ${names[0]}` : `; expected one of ${names.join(', ')}`
}

function amount(limit: number | bigint, origin: string): string {
  const unit = { string: 'character', array: 'item', set: 'item' }[origin]
  return unit === undefined ? String(limit) : `${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`
}

function knownKeys(schema: z.core.$ZodType | z.core.$ZodCheck | undefined): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (schema instanceof z.ZodRecord) return [...(schema.keyType._zod.values ?? [])].map(String)
  return []
}

function lastKey(path: readonly PropertyKey[] | undefined): string {
  return String(path?.findLast((key) => typeof key === 'string') ?? 'value')
}
