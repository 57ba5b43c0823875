import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildPackage } from './built-package.ts'
import { folderWith } from './folder-with.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A project with Playwright and the built package. Outside the repository: Playwright compiles no TypeScript below `node_modules`. */
export async function makePlaywrightProject(files: Readonly<Record<string, string>>) {
  // The caller removes the folder: some make it outside of a test.
  const folder = folderWith({ 'package.json': { type: 'module' }, ...files }, () => {})
  const installed = join(folder, 'node_modules')
  for (const name of ['@playwright/test', 'playwright', 'playwright-core']) {
    mkdirSync(dirname(join(installed, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(installed, name))
  }
  await buildPackage(join(installed, 'agekey-sandbox'))
  const program = join(ROOT, 'node_modules/@playwright/test/cli.js')
  return {
    folder,
    /** Runs its tests. @returns what the reporter `json` writes, also when some fail */
    async run(variables: Readonly<Record<string, string>>, ...args: string[]): Promise<unknown> {
      const env = { ...process.env, NODE_OPTIONS: '', ...variables }
      const run = promisify(execFile)(process.execPath, [program, 'test', ...args], { cwd: folder, env })
      const { stdout } = await run.catch((failed) => failed)
      return JSON.parse(stdout)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
