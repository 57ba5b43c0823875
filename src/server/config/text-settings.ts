import { ConfigError } from '../../sandbox/files/config-error.ts'
import { snakeCase } from '../../service/text/camel-case.ts'
import { didYouMean } from '../../service/text/message-parts.ts'
import { checkAgainst, formatPath } from '../../service/text/schema-problems.ts'
import { findPlaceholders } from './placeholders.ts'
import type { SettingFlag } from './setting.ts'
import { configSchema, SETTING_ROWS, type SettingValues } from './settings.ts'

/** A flag, without its dashes, and its environment variable. */
export interface Flag extends SettingFlag {
  readonly name: string
  /** The environment variable with the same meaning. */
  readonly variable: string
  /** The name of its setting in the config file; absent for `--config`. */
  readonly key?: string
  readonly help: string
}

const PREFIX = 'AGEKEY_SANDBOX_'

/**
 * Variables that tell an app under test the URL of the sandbox and the credentials of a client.
 * `run -- COMMAND` sets them.
 */
export const URL_VARIABLE = `${PREFIX}URL`
export const CLIENT_ID_VARIABLE = `${PREFIX}CLIENT_ID`
export const CLIENT_SECRET_VARIABLE = `${PREFIX}CLIENT_SECRET`

/** Variables with this prefix that are not settings. */
const OF_APPS: readonly string[] = [URL_VARIABLE, CLIENT_ID_VARIABLE, CLIENT_SECRET_VARIABLE]

export const CONFIG_FLAG: Flag = {
  name: 'config',
  variable: `${PREFIX}CONFIG`,
  short: '-c',
  argument: '<file>',
  shown: 'daily',
  help: 'config file (default: agekey-sandbox.yaml in this folder, when present)',
}

/** All flags that stand for a setting, after `--config`. */
export const FLAGS: readonly Flag[] = [
  CONFIG_FLAG,
  ...SETTING_ROWS.flatMap(([setting, { flag, help }]) => {
    const key = snakeCase(setting)
    if (flag === undefined) return []
    const { name = key.replaceAll('_', '-') } = flag
    const { variable = name.replaceAll('-', '_').toUpperCase() } = flag
    return [{ ...flag, key, name, variable: PREFIX + variable, help }]
  }),
]

/** Texts by flag, from the command line or the environment. */
export type Texts = Readonly<Record<string, string | readonly string[]>>

/**
 * Variables that Kubernetes sets for a service whose name begins with agekey-sandbox, and that
 * Docker sets for a linked container. Some have the name of a setting; then the form of the value
 * tells them apart.
 */
const SERVICE_LINK =
  /^AGEKEY_SANDBOX_(?:\w+_)?(?:SERVICE_(?:HOST|PORT(?:_\w+)?)=|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?=|PORT=(?:tcp|udp|sctp):\/\/|NAME=\/|ENV_\w+=)/s

/**
 * Reads the settings in the environment. An empty variable counts as unset.
 * @throws ConfigError for an unknown variable with this prefix
 */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): Texts {
  const ours = Object.entries(environment).filter(
    ([name, text]) =>
      name.startsWith(PREFIX) &&
      text &&
      !OF_APPS.includes(name) &&
      !SERVICE_LINK.test(`${name}=${text}`),
  )
  return Object.fromEntries(
    ours.map(([variable, text = '']) => {
      const flag = FLAGS.find((candidate) => candidate.variable === variable)
      if (flag === undefined) {
        const known = FLAGS.map((candidate) => candidate.variable)
        const word = variable.slice(PREFIX.length)
        const key = word.toLowerCase()
        if (
          SETTING_ROWS.some(
            ([setting, { flag }]) => flag === undefined && snakeCase(setting) === key,
          )
        )
          throw ConfigError.of(
            `${variable}: only the config file gives ${key}: write ${key}: in agekey-sandbox.yaml`,
          )
        // Compared without the prefix, which all names share.
        const near = didYouMean(
          word,
          known.map((name) => name.slice(PREFIX.length)),
        )
        const hint =
          near.replaceAll(/"(\w+)"/g, `"${PREFIX}$1"`) || ` Known are ${known.join(', ')}`
        throw ConfigError.of(`${variable}: unknown environment variable.${hint}`)
      }
      const { name, separator } = flag
      return [
        name,
        separator === undefined ? text : text.split(separator).filter((part) => part !== ''),
      ]
    }),
  )
}

interface TextSource {
  /** The name of a value's source in messages: `--port`. */
  label(flag: Flag): string
  /** A further remark about a wrong value. */
  remarkOf?(flag: Flag): string | undefined
}

/**
 * Converts and checks the texts of flags or variables by the schema of the config file.
 * @throws ConfigError for the first bad value
 */
export function parseTexts(
  texts: Texts,
  { label, remarkOf = () => undefined }: TextSource,
): SettingValues {
  const failure = (flag: Flag, message: string) => {
    const remark = remarkOf(flag)
    return ConfigError.of(`${label(flag)}${message}${remark === undefined ? '' : `; ${remark}`}`)
  }
  const values = FLAGS.flatMap((flag) => {
    const { name, key, parse = (text) => text } = flag
    const text = texts[name]
    if (key === undefined || text === undefined) return []
    try {
      return [[key, parse(text)] as const]
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      throw failure(flag, `: ${error.message}`)
    }
  })
  const settings = Object.fromEntries(values)
  const checked = checkAgainst(configSchema, settings)
  const placeholders = findPlaceholders(settings, {
    remedy: `; only the config file expands \${NAME}`,
  })
  if (checked.kind === 'valid' && placeholders.length === 0) return checked.value

  const [problem] = [...placeholders, ...(checked.kind === 'valid' ? [] : checked.problems)]
  const [key, ...rest] = problem?.path ?? []
  const flag = FLAGS.find((candidate) => candidate.key === key)
  const message = `${formatPath(rest)}: ${problem?.message}`
  throw flag ? failure(flag, message) : ConfigError.of(`${String(key)}${message}`)
}
