import { setMaxListeners } from 'node:events'
import type { AuditHost } from '../../../audit/command/audit-host.ts'
import type { OpenSandbox } from '../../../audit/command/audit-session.ts'
import { planAudit, settle } from '../../../audit/command/plan.ts'
import { auditApp } from '../../../audit/command/run.ts'
import { readAuditFile } from '../../../audit/command/settings/audit-file.ts'
import type { GivenFlags } from '../../../audit/command/settings/flags.ts'
import { readFlags } from '../../../audit/command/settings/read-flags.ts'
import { sameCall } from '../../../audit/command/settings/same-call.ts'
import type { AuditSettings } from '../../../audit/command/settings/settings.ts'
import { requireNoAuditFile } from '../../../audit/command/settings/write-audit-file.ts'
import { REPORT_FORMATS } from '../../../audit/report/write-reports.ts'
import { selectRows } from '../../../audit/trials/rows/select-rows.ts'
import { BUILTIN_CLIENT } from '../../../sandbox/clients/clients.ts'
import { createMask } from '../../../sandbox/clients/mask.ts'
import { createClock } from '../../../sandbox/clock/clock.ts'
import { messageOf } from '../../../sandbox/files/caught.ts'
import { ConfigError } from '../../../sandbox/files/config-error.ts'
import {
  CATALOGUE_VERSION,
  CATALOGUE_VERSIONS,
  rowId,
} from '../../../sandbox/outcomes/catalogue.ts'
import { connectSandbox, findBaseUrl } from '../../../server/client/connect-sandbox.ts'
import { createExchangeWithin, NOBODY } from '../../../server/client/exchange.ts'
import { SandboxError } from '../../../server/client/sandbox-error.ts'
import {
  loadSettings,
  ownEnvironment,
  type Settings,
} from '../../../server/config/load-settings.ts'
import type { Texts } from '../../../server/config/text-settings.ts'
import { ENDPOINTS } from '../../../service/oidc/endpoints.ts'
import { visible } from '../../../service/text/visible.ts'
import { examine } from '../doctor/examine.ts'
import { baseUrlOf, flagsAsTyped } from '../remote/reach-sandbox.ts'
import { readReportFiles, writeReportFiles } from '../report-files.ts'
import { startGroup } from '../start/process-group.ts'
import { createReport } from '../start/report.ts'
import { createFromSettings } from '../start/start.ts'
import { exitWithin, untilSignal } from '../start/until-signal.ts'
import { alignColumns, paint, paintError, print, printError, redrawError } from '../terminal.ts'

/** The exit code that shells expect after SIGINT. */
const INTERRUPTED = 130

/**
 * Runs the command `audit`.
 * @returns the exit code
 * @throws Error with one line when the app or the sandbox cannot be used
 */
export async function audit(
  page: string | undefined,
  texts: Texts,
  flags: GivenFlags,
): Promise<number> {
  const given = readFlags(page, flags)
  const settings = await loadSettings({ flags: texts })
  const host = createAuditHost(settings, given)
  if (given.learn) requireNoAuditFile()
  const file = readAuditFile()
  if (given.list) {
    listRows(settle(given, file?.values))
    return 0
  }
  const plan = planAudit(given, { file, environment: host.environment })
  const command = sameCall(page, flags, flagsAsTyped(texts))
  const signal = untilInterrupted()
  try {
    const sandbox = await openSandbox(settings, given.url)
    host.say(
      `sandbox: ${visible(sandbox.baseUrl)} (${sandbox.isOwn ? 'started for this audit' : 'it runs already'})`,
    )
    const begun = preflight(sandbox).then(() => auditApp({ host, sandbox, plan, command, signal }))
    const code = await begun.finally(sandbox.close)
    return signal.aborted ? INTERRUPTED : code
  } catch (error) {
    if (!signal.aborted) throw error
    host.say('interrupted: nothing was judged yet')
    return INTERRUPTED
  }
}

/**
 * Creates what an audit needs of the command line.
 * @param settings the settings of the sandbox
 * @param given the flags of the audit
 */
export function createAuditHost(settings: Settings, given: AuditSettings): AuditHost {
  const isReportPrinted = Object.values(readReportFiles(given, REPORT_FORMATS)).includes('-')
  return {
    environment: ownEnvironment(),
    redraw: process.stderr.isTTY ? redrawError : undefined,
    note: printError,
    say: isReportPrinted ? printError : print,
    warn: (message) => printError(`${paintError('yellow', 'warning:')} ${visible(message)}`),
    mask: createMask(secretsOf(settings)),
    startGroup,
    colour: isReportPrinted ? paintError : paint,
    writeFiles: writeReportFiles,
  }
}

/**
 * Secrets that the log of an app may contain: client secrets, and environment variables with names
 * like `API_TOKEN`.
 */
function secretsOf({ sandbox: { clients = [], controlToken } }: Settings): readonly string[] {
  const named = Object.entries(ownEnvironment()).filter(([name]) =>
    /secret|token|password|api_?key/i.test(name),
  )
  const declared = [BUILTIN_CLIENT, ...clients].map(({ clientSecret }) => clientSecret)
  return [...declared, controlToken, ...named.map(([, value]) => value)].filter(
    (secret) => secret !== undefined,
  )
}

/**
 * Prints the selected rows, most severe first, or as JSON.
 * @throws ConfigError when no row is selected
 */
function listRows({ only, skip, catalogue = CATALOGUE_VERSION, json }: AuditSettings): void {
  const versions: readonly string[] = CATALOGUE_VERSIONS
  const rows = selectRows({ only, skip })
    .toSorted((one, other) => other.severity - one.severity)
    .map(({ family, level, severity, summary, refs, cwe, since, ...row }) => {
      // Whether `catalogue` already has the row.
      const counted = versions.indexOf(since) <= versions.indexOf(catalogue)
      const numbers = cwe.map((id) => `CWE-${id}`)
      return {
        row: rowId(row),
        family,
        level,
        severity,
        summary,
        refs,
        cwe: numbers,
        since,
        counted,
      }
    })
  if (rows.length === 0)
    throw ConfigError.of('--only and --skip together leave no row; --list alone shows all of them')
  if (json !== undefined) {
    const render = () => `${JSON.stringify({ catalogue, rows }, undefined, 2)}\n`
    writeReportFiles([{ source: '--json', file: json, render }])
    return
  }
  const cells = rows.map((one) => [
    one.row,
    one.counted ? one.level : `${one.level}, not counted`,
    one.refs.join('; '),
  ])
  const newer = rows.filter(({ counted }) => !counted).length
  const rest = newer === 0 ? '' : `; ${newer} of them were added later and do not count`
  for (const line of [...alignColumns(cells), '']) print(line)
  print(`${rows.length} rows, judged by catalogue ${catalogue}${rest}`)
}

/** Milliseconds that an app gets to stop. */
const CLOSING_MS = 8000

/** A signal that aborts at the first Ctrl-C. */
function untilInterrupted(): AbortSignal {
  const stopping = new AbortController()
  // Each started copy of an app, and each concurrent visit, adds a listener.
  setMaxListeners(0, stopping.signal)
  void untilSignal().then(() => {
    process.exitCode = INTERRUPTED
    stopping.abort()
    exitWithin(CLOSING_MS)
  })
  return stopping.signal
}

/**
 * Connects to the sandbox at `url`. Without `url`, connects to the sandbox at the base URL of the
 * settings, or starts a sandbox there if nothing answers.
 * @throws ConfigError with one line when no sandbox or another program answers, or when the sandbox
 * refuses the control token
 */
export async function openSandbox(
  settings: Settings,
  url: string | undefined,
): Promise<OpenSandbox> {
  const { controlToken, port } = settings.sandbox
  if (url === undefined) {
    // Port 0 means a free port, at which no sandbox can run yet.
    const baseUrl = port === 0 ? undefined : baseUrlOf(settings.sandbox)
    if (baseUrl !== undefined && (await isSandbox(baseUrl, OTHER_ADDRESS)))
      return connect(baseUrl, controlToken)
    const { warning, defect } = createReport(settings.log, createClock().now)
    for (const message of settings.warnings) warning(message)
    return { ...(await createFromSettings(settings, { warning, defect })), isOwn: true }
  }
  try {
    if (await isSandbox(url, 'give the base URL of a sandbox'))
      return await connect(url, controlToken)
    throw new Error(
      `${url}: nothing answers there; start a sandbox (npx agekey-sandbox), or leave out --url`,
    )
  } catch (cause) {
    throw ConfigError.of(`--url: ${messageOf(cause)}`, { cause })
  }
}

async function connect(url: string, controlToken: string | undefined): Promise<OpenSandbox> {
  const sandbox = connectSandbox(url, { controlToken })
  // Redirects of the app name the base URL. In a container the audit reaches another URL.
  const baseUrl = await findBaseUrl(sandbox.baseUrl, { controlToken }).catch((cause: unknown) => {
    const isRefused =
      cause instanceof SandboxError && (cause.status === 401 || cause.status === 403)
    const remedy = isRefused ? '; give its control token by --control-token' : ''
    throw ConfigError.of(`${url}: ${messageOf(cause)}${remedy}`, { cause })
  })
  return { ...sandbox, baseUrl, isOwn: false }
}

/** Seconds to wait for an answer: on a busy machine, the first answer takes a while. */
const MAX_ANSWER_SECONDS = 10
const OTHER_ADDRESS = 'stop it, or choose another address by --port and in your app'
const LOOK =
  'look whether host, port and http or https are right; a certificate of agekey-sandbox is trusted by its file in NODE_EXTRA_CA_CERTS'

/**
 * Whether a sandbox answers; false if nothing answers.
 * @throws ConfigError when another program or an unhealthy sandbox answers
 */
async function isSandbox(baseUrl: string, remedy: string): Promise<boolean> {
  const address = baseUrl.replace(/\/+$/, '')
  const request = {
    method: 'GET',
    url: new URL(`${address}/_sandbox/health`),
    headers: {},
  } as const
  const answer = await createExchangeWithin(MAX_ANSWER_SECONDS)(request)
  if (answer.failure) {
    if (answer.failure.problem.endsWith(NOBODY)) return false
    throw ConfigError.of(`${answer.failure.problem}; ${LOOK}`)
  }
  if (answer.headers['x-agekey-sandbox'] === undefined)
    throw ConfigError.of(`${address}: something answers there, but no agekey-sandbox; ${remedy}`)
  if (answer.status === 200) return true
  throw ConfigError.of(
    `${address}: the sandbox there is unhealthy, status ${answer.status}; start it again`,
  )
}

/**
 * Runs the checks of `doctor`: an app on this machine must be able to use the sandbox.
 * @throws ConfigError with a line for each problem
 */
export async function preflight({ baseUrl, url, certificate, isOwn }: OpenSandbox): Promise<void> {
  const issuer = baseUrl + ENDPOINTS.use.path
  const { now } = createClock()
  const diagnoses = await examine({
    issuer,
    ca: certificate?.pem,
    timeoutMs: MAX_ANSWER_SECONDS * 1000,
    now,
  })
  const problems = diagnoses.flatMap((one) =>
    one.status === 'problem' ? [`${one.problem}: ${[one.message, ...one.fix].join('; ')}`] : [],
  )
  if (problems.length === 0) return
  if (isOwn) problems.push(`the sandbox was started: ${baseUrl} must lead to ${url}`)
  throw ConfigError.of(problems.join('\n'))
}
