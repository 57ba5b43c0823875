import { unwatchFile, watchFile } from 'node:fs'
import { loadSettings } from '../../config/load-settings.ts'
import type { Texts } from '../../config/text-settings.ts'
import { messageOf } from '../../files/caught.ts'
import { redirectUriWarnings } from '../../sandbox/addresses/web-address.ts'
import type { Sandbox } from '../../server/create-sandbox.ts'
import type { Report } from './report.ts'

/** Often enough for a new name to be seen on the next page. */
const LOOK_EVERY_MS = 300

/**
 * Applies the clients of the config file (names, logos, redirect URIs) when the file changes, without a restart.
 * A file that is wrong for a moment is reported and changes nothing; other settings take effect at the next start.
 * @returns a function that stops it.
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
