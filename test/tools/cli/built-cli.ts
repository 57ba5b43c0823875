import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, afterEach } from 'vitest'
import { folderWith } from '../../support/folder-with.ts'
import { KEY_FILE } from '../../support/keys.ts'
import { packageOfRun } from '../../support/run.ts'

/** The objects of a text with one JSON object per line. */
export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((it) => JSON.parse(it))

/** The environment of a start whose keys exist already. */
export const WITH_KEYS = { AGEKEY_SANDBOX_KEYS: KEY_FILE }

/** A finished run. */
export type Run = Readonly<{ code: number | null; stdout: string; stderr: string }>

/**
 * How a command runs: in an empty folder of the test file, and behind shell commands, such as
 * limits of the process.
 */
export type RunOptions = Readonly<{
  cwd?: string
  env?: Readonly<Record<string, string>>
  before?: string
}>

/**
 * The built command line for the tests of a file. Running processes are killed at the `end` of each
 * test, or of all.
 */
export async function buildCli(end: typeof afterEach | typeof afterAll = afterEach) {
  const packageFolder = await packageOfRun()
  const ownFolder = folderWith({}, afterAll)
  const running = new Set<ChildProcessWithoutNullStreams>()
  end(() => {
    for (const child of running) child.kill('SIGKILL')
    running.clear()
  })

  const launch = (
    args: readonly string[],
    { cwd = ownFolder, env = {}, before = ':' }: RunOptions = {},
  ) => {
    const command = [process.execPath, join(packageFolder, 'dist/bin.js'), ...args]
    const child = spawn('sh', ['-c', `${before}; exec "$0" "$@"`, ...command], {
      cwd,
      env: { PATH: process.env['PATH'], ...env },
    })
    running.add(child)
    const printed = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (text) => {
        printed[name] += text
      })
    const ended = new Promise<Run>((resolve) =>
      child.on('close', (code) => resolve({ code, ...printed })),
    )
    return { child, printed, ended }
  }
  return {
    packageFolder,
    /** Starts a command; `printed` grows while it runs. */
    launch,
    run: (args: readonly string[], options?: RunOptions): Promise<Run> =>
      launch(args, options).ended,
    /** Starts a server and waits until it has written something to stdout. */
    async start(args: readonly string[], options?: RunOptions) {
      const { child, printed, ended } = launch(args, options)
      const first = new Promise<string>((resolve) =>
        child.stdout.once('data', (text) => resolve(String(text))),
      )
      const output = await Promise.race([
        first,
        ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
      ])
      return { child, output, printed, ended }
    },
  }
}
