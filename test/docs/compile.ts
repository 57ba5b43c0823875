import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeScratchFolder } from './scratch-folder.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The errors of the compiler for modules that import the package by name; empty when there are none. */
export async function errorsIn(modules: readonly string[]): Promise<string> {
  const folder = makeScratchFolder()
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      // An example declares names that its reader uses later, and leaves out imports of a test runner with globals.
      noUnusedLocals: false,
      noUnusedParameters: false,
      types: ['node', 'vitest/globals'],
      paths: {
        'agekey-sandbox': [join(ROOT, 'src/index.ts')],
        'agekey-sandbox/*': [join(ROOT, 'src/*.ts')],
      },
    },
    include: ['*.mts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  for (const [index, text] of modules.entries()) writeFileSync(join(folder, `module-${index}.mts`), text)
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const run = promisify(execFile)(process.execPath, [tsc, '-p', folder], { cwd: folder })
  return run.then(
    () => '',
    (failure: { stdout: string }) => failure.stdout,
  )
}
