import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

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
  const rolldown = join(root, 'node_modules/rolldown/bin/cli.mjs')
  const args = ['-c', 'rolldown.config.ts', '--dir', join(folder, 'dist')]
  execFileSync(process.execPath, [rolldown, ...args], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
