import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { startStopwatch } from '../../../sandbox/clock/clock.ts'
import { codeOf, messageOf } from '../../../sandbox/files/caught.ts'
import { ownEnvironment } from '../../../server/config/load-settings.ts'

/** How a program ended. */
export interface ProcessEnd {
  /**
   * The end of a sentence: `ended with code 1`, `was ended by SIGTERM`, `cannot be run (ENOENT)`.
   */
  readonly reason: string
  /**
   * The exit code as shells report it: 128 plus the number of the signal, 127 for a program that
   * cannot be run.
   */
  readonly code: number
}

/** Milliseconds that a program gets to end after SIGTERM. */
export const STOP_MS = 3000
const BETWEEN_LOOKS_MS = 100
const NOT_FOUND = 127

/**
 * Starts a program in its own process group. The whole group ends when `stop` is called or this
 * process exits.
 * @param run a shell command, or a program and its arguments
 */
export function startGroup(
  run: string | readonly string[],
  { env, stdio = 'pipe' }: { env: Readonly<Record<string, string>>; stdio?: StdioOptions },
) {
  const options = {
    env: { ...ownEnvironment(), ...env },
    stdio,
    // In its own group, the program gets no SIGINT from the terminal: this process decides.
    detached: process.platform !== 'win32',
    windowsHide: true,
  }
  const child =
    typeof run === 'string'
      ? spawn(run, { ...options, shell: true })
      : spawn(run[0] ?? '', run.slice(1), options)
  const killAtExit = () => send(child, 'SIGKILL')
  process.on('exit', killAtExit)
  const unwatch = endWithThisProcess(child)
  const stop = async () => {
    const passed = startStopwatch()
    // Waits for the whole group: child processes may end later than the program.
    for (
      let isThere = send(child, 'SIGTERM');
      isThere && passed() < STOP_MS;
      isThere = send(child, 0)
    ) {
      await wait(BETWEEN_LOOKS_MS)
    }
    unwatch()
    killAtExit()
    process.off('exit', killAtExit)
  }
  let stopping: Promise<void> | undefined
  return {
    child,
    ended: endingOf(child),
    /** Ends the program and its child processes: by SIGTERM, and after `STOP_MS` by SIGKILL. */
    stop() {
      // Only once, because the system may reuse the id for another group.
      stopping ??= stop()
      return stopping
    },
  }
}

/**
 * Kills a program and its child processes if this process dies, even by SIGKILL. A small shell
 * waits until its standard input closes, which happens when this process dies.
 * @returns a function that ends the watch
 */
function endWithThisProcess({ pid }: ChildProcess): () => void {
  if (pid === undefined || process.platform === 'win32') return () => {}
  const watcher = spawn('/bin/sh', ['-c', 'read -r line; kill -s KILL -- "-$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.on('error', () => {})
  watcher.unref()
  return () => watcher.kill('SIGKILL')
}

const endingOf = (child: ChildProcess): Promise<ProcessEnd> =>
  new Promise((resolve) => {
    child.on('error', (error) =>
      resolve({ reason: `cannot be run (${codeOf(error) ?? messageOf(error)})`, code: NOT_FOUND }),
    )
    child.on('exit', (code, signal) =>
      resolve(
        signal === null
          ? { reason: `ended with code ${code}`, code: code ?? 1 }
          : { reason: `was ended by ${signal}`, code: 128 + constants.signals[signal] },
      ),
    )
  })

/** Sends a signal to a program and its child processes. @returns whether any of them exists */
function send({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  if (pid === undefined) return false
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on(
      'error',
      () => {},
    )
    return false
  }
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}
