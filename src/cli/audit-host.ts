import { setMaxListeners } from 'node:events'
import { type GivenFlags, readFlags, sameCall } from '../audit/command/read-flags.ts'
import { runCommand } from '../audit/command/run.ts'
import type { AuditHost } from '../audit/command/session.ts'
import { type AuditSettings, REPORT_FORMATS, shellWord } from '../audit/command/settings.ts'
import { loadSettings, ownEnvironment, type Settings } from '../config/load-settings.ts'
import { FLAGS, type Texts } from '../config/text-settings.ts'
import { visible } from '../files/visible.ts'
import { ENDPOINTS } from '../oidc/endpoints.ts'
import { BUILTIN_CLIENT } from '../sandbox/clients/clients.ts'
import { createMask } from '../sandbox/clients/mask.ts'
import { createClock } from '../sandbox/clock/clock.ts'
import { createFromSettings } from './create-from-settings.ts'
import { examine } from './doctor/examine.ts'
import { baseUrlOf } from './remote/address.ts'
import { readReportFiles, writeReportFiles } from './report-files.ts'
import { startGroup } from './start/process-group.ts'
import { createReport } from './start/report.ts'
import { exitWithin, untilSignal } from './start/until-signal.ts'
import { alignColumns, paint, paintError, print, printError, redrawError } from './terminal.ts'

/** Does what the command `audit` is called for. @returns the exit code. @throws Error with one line, when nothing can be shown */
export async function audit(page: string | undefined, texts: Texts, flags: GivenFlags): Promise<number> {
  const given = readFlags(page, flags)
  const host = createAuditHost(await loadSettings({ flags: texts }), given)
  return runCommand(given, sameCall(page, flags, wordsOf(texts)), host)
}

/** Longer than an app takes to stop. */
const CLOSING_MS = 8000
/** The first answer of a sandbox on a busy machine takes a while. */
const DIAGNOSIS_MS = 10_000

/** @param settings of the sandbox. @param given flags of the audit */
export function createAuditHost(settings: Settings, given: AuditSettings): AuditHost {
  const isBeside = Object.values(readReportFiles(given, REPORT_FORMATS)).includes('-')
  const warn = (message: string) => printError(`${paintError('yellow', 'warning:')} ${visible(message)}`)
  const { port, controlToken } = settings.sandbox
  return {
    environment: ownEnvironment(),
    redraw: process.stderr.isTTY ? redrawError : undefined,
    note: printError,
    say: isBeside ? printError : print,
    warn,
    alignColumns,
    mask: createMask(secretsOf(settings)),
    startGroup,
    // Port 0 is a free one: no sandbox can run there yet.
    baseUrl: port === 0 ? undefined : baseUrlOf(settings.sandbox),
    controlToken,
    startSandbox() {
      const { warning, defect } = createReport(settings.log, createClock().now)
      for (const message of settings.warnings) warning(message)
      return createFromSettings(settings, { warning, defect })
    },
    async diagnose(baseUrl, ca) {
      const { now } = createClock()
      const issuer = baseUrl + ENDPOINTS.use.path
      const diagnoses = await examine({ issuer, ca, timeoutMs: DIAGNOSIS_MS, now })
      return diagnoses.flatMap((one) =>
        one.status === 'problem' ? [`${one.problem}: ${[one.message, ...one.fix].join('; ')}`] : [],
      )
    },
    interruption() {
      const stopping = new AbortController()
      // Each copy of an app that is started, and each visit at the same time, listens to it.
      setMaxListeners(0, stopping.signal)
      void untilSignal().then(() => {
        process.exitCode = 130
        stopping.abort()
        exitWithin(CLOSING_MS)
      })
      return stopping.signal
    },
    colour: isBeside ? paintError : paint,
    writeFiles: writeReportFiles,
  }
}

/** Flags of the sandbox as they are typed; a secret is not repeated. */
const wordsOf = (texts: Texts): string[] =>
  FLAGS.flatMap(({ name, argument }) => {
    const text = texts[name]
    if (text === undefined) return []
    const values = name.endsWith('token') ? ['TOKEN'] : [text].flat().map(shellWord)
    return [`--${name}`, ...(argument === undefined ? [] : values)]
  })

/** What the log of an app must not show: the secrets of clients, and what the environment names as a secret. */
function secretsOf({ sandbox: { clients = [], controlToken } }: Settings): readonly string[] {
  const named = Object.entries(ownEnvironment()).filter(([name]) => /secret|token|password|api_?key/i.test(name))
  const declared = [BUILTIN_CLIENT, ...clients].map(({ clientSecret }) => clientSecret)
  return [...declared, controlToken, ...named.map(([, value]) => value)].filter((secret) => secret !== undefined)
}
