import { loadSettings, ownEnvironment, type Settings } from '../../config/load-settings.ts'
import type { Texts } from '../../config/text-settings.ts'
import { BUILTIN_CLIENT } from '../../sandbox/clients/clients.ts'
import { createMask } from '../../sandbox/clients/mask.ts'
import { exitWithin, untilSignal } from '../start/until-signal.ts'
import { print, printError } from '../terminal.ts'
import { auditApp } from './audit-app.ts'
import { readAuditFile } from './file/read-audit-file.ts'
import { requireNoAuditFile } from './file/write-audit-file.ts'
import { readUnsettled } from './last-run.ts'
import { list } from './list-rows.ts'
import { openSandbox } from './open-sandbox.ts'
import { planAudit } from './plan-audit.ts'
import { type AuditFlags, readFlags } from './read-flags.ts'
import { sameCall } from './same-call.ts'

/** What shells expect of a program that SIGINT ended. */
const INTERRUPTED = 130
/** Longer than an app takes to stop. */
const CLOSING_MS = 8000

/**
 * Audits the app whose page is at `page`, or that `agekey-audit.yaml` names.
 * @returns the exit code
 * @throws Error with one line, when nothing can be shown
 */
export async function audit(page: string | undefined, flags: Texts, options: AuditFlags): Promise<number> {
  const request = readFlags(page, options)
  if (request.mode === 'learn') requireNoAuditFile()
  const file = readAuditFile()
  if (request.mode === 'list') return list(request, file)
  const plan = planAudit(request, file)
  const again = request.mode === 'again' ? readUnsettled(plan.app) : undefined
  const settings = await loadSettings({ flags })

  const stopping = new AbortController()
  const { signal } = stopping
  void untilSignal().then(() => {
    process.exitCode = INTERRUPTED
    stopping.abort()
    exitWithin(CLOSING_MS)
  })
  const say = Object.values(request.files).includes('-') ? printError : print
  try {
    const sandbox = await openSandbox(settings, request.sandboxUrl)
    try {
      const code = await auditApp(sandbox, {
        request,
        file,
        plan,
        again,
        command: sameCall(request, flags),
        mask: createMask(secretsOf(settings)),
        signal,
        say,
      })
      return signal.aborted ? INTERRUPTED : code
    } finally {
      await sandbox.close()
    }
  } catch (error) {
    if (!signal.aborted) throw error
    say('interrupted: nothing was judged yet')
    return INTERRUPTED
  }
}

/** What the log of an app must not show: the secrets of clients, and what the environment names as a secret. */
function secretsOf({ sandbox: { clients = [], controlToken } }: Settings): readonly string[] {
  const named = Object.entries(ownEnvironment()).flatMap(([name, value]) =>
    value !== undefined && /secret|token|password|api_?key/i.test(name) ? [value] : [],
  )
  const declared = clients.map(({ clientSecret }) => clientSecret)
  return [BUILTIN_CLIENT.clientSecret, ...declared, ...(controlToken === undefined ? [] : [controlToken]), ...named]
}
