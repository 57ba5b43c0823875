import { rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { writeShapes } from './shapes.ts'

/**
 * The modules whose types are inferred from schemas, and the file in which these types are written
 * out.
 */
const INFERRED = [
  'src/server/client/shapes.ts',
  'src/audit/choices.ts',
  'src/audit/report/published-report.ts',
].map((file) => resolve(file))
const SHAPES = resolve('dist/shapes.d.ts')

/*
 * Writes the declarations of what can be imported. What is published uses no type of another
 * package: a project that checks types against it installs nothing more. rolldown has no plugin for
 * this that runs on Node 20.
 */
writeFileSync(SHAPES, writeShapes())
const bundle = await rollup({
  input: {
    index: 'src/index.ts',
    audit: 'src/audit.ts',
    playwright: 'src/playwright.ts',
    vitest: 'src/vitest.ts',
  },
  external: [/^node:/, /^express/, 'jose', 'zod'],
  plugins: [{ name: 'shapes', resolveId }, dts()],
})
await bundle.write({ dir: 'dist', chunkFileNames: 'types-[hash].d.ts' })
rmSync(SHAPES)

function resolveId(id: string, importer = ''): string | undefined {
  return INFERRED.includes(resolve(dirname(importer), id)) ? SHAPES : undefined
}
