import nodeModule from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { createClock } from '../../../sandbox/clock/clock.ts'
import { codeOf } from '../../../sandbox/files/caught.ts'
import { ConfigError } from '../../../sandbox/files/config-error.ts'
import type { Settings } from '../../../server/config/load-settings.ts'
import { SETTINGS } from '../../../server/config/settings.ts'
import { FLAGS, type Texts } from '../../../server/config/text-settings.ts'
import {
  type ChangeableSandbox,
  createChangeableSandbox,
  type Sandbox,
} from '../../../server/create-sandbox.ts'
import { snakeCase } from '../../../service/text/camel-case.ts'
import { createReport, type Report } from './report.ts'
import { exitWithin, untilSignal } from './until-signal.ts'
import { type Running, readWatchedSettings } from './watch-settings.ts'

/** Milliseconds to close: a supervisor may expect the process to end a second after SIGTERM. */
const CLOSING_MS = 800

/**
 * Runs a sandbox until SIGTERM or SIGINT.
 * @throws ConfigError with a line for each reason when the sandbox cannot start
 */
export async function start(flags: Texts): Promise<void> {
  const { settings, watch } = await readWatchedSettings(flags)
  const { log, configFile, warnings } = settings
  const clients = settings.sandbox.clients?.map(({ clientId }) => clientId)
  // The log shows real time, even if a test has moved the clock of the sandbox.
  const report = createReport(log, createClock().now)
  for (const warning of warnings) report.warning(warning)

  const { sandbox, change } = await createChangeable(settings, report)
  const stopped = untilSignal()
  if (sandbox.certificate && sandbox.certificate.file === undefined)
    report.warning(
      'the certificate lives in memory, so that no client can be made to trust it; name a --state-dir',
    )
  report.ready({
    ...sandbox,
    configFile,
    clients,
    followsCallers: settings.sandbox.baseUrl === undefined,
  })

  keepHeapSmall()
  const unwatch = watch({ change, report })
  await stopped
  unwatch()
  exitWithin(CLOSING_MS)
  await sandbox.close()
}

/**
 * Starts a sandbox with settings.
 * @throws ConfigError that names the flag, the variable, or the file and line of a wrong setting
 */
export async function createFromSettings(
  settings: Settings,
  report: SandboxReport,
): Promise<Sandbox> {
  const { sandbox } = await createChangeable(settings, report)
  return sandbox
}

/** What a sandbox reports; without `call` its calls are not summarised. */
type SandboxReport = Pick<Report, 'warning' | 'defect'> & Partial<Pick<Report, 'call'>>

/**
 * Starts a sandbox whose settings can be replaced while it runs.
 * @throws ConfigError like `createFromSettings`; `change` rejects with the same errors
 */
async function createChangeable(
  settings: Settings,
  report: SandboxReport,
): Promise<Pick<ChangeableSandbox, 'sandbox'> & Pick<Running, 'change'>> {
  const starting = createChangeableSandbox({
    ...settings.sandbox,
    ...(report.call && { onCall: report.call }),
    onWarning: (message) => report.warning(inCommandWords(message)),
    onError: report.defect,
    // Imported when the console needs it, to keep the start fast.
    lastAudit: async () => (await import('../../../audit/command/last-run.ts')).readLastAudit(),
  })
  const { sandbox, change } = await withCommandErrors(starting, settings)
  return { sandbox, change: (given) => withCommandErrors(change(given.sandbox), given) }
}

/**
 * Waits for `result` and translates its errors for the command line.
 * @throws ConfigError that names the flag, the variable, or the file and line of a wrong setting
 */
async function withCommandErrors<Result>(
  result: Promise<Result>,
  { sandbox, blame }: Settings,
): Promise<Result> {
  try {
    return await result
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    if (codeOf(error.cause) === 'EADDRINUSE') {
      const { findRunning } = await import('../remote/reach-sandbox.ts')
      const running = await findRunning(sandbox)
      const remedy = running
        ? `. A sandbox answers there: run and other commands take it by --url ${running}`
        : ''
      throw ConfigError.of(inCommandWords(error.message) + remedy, { cause: error })
    }
    if (error.setting) throw await blame(error.setting.path, error.setting.reason)
    throw error.problems.length === 0
      ? ConfigError.of(inCommandWords(error.message), { cause: error })
      : error
  }
}

/** How a message names a setting: `--state-dir`, or `the setting keys` if it has no flag. */
function flagOf(key: string): string {
  const flag = FLAGS.find((one) => one.key === key && one.shown !== 'none')
  return flag === undefined ? `the setting ${key}` : `--${flag.name}`
}

/**
 * Translates a message of the library for the command line: "the option stateDir" becomes the flag,
 * and an option at the beginning becomes the key of the config file.
 */
function inCommandWords(message: string): string {
  return message
    .replaceAll(/\bthe option (\w+)/g, (_, option: string) => flagOf(snakeCase(option)))
    .replace(/^(\w+)(?=: )/, (name) => (name in SETTINGS ? snakeCase(name) : name))
}

/**
 * Keeps the heap of V8 small: the young generation keeps its initial size, and the old generation
 * may at most double between collections. By default V8 lets both grow several times larger, for
 * speed that a sandbox does not need.
 */
function keepHeapSmall(): void {
  // Written before the flags change: the next start finds only code cached under its own flags.
  if ('flushCompileCache' in nodeModule && typeof nodeModule.flushCompileCache === 'function') {
    nodeModule.flushCompileCache()
  }
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=100')
}
