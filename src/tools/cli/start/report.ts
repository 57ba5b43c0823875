import { packageVersion } from '../../../package-root.ts'
import { isLoopbackUrl } from '../../../sandbox/addresses/addresses.ts'
import { codeOf } from '../../../sandbox/files/caught.ts'
import type { LogMode } from '../../../server/config/settings.ts'
import type { CallSummary, Sandbox } from '../../../server/create-sandbox.ts'
import { ENDPOINTS } from '../../../service/oidc/endpoints.ts'
import { visible } from '../../../service/text/visible.ts'
import {
  alignColumns,
  MAX_UNREAD_BYTES,
  type Output,
  paint,
  paintError,
  printError,
  writeOut,
} from '../terminal.ts'

/** A running sandbox, its config file, and the ids of its clients. */
type Ready = Pick<Sandbox, 'url' | 'baseUrl' | 'client'> &
  Partial<Pick<Sandbox, 'internalUrl' | 'certificate'>> & {
    readonly configFile?: string | undefined
    readonly clients?: readonly string[] | undefined
    /** Whether no base URL is set: answers then use the address of each caller. */
    readonly followsCallers?: boolean
  }

/**
 * The output of a running sandbox. Readiness, calls and notes go to stdout; warnings and errors go
 * to stderr.
 */
export interface Report {
  /** The sandbox is ready: what to paste into the app, what to open. */
  ready(ready: Ready): void
  /** A call was answered. */
  call(call: CallSummary): void
  /** The sandbox did something by itself: it took up a changed file. */
  note(message: string): void
  /** A setting or the machine is probably not as intended. */
  warning(message: string): void
  /** A bug of the sandbox itself. */
  defect(error: unknown): void
}

const silent: Report = { ready() {}, call() {}, note() {}, warning() {}, defect() {} }

/** Creates the report for a log mode. `now` returns epoch milliseconds. */
export function createReport(mode: LogMode, now: () => number): Report {
  if (mode === 'silent') return silent
  return withoutNoise(mode === 'json' ? createJsonReport(now) : createPrettyReport(now))
}

/**
 * Leaves out successful health checks, and the list of endpoints after the first unknown path.
 */
function withoutNoise(report: Report): Report {
  let isListed = false
  return {
    ...report,
    call(call) {
      if (call.path.endsWith('/_sandbox/health') && call.status === 200) return
      const [problem = '', served] = call.message?.split(' Served below ') ?? []
      report.call(served !== undefined && isListed ? { ...call, message: problem } : call)
      isListed ||= served !== undefined
    },
  }
}

/** Creates a report with lines for people. */
function createPrettyReport(now: () => number): Report {
  const warning = (message: string) =>
    printError(`${paintError('yellow', 'warning:')} ${visible(message)}`)
  const log = createLog(writeOut, warning)
  return {
    ready: (ready) => log.first(readyTable(ready)),
    call: (call) => log.line(prettyLine(call, now())),
    note: (message) => log.line(`${paint('dim', timeOf(now()))} ${visible(message)}`),
    warning,
    defect(error) {
      const lines = String((error instanceof Error && error.stack) || error).split('\n')
      printError(`${paintError('red', 'error:')} ${lines.map(visible).join('\n')}`)
    },
  }
}

/**
 * `12:03:05 f13 E1 302 GET /v1/oidc/use web-shop USE-08: nonce is missing 1.2 ms
 * http://localhost:2435/_sandbox/console/flows/f13`
 */
function prettyLine(call: CallSummary, now: number): string {
  const { method, path, status, durationMs, endpoint = '-', flow = '-', flowUrl, client } = call
  const parts = [
    paint('dim', timeOf(now)),
    paint('cyan', flow.padEnd(5)),
    paint('cyan', endpoint.padEnd(2)),
    paint(statusColor(status), status === 0 ? 'dropped' : String(status)),
    method.padEnd(4),
    visible(path),
    ...(client === undefined ? [] : [paint('dim', visible(client))]),
    ...endOf(call),
    paint('dim', `${roundedMs(durationMs)} ms`),
    ...(flowUrl === undefined ? [] : [paint('dim', visible(flowUrl))]),
  ]
  return parts.join(' ')
}

/** `12:03:05` */
const timeOf = (now: number) => new Date(now).toISOString().slice(11, 19)

/** The result of a call: its decision, the reason of a refusal, or advice. */
function endOf({
  persona,
  outcome,
  error,
  rule,
  message,
  findings,
}: CallSummary): readonly string[] {
  const decided = [persona, outcome].filter((name) => name !== undefined).join(' ')
  const reason = [rule ?? error, message].filter((part) => part !== undefined).join(': ')
  const advice = reason === '' ? findings.join(' ') : ''
  return [
    ...(decided === '' ? [] : [visible(decided)]),
    ...(reason === '' ? [] : [paint('red', visible(reason))]),
    ...(advice === '' ? [] : [paint('yellow', visible(advice))]),
  ]
}

/** Rounds to whole milliseconds, below ten to one decimal. */
const roundedMs = (milliseconds: number) =>
  milliseconds < 10 ? Math.round(milliseconds * 10) / 10 : Math.round(milliseconds)

/** What to paste into the app and what to open. */
function readyTable(ready: Ready): string {
  const {
    url,
    baseUrl,
    internalUrl,
    certificate,
    client,
    configFile,
    clients = [],
    followsCallers,
  } = ready
  const rows = [
    ['open', `${baseUrl}/`],
    ['base URL', baseUrl],
    ...(followsCallers
      ? [['also at', 'any port and name of this machine that leads here, under that address']]
      : []),
    ...(isSameMachine(url, baseUrl) ? [] : [['listening on', url]]),
    ...(internalUrl === undefined ? [] : [['internal URL', internalUrl]]),
    ...(certificate?.file === undefined
      ? []
      : [['certificate', `${certificate.file} (NODE_EXTRA_CA_CERTS)`]]),
    ['issuer', baseUrl + ENDPOINTS.use.path],
    ['discovery', baseUrl + ENDPOINTS.useDiscovery.path],
    ['client_id', client.clientId],
    ['client_secret', client.clientSecret],
    ...(configFile === undefined ? [] : [['config file', configFile]]),
    ...(clients.length === 0 ? [] : [['its clients', clients.join(', ')]]),
  ]
  return [
    '',
    `  ${paint('bold', `agekey-sandbox ${packageVersion()}`)}  ${paint('inverse', ' TESTING ONLY ')} no real ages, no real keys`,
    '',
    ...alignColumns(rows).map((line) => `  ${visible(line)}`),
    '',
    paint('dim', '  Ctrl+C stops it.'),
    '',
  ].join('\n')
}

/**
 * Whether both URLs name the same server on this machine; the table then shows only the base URL:
 * `http://127.0.0.1:2435`, `http://localhost:2435/age`.
 */
function isSameMachine(url: string, baseUrl: string): boolean {
  const [own, base] = [new URL(url), new URL(baseUrl)]
  return (
    [own, base].every(({ href }) => isLoopbackUrl(href)) &&
    own.protocol === base.protocol &&
    own.port === base.port
  )
}

function statusColor(status: number) {
  if (status >= 500 || status === 0) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}

/** Creates a report with one JSON object per line. `event` is its kind. */
function createJsonReport(now: () => number): Report {
  const warning = (message: string) => printError(JSON.stringify({ event: 'warning', message }))
  const log = createLog(writeOut, warning)
  return {
    ready({ url, baseUrl, internalUrl, certificate, client }) {
      const addresses = {
        url,
        base_url: baseUrl,
        internal_url: internalUrl,
        certificate: certificate?.file,
      }
      const about = { client_id: client.clientId, version: packageVersion() }
      log.first(JSON.stringify({ event: 'ready', ...addresses, ...about }))
    },
    call({ durationMs, flowUrl, ...call }) {
      const at = new Date(now()).toISOString()
      log.line(
        JSON.stringify({
          event: 'call',
          at,
          ...call,
          flow_url: flowUrl,
          duration_ms: roundedMs(durationMs),
        }),
      )
    },
    note(message) {
      log.line(JSON.stringify({ event: 'note', at: new Date(now()).toISOString(), message }))
    },
    warning,
    defect(error) {
      const { message, stack } =
        error instanceof Error ? error : { message: String(error), stack: undefined }
      printError(JSON.stringify({ event: 'error', message, stack }))
    },
  }
}

/**
 * Creates a log that drops lines while they cannot be written, so that it neither ends the process
 * nor fills the memory. `onWarning` is called when it begins to drop lines, and when it writes
 * again.
 */
export function createLog(write: Output, onWarning: (message: string) => void) {
  let owed = ''
  let waiting: string[] = []
  let missing: number | undefined
  const flush = () => {
    const lines = waiting
    waiting = []
    const error = write(owed + lines.join(''), { maxUnreadBytes: MAX_UNREAD_BYTES })
    if (error === undefined) {
      if (missing !== undefined)
        onWarning(`log: it is written again; lines that are missing: ${missing}`)
      owed = ''
      missing = undefined
      return
    }
    // A reader like `| head` closes the pipe on purpose.
    if (missing === undefined && codeOf(error) !== 'EPIPE') {
      onWarning(`log: it cannot be written (${error.message}); its lines are dropped until it can`)
    }
    missing = (missing ?? 0) + lines.length
  }
  return {
    /** Writes the first line. This line is never dropped: it may be written later. */
    first(line: string) {
      owed = `${line}\n`
      flush()
    },
    /**
     * Writes a line. Lines of one turn of the event loop are written together, because a write
     * takes a tenth of the time of a call.
     */
    line(line: string) {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push(`${line}\n`)
    },
  }
}
