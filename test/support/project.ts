import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { packageOfRun } from './run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Tools that a program looks for to see whether it runs inside of a test or a job. */
const NO_TEST = {
  VITEST: undefined,
  NODE_TEST_CONTEXT: undefined,
  NODE_OPTIONS: '',
  GITHUB_STEP_SUMMARY: undefined,
}

/**
 * `npx` of a project, without the second that npm takes to start. `test/package` runs the one of
 * npm.
 */
const NPX = '#!/bin/sh\nname=$1\nshift\nexec "$(dirname "$0")/$name" "$@"\n'

type Texts = Readonly<Record<string, string>>

/**
 * Makes a project outside the repository with the built package.
 * @param lent packages of the repository beside it
 */
export async function makeProject(...lent: readonly string[]) {
  const built = await packageOfRun()
  const folder = mkdtempSync(join(dirname(built), 'project-'))
  const installed = join(folder, 'node_modules')
  const commands = join(installed, '.bin')
  mkdirSync(commands, { recursive: true })
  cpSync(built, join(installed, 'agekey-sandbox'), { recursive: true, verbatimSymlinks: true })
  chmodSync(join(installed, 'agekey-sandbox/dist/bin.js'), 0o755)
  symlinkSync('../agekey-sandbox/dist/bin.js', join(commands, 'agekey-sandbox'))
  writeFileSync(join(commands, 'npx'), NPX, { mode: 0o755 })
  for (const name of lent) {
    mkdirSync(dirname(join(installed, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(installed, name))
  }
  const write = (files: Texts) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
  }
  /**
   * Runs a program in the project, which finds `npx` and `agekey-sandbox`, to its end: also when it
   * fails.
   */
  const run = async (program: string, args: readonly string[], given: Texts = {}) => {
    const env = { ...process.env, ...NO_TEST, PATH: `${commands}:${process.env['PATH']}`, ...given }
    const running = promisify(execFile)(program, args, { cwd: folder, env, maxBuffer: 1e8 })
    const { code = 0, stdout = '', stderr = '' } = await running.catch((failed) => failed)
    return { code, stdout, stderr }
  }
  write({ 'package.json': '{"type": "module"}' })
  /** Runs a command of a package that is lent. */
  const runNode = (...args: readonly string[]) => run(process.execPath, args)
  return { folder, write, run, runNode }
}

/** What Playwright needs: `makeProject(...PLAYWRIGHT)`. */
export const PLAYWRIGHT = ['@playwright/test', 'playwright', 'playwright-core']
export const PLAYWRIGHT_TEST = ['node_modules/@playwright/test/cli.js', 'test']
