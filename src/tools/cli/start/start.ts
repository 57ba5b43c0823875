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

/** A supervisor may expect the process to end within a second of SIGTERM. */
const CLOSING_MS = 800

/**
 * Runs a sandbox until a signal ends it.
 * @throws when it cannot start: a message of one line for each reason
 */
export async function start(flags: Texts): Promise<void> {
  const { settings, watch } = await readWatchedSettings(flags)
  const { log, configFile, warnings } = settings
  const clients = settings.sandbox.clients?.map(({ clientId }) => clientId)
  // Log lines show real time, even if a test has moved the clock of the sandbox.
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
 * @throws an error that names the flag, the variable, or file and line
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
 * @throws what `createFromSettings` throws; so does `change`
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
    // Loaded for the console; a start does not need it.
    lastAudit: async () => (await import('../../../audit/command/last-run.ts')).readLastAudit(),
  })
  const { sandbox, change } = await withCommandErrors(starting, settings)
  return { sandbox, change: (given) => withCommandErrors(change(given.sandbox), given) }
}

/**
 * Waits for the `result`.
 * @throws an error that names the flag, the variable, or file and line of a wrong setting
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

/** `--state-dir`; `the setting keys` for a setting without a flag. */
function flagOf(key: string): string {
  const flag = FLAGS.find((one) => one.key === key && one.shown !== 'none')
  return flag === undefined ? `the setting ${key}` : `--${flag.name}`
}

/**
 * Translates a message of the library for the command line. A message says "the option stateDir" or
 * begins with an option; the option becomes the flag, and the key of the config file.
 */
function inCommandWords(message: string): string {
  return message
    .replaceAll(/\bthe option (\w+)/g, (_, option: string) => flagOf(snakeCase(option)))
    .replace(/^(\w+)(?=: )/, (name) => (name in SETTINGS ? snakeCase(name) : name))
}

/**
 * Keeps the heap small: the young generation keeps its first size, and the old one may double
 * between collections. V8 would let both grow to several times as much, for speed that a sandbox
 * does not need.
 */
function keepHeapSmall(): void {
  // Code that is compiled later would be cached under other flags than those of the next start.
  if ('flushCompileCache' in nodeModule && typeof nodeModule.flushCompileCache === 'function') {
    nodeModule.flushCompileCache()
  }
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=100')
}
