import { dts } from 'rollup-plugin-dts'

/**
 * Writes the declarations of what can be imported. What is published uses no type of another package: a project that checks
 * types against it installs nothing more. rolldown has no plugin for this that runs on Node 20.
 */
export default {
  input: { index: 'src/index.ts', audit: 'src/audit.ts', playwright: 'src/playwright.ts', vitest: 'src/vitest.ts' },
  external: [/^node:/, /^express/, 'jose', 'zod'],
  plugins: [dts()],
  output: { dir: 'dist', chunkFileNames: 'types-[hash].d.ts' },
}
