import * as z from 'zod'
import { ConfigError } from '../../../sandbox/files/config-error.ts'
import { onDemand } from '../../../sandbox/files/on-demand.ts'
import {
  checkAgainst,
  type ProblemReport,
  reportOf,
  type SchemaProblem,
} from '../../../service/text/schema-problems.ts'
import { quotationRemark } from '../in-quotes.ts'
import { findPlaceholders } from '../placeholders.ts'
import { configSchema, type SettingValues } from '../settings.ts'
import { createExplanation, withOrigin } from './explain-expanded.ts'
import { findForeignShape } from './foreign-shape.ts'
import { guardText, unguardText } from './guarded-text.ts'
import { findCommentInJson } from './json-comment.ts'
import { withPlainValues } from './plain-values.ts'
import { type Environment, expandVariables } from './variables.ts'

/** Loaded on demand: most sandboxes have no config file. */
const loadYaml = onDemand(() => import('../../../sandbox/files/yaml-document.ts'))

/** The content of a config file. */
export interface ConfigText {
  readonly values: SettingValues
  /** Advice on the environment variables in the file, a sentence each. */
  readonly warnings: readonly string[]
  /** Adds to a problem the variables from which the value comes. */
  explain(problem: SchemaProblem): SchemaProblem
}

/**
 * Reads the text of a config file.
 * @param options.file the name of the file in messages
 * @throws ConfigError with file and line of each mistake
 */
export async function readConfigText(
  text: string,
  { file, environment }: { file: string; environment: Environment },
): Promise<ConfigText> {
  const { parseYamlDocument } = await loadYaml()
  try {
    const settings = parseYamlDocument(guardText(text), { file, schema: z.unknown() })
    const settled = settle(settings, environment)
    if ('problems' in settled) throw await locateProblems(text, { file, report: settled })
    return settled
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const comment = findCommentInJson(text, file)
    if (comment !== undefined) throw ConfigError.inFiles([{ file, ...comment }], { cause: error })
    throw unguarded(error)
  }
}

/**
 * Creates the error for problems in a text that is valid YAML. It names file and line of each
 * problem.
 */
export async function locateProblems(
  text: string,
  { file, report }: { file: string; report: ProblemReport },
): Promise<unknown> {
  const { parseYamlDocument } = await loadYaml()
  const schema = z.unknown().check(({ issues }) => {
    for (const { path, message } of report.problems) {
      issues.push({ code: 'custom', path: [...path], message, input: undefined })
    }
  })
  try {
    return parseYamlDocument(guardText(text), { file, schema })
  } catch (error) {
    if (!(error instanceof ConfigError)) return error
    const rest = report.rest.map((message) => ({ file, message }))
    return unguarded(ConfigError.inFiles([...error.problems, ...rest], { cause: error }))
  }
}

function unguarded(error: ConfigError): ConfigError {
  const problems = error.problems.map((one) => ({ ...one, message: unguardText(one.message) }))
  return ConfigError.inFiles(problems, { cause: error.cause })
}

/**
 * Converts the parsed file to settings. If there are problems, returns all problems of the first
 * kind that was found.
 */
function settle(settings: unknown, environment: Environment): ConfigText | ProblemReport {
  const foreign = findForeignShape(settings)
  if (foreign.length > 0) return reportOf(foreign)
  const expansion = expandVariables(settings, environment)
  if (expansion.problems.length > 0) return reportOf(expansion.problems)
  const { value, expanded } = expansion
  const placeholders = findPlaceholders(value, {
    expanded,
    remedy: `, or \${NAME} to take it from an environment variable`,
  })
  if (placeholders.length > 0)
    return reportOf(placeholders.map((problem) => withOrigin(problem, expanded)))

  const checked = checkAgainst(configSchema, withPlainValues(value, expanded))
  const explain = createExplanation(settings, { expanded, environment })
  if (checked.kind === 'invalid')
    return { problems: checked.problems.map(explain), rest: checked.rest }
  const variables = [...expanded.values()].flatMap((text) => text.variables)
  const remarks = variables.flatMap(({ name, value }) => quotationRemark(name, value) ?? [])
  return { values: checked.value, warnings: [...new Set(remarks)], explain }
}
