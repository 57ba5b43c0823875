import { delimiter } from 'node:path'
import { didYouMean } from '../age/nearest.ts'
import { checkAgainst, formatPath } from '../files/schema-problems.ts'
import { ConfigError } from './config-error.ts'
import { type ConfigValues, configSchema } from './config-schema.ts'

/** The flags that take a setting as text, without the dashes; `--config` names a file of settings instead. */
export const FLAGS = [
  'port',
  'host',
  'base-url',
  'base-path',
  'internal-url',
  'trust-host',
  'trust-proxy',
  'https',
  'https-cert',
  'https-key',
  'config',
  'personas',
  'persona',
  'outcome',
  'profile',
  'seed',
  'log',
  'state-dir',
  'keys',
  'store',
  'control-token',
] as const
export type Flag = (typeof FLAGS)[number]

/** What somebody wrote for some of the flags, on the command line or in the environment. */
export type Texts = { readonly [flag in Flag]?: string | readonly string[] }

const PREFIX = 'AGEKEY_SANDBOX_'

/** The environment variable that stands for a flag: `AGEKEY_SANDBOX_BASE_URL`. */
export const variableOf = (flag: Flag) => PREFIX + flag.replaceAll('-', '_').toUpperCase()

/**
 * What Kubernetes sets for a service that is called agekey-sandbox (and Docker for a linked container): addresses, not
 * settings. One of them has the name of a setting and is told from it by its value.
 */
const SERVICE_LINK =
  /^AGEKEY_SANDBOX_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP)|NAME$|ENV_)|^AGEKEY_SANDBOX_PORT=(tcp|udp):/

/**
 * The settings in the environment. An empty variable counts as unset.
 * @throws ConfigError for a variable with our prefix that is no setting
 */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): Texts {
  const ours = Object.entries(environment).filter(
    ([name, text]) => name.startsWith(PREFIX) && text && !SERVICE_LINK.test(`${name}=${text}`),
  )
  return Object.fromEntries(
    ours.map(([name, text = '']) => {
      const flag = FLAGS.find((candidate) => variableOf(candidate) === name)
      if (flag === undefined) {
        const known = FLAGS.map(variableOf)
        const hint = didYouMean(name, known) || ` Known are ${known.join(', ')}`
        throw new ConfigError(`${name}: unknown environment variable.${hint}`)
      }
      return [flag, flag === 'personas' ? text.split(delimiter).filter((path) => path !== '') : text]
    }),
  )
}

/**
 * Checks texts by the schema of the config file. `label` names the source of a flag's value in messages: `--port`.
 * @throws ConfigError for the first bad value
 */
export function parseTexts(texts: Texts, label: (flag: Flag) => string): ConfigValues {
  const settings = FLAGS.filter((flag) => flag !== 'config' && texts[flag] !== undefined)
  const values = settings.map((flag) => [settingOf(flag), typedValue(flag, texts[flag])])
  const checked = checkAgainst(configSchema, Object.fromEntries(values))
  if (checked.kind === 'valid') return checked.value

  const [problem] = checked.problems
  const [setting, ...rest] = problem?.path ?? []
  const flag = FLAGS.find((candidate) => settingOf(candidate) === setting)
  throw new ConfigError(`${flag ? label(flag) : String(setting)}${formatPath(rest)}: ${problem?.message}`)
}

/** The name of a flag's setting in the config file: `base_url`. */
function settingOf(flag: Flag): string {
  return flag.replaceAll('-', '_')
}

function typedValue(flag: Flag, text: string | readonly string[] | undefined): unknown {
  if (flag === 'trust-proxy') return [text ?? []].flat().flatMap((list) => list.split(',').map((one) => one.trim()))
  if (typeof text !== 'string') return text
  if ((flag === 'port' || flag === 'seed') && /^-?\d+$/.test(text)) return Number(text)
  if ((flag === 'https' || flag === 'trust-host') && /^(?:true|false)$/.test(text)) return text === 'true'
  return text
}
