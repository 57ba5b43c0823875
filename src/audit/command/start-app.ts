import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify, stripVTControlCharacters } from 'node:util'
import { startStopwatch } from '../../sandbox/clock/clock.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { createExchangeWithin } from '../../server/client/exchange.ts'
import type { TerminalOptions } from '../report/terminal.ts'
import type { WriteFiles } from '../report/write-reports.ts'
import type { AppStart } from './plan.ts'

/** What the command line provides: an audit itself neither prints nor starts a program. */
export interface AuditHost extends Pick<TerminalOptions, 'colour'> {
  readonly environment: Readonly<Record<string, string | undefined>>
  /**
   * Replaces the last line of the terminal; an empty text removes it. Absent without a terminal.
   */
  readonly redraw: ((text: string) => void) | undefined
  /** Writes a line that is not part of the result. */
  note(line: string): void
  /** Writes a line of the result; to stderr when a report goes to standard output. */
  say(line: string): void
  warn(message: string): void
  writeFiles: WriteFiles
  /** Starts a program; `stop` ends it and the programs that it started. */
  startGroup(run: AppStart['run'], options: Pick<AppStart, 'env'>): StartedGroup
  /** Masks secrets in the output of an app. */
  mask(text: string): string
}

interface StartedGroup {
  readonly child: Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr'>
  readonly ended: Promise<{ readonly reason: string }>
  stop(): Promise<void>
}

export interface StartLimits {
  readonly host: Pick<AuditHost, 'startGroup' | 'mask'>
  /** Begins messages: `agekey-audit.yaml:3: start`. */
  readonly place: string
  readonly signal: AbortSignal
  readonly readySeconds?: number
  /** An app that answers 500 is up too; with `mayFail`, an app that does not start is no error. */
  readonly mayFail?: boolean
}

const BETWEEN_LOOKS_MS = 100
const LOOK_SECONDS = 2
/**
 * Milliseconds for which an app may answer only at another port before that counts as a mistake.
 */
const OTHER_PORT_MS = 2000

/**
 * Starts the app and waits until it is up; `stop` ends it. With `mayFail`, `problem` is a line
 * about why it did not start, and `isEnded` tells whether it ended.
 * @throws ConfigError with one line when it does not start, or something answers before the start
 */
export async function startApp(
  { run, env, page, ready }: AppStart,
  { place, signal, host, readySeconds = 60, mayFail = false }: StartLimits,
) {
  const address = typeof ready === 'string' ? ready : page
  if ((await statusOf(address)) !== undefined)
    throw ConfigError.of(
      `${place}: ${address} answers before the app was started; stop what runs there, or leave out start`,
    )
  signal.throwIfAborted()
  const { child, ended, stop } = host.startGroup(run, { env })
  const log = createAppLog(child, host)
  child.stdin?.end()
  let reason: string | undefined
  void ended.then((ending) => {
    reason = ending.reason
  })
  const passed = startStopwatch()

  /** `up`, why the app will not start, or `undefined` while it still may. */
  async function look(): Promise<string | undefined> {
    const status = await statusOf(address)
    const isSaid = typeof ready === 'string' || log.lines().some((line) => ready.test(line))
    if (isSaid && status !== undefined && (mayFail || status < 500)) return 'up'
    const sign = isSaid ? `an answer of ${address}` : `a line of its log like ${ready}`
    if (reason !== undefined) {
      // Its last lines may still be on their way.
      await wait(BETWEEN_LOOKS_MS)
      return `${JSON.stringify([run].flat().join(' '))} ${reason} before ${sign}`
    }
    const other =
      passed() > OTHER_PORT_MS && status === undefined ? await findOtherPort(log, page) : undefined
    if (other !== undefined)
      return `your app listens at port ${other}, not at ${new URL(page).port}, the {port} of this audit; give it to your app, as in env: { PORT: '{port}' }`
    const met = isSaid && status !== undefined ? `: it answered ${status}` : ''
    return passed() > readySeconds * 1000
      ? `${sign} did not come within ${readySeconds} seconds${met}`
      : undefined
  }

  try {
    let met = await look()
    for (; met === undefined; met = await look())
      await wait(BETWEEN_LOOKS_MS, undefined, { signal })
    const problem = met === 'up' ? undefined : `${place}: ${met}${lastWords(log)}`
    if (problem !== undefined && !mayFail) throw ConfigError.of(problem)
    return { log, stop, problem, isEnded: reason !== undefined }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Another port of this machine that the log names and that answers. */
async function findOtherPort(log: AppLog, page: string): Promise<string | undefined> {
  const { port: own, protocol, pathname } = new URL(page)
  const named = log
    .lines()
    .flatMap((line) => [...line.matchAll(NAMED_PORT)].map(([, port = '']) => port))
  for (const port of new Set(named)) {
    if (port === own || Number(port) > 65_535) continue
    if ((await statusOf(`${protocol}//localhost:${port}${pathname}`)) !== undefined) return port
  }
  return undefined
}

const NAMED_PORT = /(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]|\bport):? ?(\d{2,5})\b/gi

const exchange = createExchangeWithin(LOOK_SECONDS, { anyCertificate: true })

/** The status of a URL; `undefined` without an answer. */
async function statusOf(url: string): Promise<number | undefined> {
  const answer = await exchange({ method: 'GET', url: new URL(url), headers: {} })
  return answer.failure ? undefined : answer.status
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  await promisify(server.close.bind(server))()
  return typeof address === 'object' && address ? address.port : 0
}

const MAX_LINES = 500
const MAX_CHARACTERS = 300
/** Output that an app wrote before it answered may arrive after the answer. */
const LATE_MS = 20

type AppLog = ReturnType<typeof createAppLog>

/** The output of an app, line by line, with secrets masked. */
function createAppLog(
  { stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>,
  { mask }: Pick<AuditHost, 'mask'>,
) {
  const kept: string[] = []
  let count = 0
  const keep = (line: string) => {
    const text = withoutTokens(mask(stripVTControlCharacters(line).trimEnd()))
    kept.push(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text)
    count += 1
    if (kept.length > MAX_LINES) kept.shift()
  }
  for (const stream of [stdout, stderr])
    if (stream) createInterface({ input: stream }).on('line', keep)
  return {
    lines: (): readonly string[] => [...kept],
    /** Collects the coming lines; the returned function ends that and returns them. */
    record() {
      const start = count
      return async (): Promise<readonly string[]> => {
        await wait(LATE_MS)
        return count === start ? [] : kept.slice(start - count)
      }
    },
  }
}

const STACK = /^\s+at |^\s+File "|^goroutine |^\s*$/
const ERROR = /^(?:Uncaught )?[\w.$]*(?:Error|Exception)\b.*:|^panic:/

/**
 * The last error in the log, or its last lines without stacks, for a message; empty when there is
 * none.
 */
function lastWords(log: AppLog): string {
  const all = log.lines().filter((line) => !STACK.test(line))
  // Lines that Node and Python write behind the message, and that say less.
  const error = all.findLast((line) => ERROR.test(line))
  const words = error === undefined ? all.slice(-3) : [error]
  return words.length === 0 ? '' : `; it wrote: ${words.map((line) => line.trim()).join(' | ')}`
}

/**
 * JSON Web Tokens, values of parameters that carry a token or a code, and the value of an
 * `Authorization` header.
 */
const withoutTokens = (line: string) =>
  line
    .replaceAll(/\beyJ[\w-]+(?:\.[\w-]*)*/g, '***')
    .replaceAll(/\b(id_token|code|access_token|client_secret|password)=[^&\s"']+/gi, '$1=***')
    .replaceAll(/\b(Bearer|Basic) [\w+/=.~-]{8,}/gi, '$1 ***')
