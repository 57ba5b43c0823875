import { isJsonObject } from '../../../service/age/json-object.ts'
import { quote } from '../../../service/text/message-parts.ts'
import type { SchemaProblem } from '../../../service/text/schema-problems.ts'
import { isSecret } from '../setting-path.ts'
import { unguardText } from './guarded-text.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A text of the config file that contained a reference. */
export interface ExpandedText {
  /** The environment variables in the text that are set, including empty ones. */
  readonly variables: readonly Variable[]
  /** The expanded text without escaped references (`$${`). */
  readonly withoutEscapes: string
}

export interface Variable {
  readonly name: string
  readonly value: string
}

/** The expanded texts, by `placeOf` their path. */
export type ExpandedTexts = ReadonlyMap<string, ExpandedText>

export interface Expansion {
  /** The value of the file with all texts expanded. */
  readonly value: unknown
  readonly expanded: ExpandedTexts
  readonly problems: readonly SchemaProblem[]
}

/** The key of a path in `ExpandedTexts`. */
export const placeOf = (path: readonly PropertyKey[]): string => JSON.stringify(path)

/**
 * Expands `${NAME}` and `${NAME:-default}` in all texts of a parsed config file; `$${` stands for
 * `${`. The file is parsed first, so that the value of a variable is never read as YAML. Values are
 * not expanded again, and keys are not expanded.
 */
export function expandVariables(settings: unknown, environment: Environment): Expansion {
  const expanded = new Map<string, ExpandedText>()
  const problems: SchemaProblem[] = []
  const value = mapTexts(settings, (guarded, path) => {
    const written = unguardText(guarded)
    if (!written.includes('${')) return written
    const { text, mistakes, ...parts } = expandText(written, {
      environment,
      isHidden: isSecret(path),
    })
    expanded.set(placeOf(path), parts)
    problems.push(...mistakes.map((message) => ({ path, message })))
    return text
  })
  return { value, expanded, problems }
}

/** Applies `change` to each text in a value, including nested ones, but not to keys. */
export function mapTexts(
  value: unknown,
  change: (text: string, path: readonly PropertyKey[]) => unknown,
  path: readonly PropertyKey[] = [],
): unknown {
  if (typeof value === 'string') return change(value, path)
  if (Array.isArray(value))
    return value.map((item, index) => mapTexts(item, change, [...path, index]))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value)
  return Object.fromEntries(
    members.map(([key, member]) => [key, mapTexts(member, change, [...path, key])]),
  )
}

/** Matches `$${`, or a reference whose closing brace may be missing. */
const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g

/**
 * Marks an escape during the expansion. A noncharacter, because no text contains it (Unicode 16,
 * section 23.7).
 */
const ESCAPED = '\ufdef'

const ALLOWED = `write \${NAME}, or \${NAME:-default} for a variable that may be missing; $\${ stands for \${ itself`

/** @param options.isHidden whether messages must not repeat the text */
function expandText(
  written: string,
  { environment, isHidden }: { environment: Environment; isHidden: boolean },
) {
  const variables: Variable[] = []
  const mistakes: string[] = []
  const resolve = (reference: string, inside: string): string => {
    const mistake = mistakeOf(reference, inside)
    if (mistake !== undefined) {
      mistakes.push(`${isHidden ? 'a reference' : quote(reference)} ${mistake}; ${ALLOWED}`)
      return ''
    }
    const [, name = '', hasDefault, byDefault = ''] = VARIABLE.exec(inside) ?? []
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined
    if (value !== undefined) variables.push({ name, value })
    else if (hasDefault === undefined)
      mistakes.push(
        `the environment variable ${name} is not set; set it, or write \${${name}:-default}`,
      )
    return value || byDefault
  }
  const marked = written.replaceAll(REFERENCE, (reference, inside: string | undefined) =>
    inside === undefined ? ESCAPED : resolve(reference, inside),
  )
  return {
    text: marked.replaceAll(ESCAPED, '${'),
    withoutEscapes: marked.replaceAll(ESCAPED, ''),
    variables,
    mistakes: [...new Set(mistakes)],
  }
}

/** The name in a reference, and the default after `:-`. */
const VARIABLE = /^([A-Za-z_]\w*)(:-(.*))?$/s

function mistakeOf(reference: string, inside: string): string | undefined {
  if (inside.includes('${')) return 'holds another ${, but a default is a plain text'
  if (!reference.endsWith('}')) return 'has no closing brace'
  if (inside === '') return 'names no environment variable'
  return VARIABLE.test(inside) ? undefined : 'cannot be expanded'
}
