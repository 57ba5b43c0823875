import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { ConfigError } from '../../files/config-error.ts'
import { startStopwatch } from '../../sandbox/clock/clock.ts'
import { callHttp } from '../remote/http-call.ts'
import { type CommandLine, startGroup } from '../start/process-group.ts'

/** How an app is started, without placeholders. */
export interface AppStart {
  readonly run: CommandLine
  /** The address that answers when the app is up. */
  readonly ready: string
  readonly env: Readonly<Record<string, string>>
}

export interface RunningApp {
  /** Ends the app and the programs that it started. */
  stop(): Promise<void>
}

const READY_SECONDS = 60
const BETWEEN_LOOKS_MS = 100
const LOOK_MS = 2000

/**
 * Starts the app and waits until it answers.
 * @param place leads messages: `agekey-audit.yaml:3: start`
 * @throws ConfigError with one line, when it ends first or does not answer within a minute
 */
export async function startApp(
  { run, ready, env }: AppStart,
  { place, signal }: { place: string; signal: AbortSignal },
): Promise<RunningApp> {
  if (await answers(ready))
    throw ConfigError.of(
      `${place}: ${ready} answers before the app was started; stop what runs there, or leave out start`,
    )
  const app = launch(run, env)
  try {
    const passed = startStopwatch()
    while (!(await answers(ready))) {
      const { ended } = app
      if (ended !== undefined)
        throw ConfigError.of(`${place}: ${commandOf(run)} ${ended} before ${ready} answered${app.lastWords()}`)
      if (passed() > READY_SECONDS * 1000)
        throw ConfigError.of(`${place}: ${ready} did not answer within ${READY_SECONDS} seconds${app.lastWords()}`)
      await wait(BETWEEN_LOOKS_MS, undefined, { signal })
    }
    return app
  } catch (error) {
    await app.stop()
    throw error
  }
}

/** Whether something answers there that is no failure of a server. */
async function answers(url: string): Promise<boolean> {
  return callHttp(url, { timeoutMs: LOOK_MS, trust: { kind: 'any' } }).then(
    ({ status }) => status < 500,
    () => false,
  )
}

function launch(run: CommandLine, env: AppStart['env']) {
  const { child, ended, stop } = startGroup(run, { env })
  let reason: string | undefined
  let lastLine = ''
  child.stdin?.end()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      lastLine =
        text
          .split('\n')
          .findLast((line) => line.trim() !== '')
          ?.trim() ?? lastLine
    })
  }
  void ended.then((ending) => {
    reason = ending.reason
  })
  return {
    get ended() {
      return reason
    },
    lastWords: () => (lastLine === '' ? '' : `; its last line: ${lastLine.slice(0, MAX_LINE)}`),
    stop,
  }
}

const MAX_LINE = 200

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
