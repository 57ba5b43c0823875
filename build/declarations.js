import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

/** What can be imported, by the name in the output folder. */
const ENTRIES = ['index', 'playwright', 'vitest']

/**
 * Writes the declarations of what can be imported, and nothing else: types of packages stand in them in full, so that
 * whoever checks types against them installs nothing more. `outdir` is in the project, where those types are found.
 */
export async function writeDeclarations({ root, outdir }) {
  const emitted = join(outdir, 'declarations')
  try {
    // By its path: what rollup-plugin-dts reads declarations with has a command of the same name.
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', emitted], {
      cwd: root,
      stdio: 'inherit',
    })
    const input = Object.fromEntries(ENTRIES.map((name) => [name, join(emitted, `${name}.d.ts`)]))
    const declarations = await rollup({
      input,
      external: [/^node:/, /^express/, 'jose'],
      plugins: [dts({ includeExternal: ['zod'] })],
    })
    await declarations.write({ dir: outdir, format: 'es', chunkFileNames: 'types-[hash].d.ts' })
  } finally {
    rmSync(emitted, { recursive: true, force: true })
  }
}
