import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A fresh project that has installed the packed package and nothing else. */
export interface InstalledPackage {
  readonly folder: string
  /** Writes a file of the project; the path is relative to it. */
  write(path: string, text: string): void
  /** Runs a program in the project and resolves to its output. @throws Error with the output when it fails */
  run(command: string, ...args: string[]): string
  /** Lends a development dependency of this repository, such as a test runner. */
  lend(...packages: string[]): void
}

/** Packs the package, built by `npm run test:package`, and installs the tarball without a registry. */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-package-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const run = (command: string, args: readonly string[], cwd: string) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${status}\n${stdout}\n${stderr}`)
    return stdout
  }
  const [packed] = JSON.parse(
    run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], root),
  ) as {
    filename: string
  }[]
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'fresh', private: true }))
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed?.filename}`], folder)
  return {
    folder,
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    },
    run: (command, ...args) => run(command, args, folder),
    lend(...packages) {
      for (const name of packages) {
        const place = join(folder, 'node_modules', name)
        mkdirSync(dirname(place), { recursive: true })
        symlinkSync(join(root, 'node_modules', name), place)
      }
    },
  }
}
