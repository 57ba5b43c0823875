import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from './options.js'

/** Writes the built-in personas as the bundle reads them: parsed and checked, so that no start does it again. */
export async function writePersonas({ root, outdir }) {
  const loader = join(outdir, 'read-personas.js')
  await build({ ...bundleOptions(root), entryPoints: ['src/sandbox/personas/persona-files.ts'], outfile: loader })
  const { readPersonas } = await import(pathToFileURL(loader).href)
  writeFileSync(join(outdir, 'personas.json'), JSON.stringify(readPersonas([join(root, 'personas')])))
  rmSync(loader)
}
