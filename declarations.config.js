import { dts } from 'rollup-plugin-dts'

/**
 * Writes the declarations of what can be imported. The types of packages that our types use are part of them: a project
 * that checks types against them installs nothing more. rolldown has no plugin for this that runs on Node 20.
 */
export default {
  input: { index: 'src/index.ts', playwright: 'src/playwright.ts', vitest: 'src/vitest.ts' },
  external: [/^node:/, /^express/, 'jose'],
  plugins: [dts({ includeExternal: ['zod'] })],
  output: { dir: 'dist', chunkFileNames: 'types-[hash].d.ts' },
}
