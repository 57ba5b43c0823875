import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the package in a folder of its own: a test run must neither need `dist/` nor disturb it. */
export function buildPackage(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const asset of [
    'docs',
    'skills',
    'personas',
    'public',
    'package.json',
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
  ])
    symlinkSync(join(root, asset), join(folder, asset))
  cpSync(buildOnce(inject('builtFolder')), join(folder, 'dist'), { recursive: true })
}

/** Builds `dist/` for all files of a run. @returns where it is */
function buildOnce(builtFolder: string): string {
  const built = join(builtFolder, 'dist')
  if (existsSync(built)) return built
  const rolldown = join(root, 'node_modules/rolldown/bin/cli.mjs')
  const own = join(builtFolder, `dist-${process.pid}`)
  execFileSync(process.execPath, [rolldown, '-c', 'rolldown.config.ts', '--dir', own], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    renameSync(own, built)
  } catch (error) {
    // Another file of tests has built it meanwhile.
    if (!existsSync(built)) throw error
  }
  return built
}
