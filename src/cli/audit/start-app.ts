import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { ownEnvironment } from '../../config/load-settings.ts'
import { codeOf, messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { startStopwatch } from '../../sandbox/clock/clock.ts'
import { callHttp } from '../remote/http-call.ts'

/** How an app is started, without placeholders. */
export interface AppStart {
  /** A text is run by the shell, a list is a program and its arguments. */
  readonly run: string | readonly string[]
  /** The address that answers when the app is up. */
  readonly ready: string
  readonly env: Readonly<Record<string, string>>
}

export interface RunningApp {
  /** Ends the app and the programs that it started. */
  stop(): Promise<void>
}

const READY_SECONDS = 60
const STOP_MS = 3000
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
        throw ConfigError.of(`${place}.run: ${commandOf(run)} ${ended} before ${ready} answered${app.lastWords()}`)
      if (passed() > READY_SECONDS * 1000)
        throw ConfigError.of(
          `${place}.ready: ${ready} did not answer within ${READY_SECONDS} seconds${app.lastWords()}`,
        )
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

function launch(run: AppStart['run'], env: AppStart['env']) {
  const options = {
    env: { ...ownEnvironment(), ...env },
    // A group of its own is ended as a whole, and hears no Ctrl-C before the audit does.
    detached: process.platform !== 'win32',
    windowsHide: true,
  }
  const child =
    typeof run === 'string' ? spawn(run, { ...options, shell: true }) : spawn(run[0] ?? '', run.slice(1), options)
  let ended: string | undefined
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
  child.on('error', (error) => {
    ended = `cannot be run (${codeOf(error) ?? messageOf(error)})`
  })
  child.on('exit', (code, signal) => {
    ended ??= signal === null ? `ended with code ${code}` : `was ended by ${signal}`
  })
  const killAtExit = () => send(child, 'SIGKILL')
  process.on('exit', killAtExit)
  return {
    get ended() {
      return ended
    },
    lastWords: () => (lastLine === '' ? '' : `; its last line: ${lastLine.slice(0, MAX_LINE)}`),
    async stop() {
      const passed = startStopwatch()
      // The programs that it started may end later than itself.
      for (let isThere = send(child, 'SIGTERM'); isThere && passed() < STOP_MS; isThere = send(child, 0)) {
        await wait(BETWEEN_LOOKS_MS)
      }
      killAtExit()
      process.off('exit', killAtExit)
    },
  }
}

const MAX_LINE = 200

/** Sends a signal to a program and to those that it started; says whether one of them is there. */
function send({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  if (pid === undefined) return false
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on('error', () => {})
    return false
  }
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
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
