import { requireText } from '../files/text-file.ts'
import { parseYamlDocument } from '../files/yaml-document.ts'
import { type Scenario, scenarioSchema, unknownPersonas } from './scenario-schema.ts'

/**
 * Reads a scenario file.
 * @throws ConfigError when the file cannot be read
 */
export const readScenarioText = (file: string): string => requireText(file)

/**
 * Parses a scenario and checks all names in it.
 * @param options.file the name of the file in messages
 * @param options.personas the names of the sandbox's personas
 * @throws ConfigError with file and line of each problem
 */
export function parseScenario(
  text: string,
  { file, personas }: { file: string; personas: readonly string[] },
): Scenario {
  const schema = scenarioSchema.check(({ value, issues }) => {
    for (const { path, message } of unknownPersonas(value, personas)) {
      issues.push({ code: 'custom', path: [...path], message, input: value })
    }
  })
  return parseYamlDocument(text, { file, schema })
}
