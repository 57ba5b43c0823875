import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { ownEnvironment } from '../../config/load-settings.ts'
import { codeOf } from '../../files/caught.ts'

/** A run of a test runner: the id of its process and, where the system says so, when that began. `4242-180334` */
export type TestRun = string

const RUN = /^(\d+)(?:-(\d+))?$/

/** The run that this process is a worker of, or runs itself. */
export function ownTestRun(): TestRun {
  const pid = isWorkerProcess() ? process.ppid : process.pid
  const start = startOf(pid)
  return start === undefined ? String(pid) : `${pid}-${start}`
}

/** Vitest, Jest and Playwright fork their workers, which have a channel to the runner then; `node --test` sets a variable. */
const isWorkerProcess = () =>
  isMainThread && (process.send !== undefined || ownEnvironment()['NODE_TEST_CONTEXT'] !== undefined)

/** Whether the process of a run is still there, and is not a later one with the same id. */
export function isRunning(run: TestRun): boolean {
  const [, pid = '', start] = RUN.exec(run) ?? []
  if (start !== undefined) return startOf(Number(pid)) === start
  try {
    return process.kill(Number(pid), 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/**
 * When a process began, as a number that is compared with itself: only Linux says so. In a container each run may have the
 * process id of the one before.
 */
function startOf(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program, in brackets, may hold spaces and brackets.
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[START_FIELD]
  } catch {
    return undefined
  }
}

/** `starttime` of proc_pid_stat(5), counted from the field behind the name. */
const START_FIELD = 19
