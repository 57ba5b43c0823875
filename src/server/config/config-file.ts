import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { messageOf } from '../../sandbox/files/caught.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { shortPath } from '../../sandbox/files/short-path.ts'
import { fileError, readTextFile } from '../../sandbox/files/text-file.ts'
import { formatPath, type SchemaProblem } from '../../service/text/schema-problems.ts'
import { findMisnamedFile } from './file/misnamed-file.ts'
import { type ConfigText, locateProblems, readConfigText } from './file/read-config-text.ts'
import type { Environment } from './file/variables.ts'
import { SETTING_ROWS, type SettingValues } from './settings.ts'

/** The config file in the working folder. It is read if it exists and no other file is named. */
export const DEFAULT_CONFIG_FILE = 'agekey-sandbox.yaml'

export interface ConfigFile extends ConfigText {
  /** The absolute path; `undefined` without a file. */
  readonly configFile: string | undefined
  /** Whether there is no file, or the file has only comments. */
  readonly isBlank: boolean
}

interface ConfigFileOptions {
  /** The requested file, with the flag or variable that named it. */
  readonly named?: { readonly path: string; readonly by: string } | undefined
  /** The variables for `${NAME}` in the file. */
  readonly environment: Environment
}

/** Matches an empty line, a comment, and a line that begins or ends a YAML document. */
const BLANK = /^\s*(?:---|\.\.\.)?\s*(?:#|$)/

/** The absolute path of the config file, which may not exist. */
export const configPathOf = (cwd: string, named: string = DEFAULT_CONFIG_FILE): string =>
  resolve(cwd, named)

/**
 * Reads the config file. Paths in the file are relative to its folder and become absolute. The
 * default file may be missing; a named file may not.
 * @throws ConfigError when the file cannot be read, or with file and line of each mistake
 */
export async function readConfigFile(
  cwd: string,
  { named, environment }: ConfigFileOptions,
): Promise<ConfigFile> {
  const path = configPathOf(cwd, named?.path)
  if (named === undefined && !existsSync(path)) {
    const misnamed = findMisnamedFile(cwd, DEFAULT_CONFIG_FILE)
    return { ...NO_FILE, warnings: misnamed === undefined ? [] : [misnamed] }
  }
  const file = shortPath(cwd, path)
  const text = readText(path, named === undefined ? file : `${named.by}: ${file}`)
  // A file with only comments means the defaults.
  if (text.split('\n').every((line) => BLANK.test(line))) return { ...NO_FILE, configFile: path }
  const { values, ...others } = await readConfigText(text, { file, environment })
  return {
    ...others,
    configFile: path,
    isBlank: false,
    values: resolvePaths(values, dirname(path)),
  }
}

const NO_FILE: ConfigFile = {
  configFile: undefined,
  isBlank: true,
  values: {},
  warnings: [],
  explain: (problem) => problem,
}

/**
 * Creates the error for a value that proved wrong after the config file was parsed, with file and
 * line.
 */
export async function problemInFile(
  file: string,
  { cwd, problem }: { cwd: string; problem: SchemaProblem },
): Promise<unknown> {
  const located = await locateIn(file, { cwd, problem }).catch((error: unknown) => error)
  // The file of a running sandbox may have been removed or replaced. Then the error names only the
  // setting.
  return messageOf(located).includes(problem.message)
    ? located
    : ConfigError.of(`${formatPath(problem.path)}: ${problem.message}`)
}

const locateIn = async (file: string, { cwd, problem }: { cwd: string; problem: SchemaProblem }) =>
  locateProblems(readText(file, file), {
    file: shortPath(cwd, file),
    report: { problems: [problem], rest: [] },
  })

/** Makes the paths among the settings absolute. */
export function resolvePaths(values: SettingValues, folder: string): SettingValues {
  const { clients } = values
  const given = new Map(Object.entries(values))
  const absolute = SETTING_ROWS.filter(([name, { isPath }]) => isPath && given.has(name)).map(
    ([name, { word }]) => {
      const resolveOne = (path: unknown) => (path === word ? path : resolve(folder, String(path)))
      const value = given.get(name)
      return [name, Array.isArray(value) ? value.map(resolveOne) : resolveOne(value)]
    },
  )
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
