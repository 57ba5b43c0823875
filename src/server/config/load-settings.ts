import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { BUILTIN_CLIENT } from '../../sandbox/clients/clients.ts'
import { ConfigError, type SettingPath } from '../../sandbox/files/config-error.ts'
import { snakeCase } from '../../service/text/camel-case.ts'
import { formatPath } from '../../service/text/schema-problems.ts'
import { configPathOf, problemInFile, readConfigFile, resolvePaths } from './config-file.ts'
import type { Environment } from './file/variables.ts'
import { quotationRemark } from './in-quotes.ts'
import { type LogMode, NO_STATE, type SettingOptions, type SettingValues } from './settings.ts'
import {
  CONFIG_FLAG,
  FLAGS,
  type Flag,
  parseTexts,
  readEnvironment,
  type Texts,
} from './text-settings.ts'

const DEFAULT_PORT = 2435
const DEFAULT_HOST = '127.0.0.1'

/** The settings from all sources. */
export interface Settings {
  readonly log: LogMode
  /**
   * Options of `createSandbox`; absent options have its defaults. Paths are absolute, lifetimes are
   * in seconds.
   */
  readonly sandbox: SettingOptions & { readonly port: number; readonly host: string }
  /** The absolute path of the config file that was read; absent when there is none. */
  readonly configFile: string | undefined
  /** Whether there is no config file, or the file has only comments. */
  readonly isBlank: boolean
  /**
   * Creates the error for a value that only the sandbox can find wrong. The message names the flag,
   * the variable, or file and line.
   */
  blame(path: SettingPath, reason: string): Promise<unknown>
  /** Advice on allowed values, a sentence each. */
  readonly warnings: readonly string[]
}

/**
 * The sources of settings: flags, the environment, and the config file in the folder `cwd` or the
 * one that a flag or variable names.
 */
interface Sources {
  readonly flags?: Texts
  readonly env?: Environment
  readonly cwd?: string
}

/**
 * Reads all settings. Flags take precedence over environment variables (`AGEKEY_SANDBOX_PORT`),
 * these over the config file, and this over the defaults. Lists are replaced, not merged. Paths in
 * flags and variables are relative to `cwd`, paths in the config file to its folder.
 * @throws ConfigError for all mistakes in the config file, with file and line, or for the first bad
 * flag or variable
 */
export async function loadSettings({
  flags = {},
  env = process.env,
  cwd = process.cwd(),
}: Sources = {}): Promise<Settings> {
  const variables = readEnvironment(env)
  const fromFlags = parseTexts(flags, { label: ({ name }) => `--${name}` })
  const remarkOf = ({ variable }: Flag) => quotationRemark(variable, env[variable] ?? '')
  const fromVariables = parseTexts(variables, { label: ({ variable }) => variable, remarkOf })
  const { configFile, isBlank, ...file } = await readConfigFile(cwd, {
    named: namedConfigFile(flags, variables),
    environment: env,
  })
  const values: SettingValues = {
    ...file.values,
    ...resolvePaths(fromVariables, cwd),
    ...resolvePaths(fromFlags, cwd),
  }
  const { log = 'pretty', stateDir: namedFolder, ...options } = values
  const { stateDir, warnings } = settleStateFolder(namedFolder, env)
  const remarks = FLAGS.flatMap((flag) => remarkOf(flag) ?? [])
  const sandbox = {
    port: DEFAULT_PORT,
    host: DEFAULT_HOST,
    ...options,
    ...(stateDir === undefined ? {} : { stateDir }),
  }
  const blame: Settings['blame'] = async (path, reason) => {
    const [setting] = path
    const isIn = (given: SettingValues) =>
      Object.keys(given).some((name) => snakeCase(name) === setting)
    const { name, variable } = FLAGS.find(({ key }) => key === setting) ?? CONFIG_FLAG
    // The reason already names an item of a plain list.
    const place = path.length > 2 ? formatPath(path.slice(1)) : ''
    if (isIn(fromFlags)) return ConfigError.of(`--${name}${place}: ${reason}`)
    if (isIn(fromVariables)) return ConfigError.of(`${variable}${place}: ${reason}`)
    if (configFile === undefined) return ConfigError.of(reason)
    return problemInFile(configFile, { cwd, problem: file.explain({ path, message: reason }) })
  }
  const taken = findTakenByBuiltin(values)
  if (taken) throw await blame(taken.path, taken.reason)
  return {
    log,
    sandbox,
    configFile,
    isBlank,
    blame,
    warnings: [...remarks, ...file.warnings, ...warnings],
  }
}

/**
 * Finds a declared client with the id of the built-in client. Checked after all sources are merged:
 * one source may declare the client, another may remove the built-in one.
 */
function findTakenByBuiltin({ clients = [], builtinClient }: SettingValues) {
  const index = clients.findIndex(({ clientId }) => clientId === BUILTIN_CLIENT.clientId)
  if (index < 0 || builtinClient === false) return undefined
  const path: SettingPath = ['clients', index, 'client_id']
  return {
    path,
    reason: `"${BUILTIN_CLIENT.clientId}" is the built-in client; choose another id or set builtin_client: false`,
  }
}

/** The absolute path of the config file that `loadSettings` reads. The file may not exist. */
export const configPath = ({
  flags = {},
  env = process.env,
  cwd = process.cwd(),
}: Sources): string => configPathOf(cwd, namedConfigFile(flags, readEnvironment(env))?.path)

/**
 * The environment of this process, for commands that start programs or look for files of a CI
 * system.
 */
export const ownEnvironment = (): Environment => process.env

/** The named config file, and the flag or variable that names it. */
function namedConfigFile(flags: Texts, variables: Texts) {
  const [path, by] =
    flags.config === undefined
      ? [variables.config, CONFIG_FLAG.variable]
      : [flags.config, '--config']
  return path === undefined ? undefined : { path: String(path), by }
}

/**
 * The state folder: the `named` one, otherwise the default of the platform. The default may be
 * unusable (no home folder, or not writable); state then stays in memory. A named folder is not
 * checked here.
 */
function settleStateFolder(named: string | undefined, env: Environment) {
  if (named !== undefined) return { stateDir: named === NO_STATE ? undefined : named, warnings: [] }
  const home = stateHome(env, process.platform)
  const stateDir = home && join(home, 'agekey-sandbox')
  if (stateDir === undefined) return { stateDir, warnings: [] }
  if (isWritable(stateDir)) return { stateDir, warnings: [] }
  const warning = `${stateDir} cannot be written: the signing keys live in memory and change with each start; name another folder with --state-dir, or say none`
  return { stateDir: undefined, warnings: [warning] }
}

/**
 * The folder for the state of programs: `XDG_STATE_HOME` (XDG Base Directory Specification) or its
 * counterpart on other systems; `undefined` without a home folder.
 * @example
 * stateHome({ HOME: '/home/ada' }, 'linux') // '/home/ada/.local/state'
 */
export function stateHome(env: Environment, platform: NodeJS.Platform): string | undefined {
  const { XDG_STATE_HOME: named = '', HOME: home = '', LOCALAPPDATA: local = '' } = env
  if (isAbsolute(named)) return named
  if (platform === 'win32') return local || undefined
  if (!isAbsolute(home)) return undefined
  return platform === 'darwin'
    ? join(home, 'Library', 'Application Support')
    : join(home, '.local', 'state')
}

function isWritable(folder: string): boolean {
  if (!existsSync(folder)) return isWritable(dirname(folder))
  try {
    accessSync(folder, constants.W_OK)
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}
