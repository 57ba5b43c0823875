import { ConfigError, type SettingPath } from '../files/config-error.ts'
import { findConfigFile, problemInFile, readConfigFile, resolvePaths } from './config-file.ts'
import type { LogMode } from './settings/process-settings.ts'
import { keyOf, type SettingOptions, type SettingValues } from './settings.ts'
import { settleStateFolder } from './state-folder.ts'
import { CONFIG_FLAG, parseTexts, readEnvironment, type Texts } from './text-settings.ts'

const DEFAULT_PORT = 2435
const DEFAULT_HOST = '127.0.0.1'

/** The settings of a start, from all sources. */
export interface Settings {
  readonly log: LogMode
  /** Options of `createSandbox`; absent ones take its defaults. Paths are absolute, lifetimes in seconds. */
  readonly sandbox: SettingOptions & { readonly port: number; readonly host: string }
  /** The config file that was read, absolute; absent when there is none. */
  readonly configFile: string | undefined
  /** The error to report for a value that only the sandbox knows to be wrong: it names the flag, the variable, or file and line. */
  blame(path: SettingPath, reason: string): Promise<unknown>
  /** What is allowed but should be known, a sentence each. */
  readonly warnings: readonly string[]
}

/**
 * Settles everything: flags, then environment variables (`AGEKEY_SANDBOX_PORT`), then the config file, then defaults.
 * A source replaces the value of the next one as a whole; lists are not merged. Paths given by flags and variables are
 * relative to `cwd`, paths in the config file to its folder.
 * @throws ConfigError: a line for each problem, which names the flag, the variable, or the file and line
 */
export async function loadSettings({
  flags = {},
  env = process.env,
  cwd = process.cwd(),
}: {
  readonly flags?: Texts
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
} = {}): Promise<Settings> {
  const variables = readEnvironment(env)
  const fromFlags = parseTexts(flags, ({ name }) => `--${name}`)
  const fromVariables = parseTexts(variables, ({ variable }) => variable)
  const named = namedConfigFile(flags, variables)
  const values: SettingValues = {
    ...(await readConfigFile(cwd, named)),
    ...resolvePaths(fromVariables, cwd),
    ...resolvePaths(fromFlags, cwd),
  }
  const { log = 'pretty', stateDir: namedFolder, ...options } = values
  const { stateDir, warnings } = settleStateFolder(namedFolder, env)
  const sandbox = {
    port: DEFAULT_PORT,
    host: DEFAULT_HOST,
    ...options,
    ...(stateDir === undefined ? {} : { stateDir }),
  }
  const configFile = findConfigFile(cwd, named)
  const blame: Settings['blame'] = async (path, reason) => {
    const [setting] = path
    const isIn = (given: SettingValues) => Object.keys(given).some((name) => keyOf(name) === setting)
    if (isIn(fromFlags)) return ConfigError.of(`--${setting.replaceAll('_', '-')}: ${reason}`)
    if (isIn(fromVariables)) return ConfigError.of(`AGEKEY_SANDBOX_${setting.toUpperCase()}: ${reason}`)
    return configFile === undefined ? ConfigError.of(reason) : problemInFile(configFile, { cwd, path, reason })
  }
  return { log, sandbox, configFile, blame, warnings }
}

/** The environment of this process: for programs that a command starts, and for files that a CI system names in it. */
export const ownEnvironment = (): Readonly<Record<string, string | undefined>> => process.env

/** The config file that was asked for, and by what. */
function namedConfigFile(flags: Texts, variables: Texts) {
  const [path, by] = flags.config === undefined ? [variables.config, CONFIG_FLAG.variable] : [flags.config, '--config']
  return path === undefined ? undefined : { path: String(path), by }
}
