import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach } from 'vitest'
import { buildPackage } from '../support/built-package.ts'

/** A finished run. */
export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Commands of a shell that come first: limits of the process. */
  readonly before?: string
}

/** Builds the command line for the tests of a file. */
export async function buildCli() {
  const packageFolder = mkdtempSync(join(tmpdir(), 'agekey-cli-'))
  await buildPackage(packageFolder)
  const running = new Set<ChildProcessWithoutNullStreams>()
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL')
    running.clear()
  })
  afterAll(() => rmSync(packageFolder, { recursive: true }))

  const spawnCli = (args: readonly string[], { cwd = packageFolder, env = {}, before = ':' }: RunOptions = {}) => {
    const command = [process.execPath, join(packageFolder, 'dist/bin.js'), ...args]
    const child = spawn('sh', ['-c', `${before}; exec "$0" "$@"`, ...command], {
      cwd,
      env: { PATH: process.env['PATH'], ...env },
    })
    running.add(child)
    return child
  }
  const launch = (args: readonly string[], options?: RunOptions) => {
    const child = spawnCli(args, options)
    return { child, ended: resultOf(child) }
  }
  return {
    packageFolder,
    launch,
    /** Runs a command to its end. */
    run: (args: readonly string[], options?: RunOptions): Promise<Run> => launch(args, options).ended,
    /** Starts a server and waits until it has written something to stdout. */
    async start(args: readonly string[], options?: RunOptions) {
      const { child, ended } = launch(args, options)
      const first = new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))))
      const output = await Promise.race([first, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))])
      return { child, output, ended }
    },
  }
}

function resultOf(child: ChildProcessWithoutNullStreams): Promise<Run> {
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text) => {
    stdout += text
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
}
