import { checkAgainst, type SchemaProblem } from '../../../service/text/schema-problems.ts'
import { isSecret } from '../setting-path.ts'
import { configSchema } from '../settings.ts'
import { withPlainValues } from './plain-values.ts'
import {
  type Environment,
  type ExpandedTexts,
  expandVariables,
  placeOf,
  type Variable,
} from './variables.ts'

/** Replaces the value of a secret variable in a message. */
const HIDDEN = '***'

/**
 * Creates a function that completes the problem of an expanded text: it adds the names of the
 * variables, and keeps the values of secret variables out of the message.
 * @param settings the settings of the file before the expansion
 */
export function createExplanation(
  settings: unknown,
  { expanded, environment }: { expanded: ExpandedTexts; environment: Environment },
): (problem: SchemaProblem) => SchemaProblem {
  return (problem) => {
    const { path } = problem
    const variables = expanded.get(placeOf(path))?.variables ?? []
    const hides = variables.some(isSecretVariable) && !isSecret(path)
    const shown = hides
      ? { path, message: hiddenMessage(path, { settings, environment }) }
      : problem
    return withOrigin(shown, expanded)
  }
}

/** Adds the variables from which the text comes to a problem. */
export function withOrigin(
  { path, message }: SchemaProblem,
  expanded: ExpandedTexts,
): SchemaProblem {
  const variables = expanded.get(placeOf(path))?.variables ?? []
  const origins = variables.map(({ name, value }) =>
    value === '' ? `the environment variable ${name} is empty` : `the value comes from \${${name}}`,
  )
  if (origins.length === 0) return { path, message }
  const text = origins.join('; ')
  const isSentence = /[.?]$/.test(message)
  const sentence = ` ${text.charAt(0).toUpperCase()}${text.slice(1)}`
  return { path, message: isSentence ? message + sentence : `${message}; ${text}` }
}

function isSecretVariable({ name, value }: Variable): boolean {
  return (
    /secret|token|passw|pwd|key|credential|auth|private/i.test(name) || /:\/\/[^/\s]*@/.test(value)
  )
}

/**
 * The message that the same setting gets when the values of secret variables are masked. A generic
 * message if the masked value is valid.
 */
function hiddenMessage(
  path: SchemaProblem['path'],
  { settings, environment }: { settings: unknown; environment: Environment },
): string {
  const masked = Object.entries(environment).map(([name, value = '']) => [
    name,
    value !== '' && isSecretVariable({ name, value }) ? HIDDEN : value,
  ])
  const { value, expanded } = expandVariables(settings, Object.fromEntries(masked))
  const checked = checkAgainst(configSchema, withPlainValues(value, expanded))
  const problems = checked.kind === 'invalid' ? checked.problems : []
  const same = problems.find((problem) => placeOf(problem.path) === placeOf(path))
  return same?.message ?? 'the value cannot be used here, and is not shown'
}
