import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { ConfigError } from '../../files/config-error.ts'
import { startStopwatch } from '../../sandbox/clock/clock.ts'
import type { SandboxHost } from './open-sandbox.ts'

/** How an app is started, without placeholders. */
export interface AppStart {
  /** A text is run by the shell, a list is a program and its arguments. */
  readonly run: string | readonly string[]
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

/** A stream of the output of a program. */
type Output = Pick<NodeJS.ReadableStream, 'setEncoding' | 'on'> | null

/** What the command line starts apps by. */
export interface ProgramHost extends Pick<SandboxHost, 'call'> {
  /** Starts a program with those that it starts; `stop` ends all of them. */
  startGroup(
    run: AppStart['run'],
    options: { env: AppStart['env'] },
  ): {
    readonly child: { readonly stdin: { end(): void } | null; readonly stdout: Output; readonly stderr: Output }
    readonly ended: Promise<{ readonly reason: string }>
    stop(): Promise<void>
  }
  /** Takes secrets out of what the app writes. */
  mask(text: string): string
}

export interface StartLimits {
  readonly host: ProgramHost
  /** Leads messages: `agekey-audit.yaml:3: start`. */
  readonly place: string
  readonly signal: AbortSignal
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
  const { place, signal, host } = limits
  const taken = typeof start.ready === 'string' ? start.ready : start.page
  if ((await statusOf(taken, host)) !== undefined)
    throw ConfigError.of(
      `${place}: ${taken} answers before the app was started; stop what runs there, or leave out start`,
    )
  signal.throwIfAborted()
  const app = launch(start, host)
  let isUp = false
  try {
    const failure = await waitUntilUp(app, start, limits)
    isUp = failure === undefined
    if (!failure) return app
    return { ...failure, problem: `${place}: ${failure.problem}${lastWords(app.log)}`, log: app.log.lines() }
  } finally {
    if (!isUp) await app.stop()
  }
}

function launch({ run, env }: AppStart, host: ProgramHost): RunningApp {
  const { child, ended, stop } = host.startGroup(run, { env })
  let reason: string | undefined
  const log = createAppLog(host)
  for (const stream of [child.stdout, child.stderr]) log.read(stream)
  child.stdin?.end()
  void ended.then((ending) => {
    reason = ending.reason
  })
  return { log, ended: () => reason, stop }
}

/** Waits until an app is up. @returns why it does not come up */
async function waitUntilUp(
  app: RunningApp,
  { run, page, ready }: AppStart,
  { host, signal, readySeconds = READY_SECONDS, mayFail = false }: StartLimits,
): Promise<Omit<FailedStart, 'log'> | undefined> {
  const [sign, comes] = typeof ready === 'string' ? [ready, 'answered'] : [`a line of its log like ${ready}`, 'came']
  const passed = startStopwatch()
  for (;;) {
    const status = await statusOf(typeof ready === 'string' ? ready : page, host)
    const isThere = typeof ready === 'string' || app.log.lines().some((line) => ready.test(line))
    if (isThere && status !== undefined && (mayFail || status < 500)) return undefined
    const ended = app.ended()
    if (ended !== undefined) {
      // Its last lines may still be on their way.
      await wait(BETWEEN_LOOKS_MS)
      const command = JSON.stringify([run].flat().join(' '))
      return { problem: `${command} ${ended} before ${sign} ${comes}`, isEnded: true }
    }
    const other =
      passed() > OTHER_PORT_MS && status === undefined ? await findOtherPort(app.log, page, host) : undefined
    if (other !== undefined) {
      const own = new URL(page).port
      const problem = `your app listens at port ${other}, not at ${own}, the {port} of this audit; give it to your app, as in env: { PORT: '{port}' }`
      return { problem, isEnded: false }
    }
    if (passed() > readySeconds * 1000) {
      const waited = `within ${readySeconds} seconds`
      const but = status === undefined ? '' : ` but with ${status}`
      const answer = `${typeof ready === 'string' ? ready : page} did not answer ${waited}${but}`
      return { problem: isThere ? answer : `${sign} did not come ${waited}`, isEnded: false }
    }
    await wait(BETWEEN_LOOKS_MS, undefined, { signal })
  }
}

/** Another port of this machine that the log names and that answers. */
async function findOtherPort(log: AppLog, page: string, host: ProgramHost): Promise<string | undefined> {
  const { port: own, protocol, pathname } = new URL(page)
  const named = log.lines().flatMap((line) => [...line.matchAll(NAMED_PORT)].map(([, port = '']) => port))
  for (const port of new Set(named)) {
    if (port === own || Number(port) > 65_535) continue
    if ((await statusOf(`${protocol}//localhost:${port}${pathname}`, host)) !== undefined) return port
  }
  return undefined
}

const NAMED_PORT = /(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]|\bport):? ?(\d{2,5})\b/gi

/** The status that an address answers with; `undefined` without an answer. */
const statusOf = (url: string, { call }: ProgramHost): Promise<number | undefined> =>
  call(url, { timeoutMs: LOOK_MS, trust: { kind: 'any' } }).then(
    ({ status }) => status,
    () => undefined,
  )

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

/** What an app writes to its standard output and standard error, line by line and without secrets. */
export interface AppLog {
  /** All that is kept. */
  lines(): readonly string[]
  /** Takes down what comes from now on; the function that comes back gives it. */
  record(): () => Promise<readonly string[]>
}

const MAX_LINES = 500
const MAX_CHARACTERS = 300
const LAST_LINES = 3
/** What an app wrote before it answered comes through a pipe, which may be slower than the answer. */
const LATE_MS = 20

function createAppLog({ mask }: Pick<ProgramHost, 'mask'>): AppLog & { read(stream: Output): void } {
  const kept: string[] = []
  let dropped = 0
  const keep = (line: string) => {
    const text = withoutTokens(mask(stripVTControlCharacters(line).trimEnd()))
    kept.push(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text)
    if (kept.length > MAX_LINES) {
      kept.shift()
      dropped += 1
    }
  }
  return {
    lines: () => [...kept],
    record() {
      const start = dropped + kept.length
      return async () => {
        await wait(LATE_MS)
        return kept.slice(Math.max(0, start - dropped))
      }
    },
    read(stream) {
      let rest = ''
      stream?.setEncoding('utf8')
      stream?.on('data', (text: string) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) keep(line)
      })
      stream?.on('end', () => {
        if (rest !== '') keep(rest)
      })
    },
  }
}

const STACK = /^\s+at |^\s+File "|^goroutine |^\s*$/
const ERROR = /^(?:Uncaught )?[\w.$]*(?:Error|Exception)\b.*:|^panic:/

/** The last error, or the last lines that are no stack, for a message; empty when there is none. */
function lastWords(log: AppLog): string {
  const all = log.lines().filter((line) => !STACK.test(line))
  // What Node and Python write behind the message says less.
  const error = all.findLast((line) => ERROR.test(line))
  const words = error === undefined ? all.slice(-LAST_LINES) : [error]
  return words.length === 0 ? '' : `; it wrote: ${words.map((line) => line.trim()).join(' | ')}`
}

/** JSON Web Tokens, the values of parameters that carry one or a code, and what a header authorizes with. */
const withoutTokens = (line: string) =>
  line
    .replaceAll(/\beyJ[\w-]+(?:\.[\w-]*)*/g, '***')
    .replaceAll(/\b(id_token|code|access_token|client_secret|password)=[^&\s"']+/gi, '$1=***')
    .replaceAll(/\b(Bearer|Basic) [\w+/=.~-]{8,}/gi, '$1 ***')
