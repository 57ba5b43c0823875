import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startStopwatch } from '../../sandbox/clock/clock.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { createExchangeWithin } from '../../server/client/exchange.ts'
import { type AppLog, createAppLog, lastWords } from './app-log.ts'
import type { AuditHost } from './audit-host.ts'
import type { AppStart } from './start-plan.ts'

export interface StartLimits {
  readonly host: Pick<AuditHost, 'startGroup' | 'mask'>
  /** Prefix of messages: `agekey-audit.yaml:3: start`. */
  readonly place: string
  readonly signal: AbortSignal
  readonly readySeconds?: number
  /** Whether the app may answer 500 and may fail to start: then `problem` says why. */
  readonly mayFail?: boolean
}

const BETWEEN_LOOKS_MS = 100
const LOOK_SECONDS = 2
/** Milliseconds after which the audit looks for the app at another port. */
const OTHER_PORT_MS = 2000

/** An app that the audit has started. */
export interface StartedApp {
  readonly log: AppLog
  /** Why the app did not start; only with `mayFail`. */
  readonly problem: string | undefined
  /** Whether the app ended by itself. */
  readonly isEnded: boolean
  stop(): Promise<void>
}

/** The state of an app while it starts. */
interface Starting extends Pick<AppStart, 'run' | 'page' | 'ready'>, Limits {
  readonly log: AppLog
  /** How the app ended; `undefined` while the app runs. */
  ending(): string | undefined
  /** Milliseconds since the start. */
  passed(): number
}

type Limits = Required<Pick<StartLimits, 'readySeconds' | 'mayFail'>>

/**
 * Starts the app and waits until it is up.
 * @throws ConfigError with one line when the app does not start (without `mayFail`), or when
 * something already answers at its address
 */
export async function startApp(
  { run, env, page, ready }: AppStart,
  { place, signal, host, readySeconds = 60, mayFail = false }: StartLimits,
): Promise<StartedApp> {
  const address = addressOf({ page, ready })
  if ((await statusOf(address)) !== undefined)
    throw ConfigError.of(
      `${place}: ${address} answers before the app was started; stop what runs there, or leave out start`,
    )
  signal.throwIfAborted()
  const { child, ended, stop } = host.startGroup(run, { env })
  const log = createAppLog(child, host.mask)
  child.stdin?.end()
  let reason: string | undefined
  void ended.then((ending) => {
    reason = ending.reason
  })
  const passed = startStopwatch()
  const ending = () => reason
  const starting = { run, page, ready, readySeconds, mayFail, log, ending, passed }

  try {
    let state = await look(starting)
    for (; state === undefined; state = await look(starting))
      await wait(BETWEEN_LOOKS_MS, undefined, { signal })
    const problem = state.problem && `${place}: ${state.problem}${lastWords(log)}`
    if (problem !== undefined && !mayFail) throw ConfigError.of(problem)
    return { log, stop, problem, isEnded: reason !== undefined }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The URL that answers when the app is up. */
const addressOf = ({ page, ready }: Pick<AppStart, 'page' | 'ready'>): string =>
  typeof ready === 'string' ? ready : page

/** Whether the app is up, or why it will not start; `undefined` if it still may. */
async function look(
  starting: Starting,
): Promise<{ readonly problem: string | undefined } | undefined> {
  const { page, ready, log, ending, passed, mayFail, readySeconds } = starting
  const address = addressOf(starting)
  const status = await statusOf(address)
  const isSaid = typeof ready === 'string' || log.lines().some((line) => ready.test(line))
  if (isSaid && status !== undefined && (mayFail || status < 500)) return { problem: undefined }
  const sign = isSaid ? `an answer of ${address}` : `a line of its log like ${ready}`
  const reason = ending()
  if (reason !== undefined) {
    // The last lines of the log may arrive later than the end of the process.
    await wait(BETWEEN_LOOKS_MS)
    const command = [starting.run].flat().join(' ')
    return { problem: `${JSON.stringify(command)} ${reason} before ${sign}` }
  }
  const isLate = passed() > OTHER_PORT_MS && status === undefined
  const other = isLate ? await findOtherPort(log, page) : undefined
  if (other !== undefined) {
    const own = new URL(page).port
    const problem = `your app listens at port ${other}, not at ${own}, the {port} of this audit; give it to your app, as in env: { PORT: '{port}' }`
    return { problem }
  }
  if (passed() <= readySeconds * 1000) return undefined
  const answered = isSaid && status !== undefined ? `: it answered ${status}` : ''
  return { problem: `${sign} did not come within ${readySeconds} seconds${answered}` }
}

/** Finds another port on this machine that the log names and that answers. */
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

/** Finds a free TCP port. Another program may take the port before it is used. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  await promisify(server.close.bind(server))()
  return typeof address === 'object' && address ? address.port : 0
}
