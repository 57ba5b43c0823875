import { execFile } from 'node:child_process'
import { cpSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageOfRun } from './run.ts'

const run = promisify(execFile)

/**
 * Packs the package of this run into a folder, as npm publishes it, without its declarations.
 * @returns the file
 */
export async function packInto(folder: string): Promise<string> {
  const built = await packageOfRun()
  // npm packs no links.
  const copy = join(folder, 'to-pack')
  for (const name of readdirSync(built)) {
    cpSync(realpathSync(join(built, name)), join(copy, name), { recursive: true })
  }
  const flags = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse((await run('npm', flags, { cwd: copy })).stdout)
  return join(folder, filename)
}

/** Installs packages of the registry into a folder. */
export async function installInto(folder: string, ...packages: readonly string[]): Promise<void> {
  const quiet = ['--silent', '--no-audit', '--no-fund', '--prefer-offline']
  await run('npm', ['install', ...quiet, '--prefix', folder, ...packages])
}
