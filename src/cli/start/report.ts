import type { LogMode } from '../../config/settings/process-settings.ts'
import { ENDPOINTS } from '../../oidc/endpoints.ts'
import type { CallSummary } from '../../server/create-sandbox.ts'
import { alignColumns, paint, paintError, printError, visible, writeOut } from '../terminal.ts'
import { createLog } from './log.ts'

/** What a relying party needs to know of a sandbox that is up. */
export interface Ready {
  /** Where the process listens. */
  readonly url: string
  /** What a relying party configures. */
  readonly baseUrl: string
  /** What its servers use, when that is another address. */
  readonly internalUrl?: string | undefined
  /** The file of the certificate that clients have to trust, when https is served. */
  readonly certificateFile?: string | undefined
  readonly clientId: string
  readonly clientSecret: string
  readonly version: string
}

/** What a running sandbox reports: calls on stdout, after the line or table that says it is ready; the rest on stderr. */
export interface Report {
  ready(ready: Ready): void
  call(call: CallSummary): void
  warning(message: string): void
  /** A defect of the sandbox itself. */
  defect(error: unknown): void
}

const silent: Report = { ready() {}, call() {}, warning() {}, defect() {} }

/** Creates the report of a log mode. `now` gives epoch milliseconds. */
export function createReport(mode: LogMode, now: () => number): Report {
  switch (mode) {
    case 'pretty':
      return createPrettyReport(now)
    case 'json':
      return createJsonReport(now)
    case 'silent':
      return silent
  }
}

/** Lines for people. */
function createPrettyReport(now: () => number): Report {
  const warning = (message: string) => printError(`${paintError('yellow', 'warning:')} ${visible(message)}`)
  const log = createLog(writeOut, warning)
  return {
    ready: (ready) => log.first(readyTable(ready)),
    call({ method, path, status, durationMs, endpoint, error, findings }) {
      const line = [
        paint('dim', new Date(now()).toISOString().slice(11, 19)),
        method.padEnd(4),
        paint(statusColor(status), status === 0 ? 'dropped' : String(status)),
        visible(path),
        ...(endpoint === undefined ? [] : [paint('cyan', endpoint)]),
        ...(error === undefined ? [] : [paint('red', visible(error))]),
        ...(findings.length === 0 ? [] : [paint('yellow', visible(findings.join(' ')))]),
        paint('dim', `${Math.round(durationMs)} ms`),
      ]
      log.line(line.join(' '))
    },
    warning,
    defect(error) {
      const lines = String((error instanceof Error && error.stack) || error).split('\n')
      printError(`${paintError('red', 'error:')} ${lines.map(visible).join('\n')}`)
    },
  }
}

/** What to paste into the app and where to click. */
function readyTable({ url, baseUrl, internalUrl, certificateFile, clientId, clientSecret, version }: Ready): string {
  const rows = [
    ['open', `${baseUrl}/`],
    ['base URL', baseUrl],
    ...(url === baseUrl ? [] : [['listening on', url]]),
    ...(internalUrl === undefined ? [] : [['internal URL', internalUrl]]),
    ...(certificateFile === undefined ? [] : [['certificate', `${certificateFile} (NODE_EXTRA_CA_CERTS)`]]),
    ['issuer', baseUrl + ENDPOINTS.use.path],
    ['discovery', baseUrl + ENDPOINTS.useDiscovery.path],
    ['client_id', clientId],
    ['client_secret', clientSecret],
  ]
  return [
    '',
    `  ${paint('bold', `agekey-sandbox ${version}`)}  ${paint('inverse', ' TESTING ONLY ')} no real ages, no real keys`,
    '',
    ...alignColumns(rows).map((line) => `  ${visible(line)}`),
    '',
    paint('dim', '  Ctrl+C stops it.'),
    '',
  ].join('\n')
}

function statusColor(status: number) {
  if (status >= 500 || status === 0) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}

/** One JSON object a line; `event` says which kind, members are in snake_case. */
function createJsonReport(now: () => number): Report {
  const warning = (message: string) => printError(JSON.stringify({ event: 'warning', message }))
  const log = createLog(writeOut, warning)
  return {
    ready({ url, baseUrl, internalUrl, certificateFile, clientId, version }) {
      const addresses = { url, base_url: baseUrl, internal_url: internalUrl, certificate: certificateFile }
      log.first(JSON.stringify({ event: 'ready', ...addresses, client_id: clientId, version }))
    },
    call({ durationMs, ...call }) {
      log.line(JSON.stringify({ event: 'call', at: new Date(now()).toISOString(), ...call, duration_ms: durationMs }))
    },
    warning,
    defect(error) {
      const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
      printError(JSON.stringify({ event: 'error', message, stack }))
    },
  }
}
