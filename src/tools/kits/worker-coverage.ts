import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'
import { MAX_TEST_NAME } from '../../sandbox/coverage/counters.ts'
import { codeOf, messageOf } from '../../sandbox/files/caught.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { replaceFile } from '../../sandbox/files/private-file.ts'
import { preparePrivateFolder } from '../../sandbox/files/private-folder.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import { ownEnvironment } from '../../server/config/load-settings.ts'

/** Below the working folder. */
export const COVERAGE_FOLDER = '.agekey-coverage'

interface CoveragePlace {
  readonly folder: string
  /** The test runner. Each has its own folder, so that it removes no files of another. */
  readonly runner: string
  /** The base URL of a sandbox that other workers use too. */
  readonly sharedUrl: string | undefined
}

/**
 * Begins the coverage of one worker. Once in a run, files of earlier runs of the same runner are
 * removed, and the counters of a sandbox that runs already are cleared.
 * @returns `write` writes the whole file of a worker or nothing; in watch mode it replaces the file
 * of the run before
 * @throws ConfigError with one line, when the folder cannot be used
 */
export async function startCoverage(
  api: SandboxApi,
  place: CoveragePlace,
): Promise<{ write(worker: string | undefined): Promise<void> }> {
  const folder = join(place.folder, place.runner)
  const run = ownTestRun()
  const fileOf = (name: string) => join(folder, `${run}.${name}`)
  await attempt(folder, async () => {
    await preparePrivateFolder(place.folder)
    await mkdir(folder, { recursive: true })
    await removeOldRuns(folder)
  })
  if (place.sharedUrl === undefined) {
    const index = openSandboxes++
    return {
      async write(worker) {
        openSandboxes--
        const name = worker === undefined ? randomUUID() : `${hashOf(worker)}-${index}`
        const coverage = await api.coverage.get()
        await attempt(folder, () => writeCoverage(fileOf(`${name}.json`), coverage))
      },
    }
  }
  const shared = `shared-${hashOf(place.sharedUrl)}`
  await onceInRun(fileOf(`${shared}.emptied`), () => api.coverage.clear())
  return { write: () => writeShared(api, fileOf(`${shared}.json`), folder) }
}

/** Lists coming deliveries under the test that begins. */
export const beginTest = (api: SandboxApi, name: string | undefined): Promise<void> =>
  api.coverage.name(name?.slice(0, MAX_TEST_NAME) || undefined)

/** Open sandboxes of this worker: a test file may have several. */
let openSandboxes = 0

/** A short name that is valid for a file. */
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

const writeCoverage = (file: string, coverage: unknown) =>
  replaceFile(file, `${JSON.stringify(coverage, undefined, 2)}\n`, { mode: 0o600 })

/**
 * Workers that share a sandbox write all its counts into the same file, so that nothing counts
 * twice. A worker may replace a newer file by older counts, so it asks again until the counts have
 * stopped changing.
 */
async function writeShared(api: SandboxApi, file: string, folder: string): Promise<void> {
  let written: string | undefined
  for (
    let next = await api.coverage.get();
    JSON.stringify(next) !== written;
    next = await api.coverage.get()
  ) {
    const coverage = next
    await attempt(folder, () => writeCoverage(file, coverage))
    written = JSON.stringify(coverage)
  }
}

/** `4242-180334.shared-1f….json` belongs to run `4242-180334`; other files stay. */
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
 * One worker of a run acts while the others wait. If it fails it throws, and the next worker tries.
 */
async function onceInRun(marker: string, act: () => Promise<void>): Promise<void> {
  const claim = `${marker}.claim`
  const actOnce = async () => {
    // The claim may be free because another worker has acted.
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
 * The id of a test run: its process id and, where the system tells, the start of that process.
 * `4242-180334`
 */
type TestRun = string

const RUN = /^(\d+)(?:-(\d+))?$/

/** The run of which this process is a worker, or which it runs itself. */
export function ownTestRun(): TestRun {
  const pid = isWorkerProcess() ? process.ppid : process.pid
  const start = startOf(pid)
  return start === undefined ? String(pid) : `${pid}-${start}`
}

/**
 * Vitest, Jest and Playwright fork their workers, which have a channel to the runner then; `node
 * --test` sets a variable.
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
 * When a process began; only Linux tells. In a container each run may have the process id of the
 * run before.
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

/** `starttime` of proc_pid_stat(5), counted from the field behind the name. */
const START_FIELD = 19
