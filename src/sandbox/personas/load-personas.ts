import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { packageRoot } from '../../package-root.ts'
import { ConfigError } from '../files/config-error.ts'
import { onDemand } from '../files/on-demand.ts'
import type { Persona } from './persona-schema.ts'

/** The folder of the built-in personas. */
export const BUILT_IN_PERSONAS = fileURLToPath(new URL('personas/', packageRoot))

/**
 * The built-in personas as JSON. The build writes this file beside the bundle, because parsing the
 * YAML would take half of the start time.
 */
const PARSED_AT_BUILD = new URL('personas.json', import.meta.url)

/**
 * Loads the built-in personas and the personas of `paths`: files, or folders whose `*.yaml` and
 * `*.yml` files are read in the order of their names. A persona of `paths` replaces the built-in
 * persona with the same name.
 * @param mayBeEmpty folders of `paths` that may hold no persona file
 * @throws ConfigError with the problems of all files, or for a path that does not exist
 */
export async function loadPersonas(
  paths: readonly string[] = [],
  mayBeEmpty: readonly string[] = [],
): Promise<Persona[]> {
  for (const [index, path] of paths.entries()) {
    const reason = `${path}: no such file or folder`
    if (!existsSync(path))
      throw ConfigError.ofSetting(['personas', index], { label: 'personas', reason })
  }
  const personas = new Map((await readBuiltInPersonas()).map((persona) => [persona.name, persona]))
  for (const persona of await readFiles(paths, mayBeEmpty)) personas.set(persona.name, persona)
  return [...personas.values()]
}

async function readBuiltInPersonas(): Promise<readonly Persona[]> {
  if (!existsSync(PARSED_AT_BUILD)) return readFiles([BUILT_IN_PERSONAS])
  // The build has validated this JSON.
  return JSON.parse(readFileSync(PARSED_AT_BUILD, 'utf8'))
}

/** The YAML parser and the schemas are loaded only if there are files. */
const loadPersonaFiles = onDemand(() => import('./persona-files.ts'))

async function readFiles(
  paths: readonly string[],
  mayBeEmpty: readonly string[] = [],
): Promise<readonly Persona[]> {
  if (paths.length === 0) return []
  const { readPersonas } = await loadPersonaFiles()
  return readPersonas(paths, mayBeEmpty)
}
