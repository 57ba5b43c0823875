import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { licencesOf } from './licences.js'
import { bundleOptions } from './options.js'

/** What is bundled, by the name in the output folder. */
const ENTRIES = { bin: 'src/cli.ts', index: 'src/index.ts', playwright: 'src/playwright.ts', vitest: 'src/vitest.ts' }

/**
 * Bundles the command line and the library, with all they import, into `outdir`. What is imported dynamically (a rarely
 * used command, the generator of names) becomes a chunk of its own, which costs a start nothing.
 * The files look for `public/` and `package.json` in the folder above `outdir`.
 */
export async function bundle({ root, outdir }) {
  const { metafile } = await build({
    ...bundleOptions(root),
    entryPoints: ENTRIES,
    outdir,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    // The test runner of whoever calls us.
    external: ['vitest'],
    metafile: true,
  })
  chmodSync(join(outdir, 'bin.js'), 0o755)
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES.txt'), licencesOf(metafile, root))
}
