import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { licencesOf } from './licences.js'
import { mergeChunks } from './merge-chunks.js'
import { bundleOptions } from './options.js'

/** What is bundled, by the name in the output folder. */
const ENTRIES = {
  bin: 'src/cli/main.ts',
  index: 'src/index.ts',
  playwright: 'src/playwright.ts',
  vitest: 'src/vitest.ts',
}

/**
 * What one file holds each: what all the sources need. A start opens these files and no other, a command that only reads
 * settings the first two.
 */
const CHUNKS = {
  program: ['src/cli/program.ts'],
  settings: ['src/cli/healthcheck.ts', 'src/cli/start/start.ts'],
  server: ['src/cli/start/start.ts'],
}

/** The test runner of whoever calls us, and what the client of Redis would like to have. */
const EXTERNAL = ['vitest', '@node-rs/xxhash']

/**
 * Bundles the command line and the library, with all they import, into `outdir`. What is imported dynamically (a rarely
 * used command, the pages, the generator of names) becomes a chunk of its own, which costs a start nothing.
 * The files look for `public/` and `package.json` in the folder above `outdir`.
 */
export async function bundle({ root, outdir }) {
  const split = join(outdir, 'split')
  const { metafile } = await build({
    ...bundleOptions(root),
    entryPoints: ENTRIES,
    outdir: split,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    external: EXTERNAL,
    metafile: true,
  })
  const entries = Object.keys(ENTRIES)
  await mergeChunks({ metafile, root, from: split, outdir, entries, chunks: CHUNKS, external: EXTERNAL })
  rmSync(split, { recursive: true })
  chmodSync(join(outdir, 'bin.js'), 0o755)
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES.txt'), licencesOf(metafile, root))
}
