import { existsSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { ConfigError } from '../files/config-error.ts'
import { onDemand } from '../files/on-demand.ts'
import { fileError, readTextFile } from '../files/text-file.ts'
import { configSchema, SETTING_ROWS, type SettingValues } from './settings.ts'

/** Read from the working folder, if it exists there and no other file is named. */
export const DEFAULT_CONFIG_FILE = 'agekey-sandbox.yaml'

/** Loaded only when there is a config file. */
const loadYaml = onDemand(() => import('../files/yaml-document.ts'))

/**
 * Reads the config file (absolute path, `undefined` without one) and its settings. Paths in the file are relative to its folder and
 * become absolute. `named` is the requested file, with the flag or variable that named it; the default file may be missing.
 * @throws ConfigError when the file cannot be read, and with file and line of each mistake
 */
export async function readConfigFile(
  cwd: string,
  named?: { readonly path: string; readonly by: string },
): Promise<{ configFile: string | undefined; values: SettingValues }> {
  const path = resolve(cwd, named?.path ?? DEFAULT_CONFIG_FILE)
  if (named === undefined && !existsSync(path)) return { configFile: undefined, values: {} }
  const file = shortest(cwd, path)
  const text = readText(path, named === undefined ? file : `${named.by}: ${file}`)
  // A file in which every line is a comment means the defaults.
  if (text.split('\n').every((line) => /^\s*(#|$)/.test(line))) return { configFile: path, values: {} }
  const { parseYamlDocument } = await loadYaml()
  const values = resolvePaths(parseYamlDocument(text, { file, schema: configSchema }), dirname(path))
  return { configFile: path, values }
}

/**
 * The error for a wrong value in a config file, found after the file was parsed.
 * @param path where the value stands: `['clients', 0, 'persona']`
 */
export async function problemInFile(
  file: string,
  { cwd, path, reason }: { cwd: string; path: readonly (string | number)[]; reason: string },
): Promise<unknown> {
  const { parseYamlDocument } = await loadYaml()
  const schema = configSchema.check(({ value, issues }) => {
    issues.push({ code: 'custom', path: [...path], message: reason, input: value })
  })
  try {
    return parseYamlDocument(readText(file, file), { file: shortest(cwd, file), schema })
  } catch (problem) {
    return problem
  }
}

/** Makes the paths among the settings absolute. */
export function resolvePaths(values: SettingValues, folder: string): SettingValues {
  const { clients } = values
  const given = new Map(Object.entries(values))
  const absolute = SETTING_ROWS.filter(([name, { isPath }]) => isPath && given.has(name)).map(([name, { word }]) => {
    const resolveOne = (path: unknown) => (path === word ? path : resolve(folder, String(path)))
    const value = given.get(name)
    return [name, Array.isArray(value) ? value.map(resolveOne) : resolveOne(value)]
  })
  return {
    ...values,
    ...Object.fromEntries(absolute),
    ...(clients && {
      clients: clients.map(({ logo, ...client }) =>
        logo === undefined ? client : { ...client, logo: resolve(folder, logo) },
      ),
    }),
  }
}

function readText(path: string, label: string): string {
  const read = readTextFile(path)
  if (read.ok) return read.text
  const { reason, code, cause } = read
  if (code === undefined) throw fileError(label, read)
  throw ConfigError.of(`${label}: cannot read this config file (${reason})`, { cause })
}

function shortest(cwd: string, path: string): string {
  const inside = relative(cwd, path)
  return inside.startsWith(`..${sep}`) ? path : inside
}
