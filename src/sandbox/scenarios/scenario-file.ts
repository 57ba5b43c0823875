import { readFileSync } from 'node:fs'
import { codeOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { parseYamlDocument } from '../../files/yaml-document.ts'
import { type Scenario, scenarioSchema, unknownPersonas } from './scenario-schema.ts'

/**
 * Reads a scenario and checks every name in it.
 * @param options.personas the names that exist where the scenario is to run
 * @throws ConfigError with file and line of each problem
 */
export function readScenarioFile(file: string, { personas }: { personas: readonly string[] }): Scenario {
  const schema = scenarioSchema.check(({ value, issues }) => {
    for (const { path, message } of unknownPersonas(value, personas)) {
      issues.push({ code: 'custom', path: [...path], message, input: value })
    }
  })
  return parseYamlDocument(readText(file), { file, schema })
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const code = codeOf(cause)
    const message = code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'is a folder; name its files' : undefined
    throw ConfigError.inFiles([{ file, message: message ?? `cannot be read: ${String(cause)}` }], { cause })
  }
}
