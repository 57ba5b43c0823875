import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'
import { codeOf, messageOf } from '../../sandbox/files/caught.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { replaceFile } from '../../sandbox/files/private-file.ts'
import { preparePrivateFolder } from '../../sandbox/files/private-folder.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import { ownEnvironment } from '../../server/config/load-settings.ts'

/** The default folder for coverage, relative to the working folder. */
export const COVERAGE_FOLDER = '.agekey-coverage'

interface CoveragePlace {
  readonly folder: string
  /** The test runner. Each runner has its own folder and removes only files of that folder. */
  readonly runner: string
  /** The base URL of a sandbox that other workers also use. */
  readonly sharedUrl: string | undefined
}

/** The coverage of one worker. */
export interface WorkerCoverage {
  /**
   * Writes the coverage file of a worker, completely or not at all. In watch mode, the file
   * replaces the file of the previous run.
   * @param worker what used the sandbox in this run: a test file or a worker process
   */
  write(worker: string | undefined): Promise<void>
}

/**
 * Begins the coverage of one worker. Removes files of earlier runs of the same runner, and once in
 * a run clears the coverage of a shared sandbox.
 * @throws ConfigError with one line when the folder cannot be used
 */
export async function startCoverage(
  api: SandboxApi,
  { folder: parent, runner, sharedUrl }: CoveragePlace,
): Promise<WorkerCoverage> {
  const folder = join(parent, runner)
  const run = ownTestRun()
  const fileOf = (name: string) => join(folder, `${run}.${name}`)
  await attempt(folder, async () => {
    await preparePrivateFolder(parent)
    await mkdir(folder, { recursive: true })
    await removeOldRuns(folder)
  })
  if (sharedUrl !== undefined)
    await onceInRun(fileOf(`shared-${hashOf(sharedUrl)}.emptied`), () => api.coverage.clear())
  const index = openSandboxes++
  return {
    async write(worker) {
      openSandboxes--
      const name = worker === undefined ? randomUUID() : `${hashOf(worker)}-${index}`
      const text = `${JSON.stringify(await api.coverage.get(), undefined, 2)}\n`
      await attempt(folder, () => replaceFile(fileOf(`${name}.json`), text, { mode: 0o600 }))
    },
  }
}

/** Number of open sandboxes in this worker. A test file may have several. */
let openSandboxes = 0

/** A short hash that is valid as a file name. */
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** The run in a file name: `4242-180334.1f….json` belongs to run `4242-180334`. */
const FILE_OF_RUN = /^(\d+(?:-\d+)?)\./

async function removeOldRuns(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, run] = FILE_OF_RUN.exec(name) ?? []
    if (run !== undefined && !isRunning(run)) await rm(join(folder, name), { force: true })
  }
}

const BETWEEN_LOOKS_MS = 20
const MAX_LOOKS = 500

/**
 * Calls `act` in one worker of a run while the other workers wait. If `act` fails, this worker
 * throws and the next worker tries.
 */
async function onceInRun(marker: string, act: () => Promise<void>): Promise<void> {
  const claim = `${marker}.claim`
  const actOnce = async () => {
    // The claim may be free because another worker is done.
    if (existsSync(marker)) return
    await act()
    await writeFile(marker, '')
  }
  for (let looks = 0; !existsSync(marker); looks++) {
    if (await isCreated(claim)) await actOnce().finally(() => rm(claim))
    else if (looks < MAX_LOOKS) await pause(BETWEEN_LOOKS_MS)
    else
      throw ConfigError.of(
        `${claim}: the worker that made this file did not go on; remove it and run the tests again`,
      )
  }
}

async function isCreated(file: string): Promise<boolean> {
  try {
    await writeFile(file, '', { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** @throws ConfigError that names the folder */
async function attempt(folder: string, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (cause) {
    throw ConfigError.of(`coverage: the folder ${folder} cannot be used (${messageOf(cause)})`, {
      cause,
    })
  }
}

/**
 * The id of a test run: the id of its process and, on Linux, the start time of this process.
 * `4242-180334`
 */
type TestRun = string

const RUN = /^(\d+)(?:-(\d+))?$/

/** The test run of this process: the run of its parent if this process is a worker. */
export function ownTestRun(): TestRun {
  const pid = isWorkerProcess() ? process.ppid : process.pid
  const start = startOf(pid)
  return start === undefined ? String(pid) : `${pid}-${start}`
}

/**
 * Whether this process is a worker. Vitest, Jest and Playwright fork workers, so these have an IPC
 * channel; `node --test` sets a variable.
 */
const isWorkerProcess = () =>
  isMainThread &&
  (process.send !== undefined || ownEnvironment()['NODE_TEST_CONTEXT'] !== undefined)

/** Whether the process of a run still exists, and is not a later process with the same id. */
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
 * The start time of a process, in clock ticks since boot (Linux only). The process id alone does
 * not suffice: in a container, each run may have the same process id.
 */
function startOf(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program, in brackets, may contain spaces and brackets.
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[START_FIELD]
  } catch {
    return undefined
  }
}

/** Index of `starttime` (proc_pid_stat(5)) among the fields after the program name. */
const START_FIELD = 19
