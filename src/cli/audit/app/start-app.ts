import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { ConfigError } from '../../../files/config-error.ts'
import type { Mask } from '../../../sandbox/clients/mask.ts'
import { startStopwatch } from '../../../sandbox/clock/clock.ts'
import { callHttp } from '../../remote/http-call.ts'
import { type CommandLine, startGroup } from '../../start/process-group.ts'
import { type AppLog, createAppLog } from './app-log.ts'

/** How an app is started, without placeholders. */
export interface AppStart {
  readonly run: CommandLine
  /** The page where the audit begins. */
  readonly page: string
  /** What says that the app is up: an address that answers, or a line of its log. */
  readonly ready: string | RegExp
  readonly env: Readonly<Record<string, string>>
}

export interface RunningApp {
  readonly log: AppLog
  /** How the program ended; `undefined` while it runs. */
  ended(): string | undefined
  /** Ends the app and the programs that it started. */
  stop(): Promise<void>
}

export interface StartLimits {
  /** Leads messages: `agekey-audit.yaml:3: start`. */
  readonly place: string
  readonly signal: AbortSignal
  /** Takes secrets out of its log. */
  readonly mask: Mask
  readonly readySeconds?: number
  /** An app that answers with a failure is up, too. */
  readonly mayFail?: boolean
}

const READY_SECONDS = 60
const BETWEEN_LOOKS_MS = 100
const LOOK_MS = 2000
/** So long an app may answer at another port than its own before that counts as a mistake. */
const OTHER_PORT_MS = 2000

/** An app that ended first, or did not come up in time. */
export interface FailedStart {
  /** A line that begins with the place. */
  readonly problem: string
  readonly isEnded: boolean
  readonly log: readonly string[]
}

/** Starts the app and waits until it is up. @throws ConfigError with one line when it does not come up, or something is there before */
export async function startApp(start: AppStart, limits: StartLimits): Promise<RunningApp> {
  const started = await tryStart(start, limits)
  if ('problem' in started) throw ConfigError.of(started.problem)
  return started
}

/** Starts the app and waits until it is up, or is known not to come. @throws ConfigError when something is there before */
export async function tryStart(start: AppStart, limits: StartLimits): Promise<RunningApp | FailedStart> {
  const { run, page, ready, env } = start
  const { place, signal, mask } = limits
  const taken = typeof ready === 'string' ? ready : page
  if ((await statusOf(taken)) !== undefined)
    throw ConfigError.of(
      `${place}: ${taken} answers before the app was started; stop what runs there, or leave out start`,
    )
  signal.throwIfAborted()
  const app = launch({ run, env, mask })
  let isUp = false
  try {
    const failure = await waitUntilUp(app, start, limits)
    isUp = failure === undefined
    if (!failure) return app
    const log = [...app.log.lines()]
    return { ...failure, problem: `${place}: ${failure.problem}${app.log.lastWords()}`, log }
  } finally {
    if (!isUp) await app.stop()
  }
}

/** Waits until an app is up. @returns why it does not come up */
async function waitUntilUp(
  app: RunningApp,
  { run, page, ready }: AppStart,
  { signal, readySeconds = READY_SECONDS, mayFail = false }: StartLimits,
): Promise<Omit<FailedStart, 'log'> | undefined> {
  const [sign, comes] = typeof ready === 'string' ? [ready, 'answered'] : [`a line of its log like ${ready}`, 'came']
  const passed = startStopwatch()
  for (;;) {
    const status = await statusOf(typeof ready === 'string' ? ready : page)
    const isThere = typeof ready === 'string' || app.log.lines().some((line) => ready.test(line))
    if (isThere && status !== undefined && (mayFail || status < 500)) return undefined
    const ended = app.ended()
    if (ended !== undefined) {
      // Its last lines may still be on their way.
      await wait(BETWEEN_LOOKS_MS)
      return { problem: `${commandOf(run)} ${ended} before ${sign} ${comes}`, isEnded: true }
    }
    const other = passed() > OTHER_PORT_MS && status === undefined ? await findOtherPort(app.log, page) : undefined
    if (other !== undefined) {
      const own = new URL(page).port
      const problem = `your app listens at port ${other}, not at ${own}, the {port} of this audit; give it to your app, as in env: { PORT: '{port}' }`
      return { problem, isEnded: false }
    }
    if (passed() > readySeconds * 1000) {
      const waited = `within ${readySeconds} seconds`
      const problem =
        typeof ready === 'string' || isThere
          ? `${typeof ready === 'string' ? ready : page} did not answer ${waited}${status === undefined ? '' : ` but with ${status}`}`
          : `${sign} did not come ${waited}`
      return { problem, isEnded: false }
    }
    await wait(BETWEEN_LOOKS_MS, undefined, { signal })
  }
}

/** Another port of this machine that the log names and that answers. */
async function findOtherPort(log: AppLog, page: string): Promise<string | undefined> {
  const { port: own, protocol, pathname } = new URL(page)
  const named = log.lines().flatMap((line) => [...line.matchAll(NAMED_PORT)].map(([, port = '']) => port))
  for (const port of new Set(named)) {
    if (port === own || Number(port) > 65_535) continue
    if ((await statusOf(`${protocol}//localhost:${port}${pathname}`)) !== undefined) return port
  }
  return undefined
}

const NAMED_PORT = /(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]|\bport):? ?(\d{2,5})\b/gi

/** The status that an address answers with; `undefined` without an answer. */
async function statusOf(url: string): Promise<number | undefined> {
  return callHttp(url, { timeoutMs: LOOK_MS, trust: { kind: 'any' } }).then(
    ({ status }) => status,
    () => undefined,
  )
}

function launch({ run, env, mask }: Pick<AppStart, 'run' | 'env'> & { mask: Mask }): RunningApp {
  const { child, ended, stop } = startGroup(run, { env })
  let reason: string | undefined
  const log = createAppLog({ mask })
  log.read(child)
  child.stdin?.end()
  void ended.then((ending) => {
    reason = ending.reason
  })
  return { log, ended: () => reason, stop }
}

const commandOf = (run: AppStart['run']) => JSON.stringify(typeof run === 'string' ? run : run.join(' '))

/** A port that is free at this moment. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
