import { unwatchFile, watchFile } from 'node:fs'
import nodeModule from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { loadSettings } from '../../config/load-settings.ts'
import type { Texts } from '../../config/text-settings.ts'
import { messageOf } from '../../files/caught.ts'
import { redirectUriWarnings } from '../../sandbox/addresses/addresses.ts'
import { createClock } from '../../sandbox/clock/clock.ts'
import type { Sandbox } from '../../server/create-sandbox.ts'
import { createFromSettings } from './create-from-settings.ts'
import { createReport, type Report } from './report.ts'
import { exitWithin, untilSignal } from './until-signal.ts'

/** A supervisor may expect the process to end within a second of SIGTERM. */
const CLOSING_MS = 800

/** Runs a sandbox until a signal ends it. @throws when it cannot start: a message of one line for each reason */
export async function start(flags: Texts): Promise<void> {
  const settings = await loadSettings({ flags })
  const { log, configFile, warnings } = settings
  const clients = settings.sandbox.clients?.map(({ clientId }) => clientId)
  // Log lines show real time, even if a test has moved the clock of the sandbox.
  const report = createReport(log, createClock().now)
  for (const warning of warnings) report.warning(warning)

  const sandbox = await createFromSettings(settings, report)
  const stopped = untilSignal()
  if (sandbox.certificate && sandbox.certificate.file === undefined)
    report.warning('the certificate lives in memory, so that no client can be made to trust it; name a --state-dir')
  report.ready({ ...sandbox, configFile, clients })

  keepHeapSmall()
  const unwatch = configFile === undefined ? () => {} : watchClients(configFile, { flags, sandbox, report })
  await stopped
  unwatch()
  exitWithin(CLOSING_MS)
  await sandbox.close()
}

/**
 * Keeps the heap small: the young generation keeps its first size, and the old one may double between collections. V8 would let both grow
 * to several times as much, for speed that a sandbox does not need.
 */
function keepHeapSmall(): void {
  // Code that is compiled later would be cached under other flags than those of the next start.
  if ('flushCompileCache' in nodeModule && typeof nodeModule.flushCompileCache === 'function') {
    nodeModule.flushCompileCache()
  }
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=100')
}

/** Often enough that the next page shows a new name. */
const LOOK_EVERY_MS = 300

/**
 * Applies changed clients of the config file (names, logos, redirect URIs) without a restart. A file that is wrong for a moment is
 * reported and changes nothing; other settings take effect at the next start.
 * @returns a function that stops this
 */
export function watchClients(
  file: string,
  { flags, sandbox, report }: { flags: Texts; sandbox: Sandbox; report: Pick<Report, 'warning'> },
): () => void {
  const takeUp = async () => {
    try {
      const { clients = [] } = (await loadSettings({ flags })).sandbox
      await sandbox.configure({ clients })
      for (const warning of redirectUriWarnings(clients)) report.warning(warning)
    } catch (error) {
      report.warning(`${messageOf(error)} (the clients stay as they were)`)
    }
  }
  watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, takeUp)
  return () => unwatchFile(file, takeUp)
}
