import type { Settings } from '../../config/load-settings.ts'
import { SETTINGS } from '../../config/settings.ts'
import { FLAGS } from '../../config/text-settings.ts'
import { snakeCase } from '../../files/camel-case.ts'
import { codeOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { createSandbox, type Sandbox } from '../../server/create-sandbox.ts'
import { findRunning } from '../remote/reach-sandbox.ts'
import type { Report } from './report.ts'

/** Starts a sandbox with settings. @throws an error that names the flag, the variable, or file and line */
export async function createFromSettings(
  { sandbox: options, blame }: Settings,
  report: Pick<Report, 'warning' | 'defect'> & Partial<Pick<Report, 'call'>>,
): Promise<Sandbox> {
  try {
    return await createSandbox({
      ...options,
      ...(report.call && { onCall: report.call }),
      onWarning: (message) => report.warning(inCommandWords(message)),
      onError: report.defect,
      // Loaded for the console; a start does not need it.
      lastAudit: async () => (await import('../../audit/command/last-run.ts')).readLastAudit(),
    })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    if (codeOf(error.cause) === 'EADDRINUSE') {
      const running = await findRunning(options)
      const remedy = running ? `. A sandbox answers there: run and other commands take it by --url ${running}` : ''
      throw ConfigError.of(inCommandWords(error.message) + remedy, { cause: error })
    }
    if (!error.setting)
      throw error.problems.length === 0 ? ConfigError.of(inCommandWords(error.message), { cause: error }) : error
    throw await blame(error.setting.path, error.setting.reason)
  }
}

/** `--state-dir`; `the setting keys` for a setting without a flag. */
function flagOf(key: string): string {
  const flag = FLAGS.find((one) => one.key === key && one.shown !== 'none')
  return flag === undefined ? `the setting ${key}` : `--${flag.name}`
}

/**
 * Translates a message of the library for the command line. A message says "the option stateDir" or begins with an option; the option
 * becomes the flag, and the key of the config file.
 */
function inCommandWords(message: string): string {
  return message
    .replaceAll(/\bthe option (\w+)/g, (_, option: string) => flagOf(snakeCase(option)))
    .replace(/^(\w+)(?=: )/, (name) => (name in SETTINGS ? snakeCase(name) : name))
}
