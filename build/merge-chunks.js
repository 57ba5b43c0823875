import { resolve } from 'node:path'
import { rollup } from 'rollup'

/**
 * Writes what esbuild has bundled anew, with fewer files. esbuild makes a chunk for each set of entries that share
 * something, so that a start would open fifty; each file costs it as much as ten kilobytes of code.
 *
 * @param options.metafile what esbuild says of its output, with paths relative to `root`
 * @param options.entries names of the files in `from` that others run or import; they keep their names
 * @param options.chunks sources by the name of a chunk: each takes what all its sources need and no one before it has taken
 */
export async function mergeChunks({ metafile, root, from, outdir, entries, chunks, external }) {
  const input = Object.fromEntries(entries.map((name) => [name, resolve(from, `${name}.js`)]))
  const outputs = readOutputs(metafile, root)
  const chunkOf = assignChunks(chunks, outputs, { apart: Object.values(input) })
  const merged = await rollup({
    input,
    external: [/^node:/, ...external],
    // What nobody uses is gone already.
    treeshake: false,
  })
  await merged.write({
    dir: outdir,
    format: 'es',
    compact: true,
    chunkFileNames: 'chunk-[hash].js',
    manualChunks: (path) => chunkOf.get(path),
  })
}

function readOutputs(metafile, root) {
  return new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint, imports }]) => {
      const needed = imports.filter(({ kind }) => kind === 'import-statement')
      return [resolve(root, path), { entryPoint, needs: needed.map((needs) => resolve(root, needs.path)) }]
    }),
  )
}

function assignChunks(chunks, outputs, { apart }) {
  const fileOf = (source) => [...outputs.keys()].find((path) => outputs.get(path).entryPoint === source)
  const chunkOf = new Map()
  for (const [name, sources] of Object.entries(chunks)) {
    const [first, ...others] = sources.map((source) => neededBy(fileOf(source), outputs))
    for (const path of first) {
      const isFree = !chunkOf.has(path) && !apart.includes(path)
      if (isFree && others.every((needed) => needed.has(path))) chunkOf.set(path, name)
    }
  }
  return chunkOf
}

/** A file and all that it imports, without what it imports dynamically. */
function neededBy(path, outputs, found = new Set()) {
  if (!outputs.has(path) || found.has(path)) return found
  found.add(path)
  for (const needed of outputs.get(path).needs) neededBy(needed, outputs, found)
  return found
}
