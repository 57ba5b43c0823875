import { dirname, resolve } from 'node:path'
import { build, type Plugin } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import getExePath from '../node_modules/typescript/lib/getExePath.js'
import { writeShapes } from './shapes.ts'

/** The modules whose types are inferred from schemas. */
const INFERRED = [
  'src/server/client/shapes.ts',
  'src/audit/choices.ts',
  'src/audit/report/published-report.ts',
].map((file) => resolve(file))

/** The declarations that replace these modules: their types written out. No such file exists. */
const SHAPES = resolve('src/shapes.d.ts')

/** Replaces inferred types by interfaces, so that the published types name no type of zod. */
const shapes: Plugin = {
  name: 'shapes',
  resolveId: {
    // Before the resolver of the plugin for declarations.
    order: 'pre',
    handler: (id, importer = '') =>
      INFERRED.includes(resolve(dirname(importer), id)) ? SHAPES : undefined,
  },
  load: (id) => (id === SHAPES ? writeShapes() : undefined),
}

/** Puts a space between a comment and the member that it describes. */
const spaceAfterComments: Plugin = {
  name: 'space-after-comments',
  renderChunk: {
    order: 'post',
    handler: (code) => code.replaceAll(/\*\/(?=\w)/g, '*/ '),
  },
}

/*
 * Writes the declarations of what can be imported. What is published uses no type of another
 * package: a project that checks types against it installs nothing more.
 */
await build({
  input: {
    index: 'src/index.ts',
    audit: 'src/audit.ts',
    playwright: 'src/playwright.ts',
    vitest: 'src/vitest.ts',
  },
  platform: 'node',
  logLevel: 'warn',
  checks: { pluginTimings: false },
  preserveEntrySignatures: 'allow-extension',
  external: [/^node:/, /^express/, 'jose', 'zod'],
  plugins: [shapes, dts({ emitDtsOnly: true, tsgo: { path: getExePath() } }), spaceAfterComments],
  output: {
    dir: 'dist',
    chunkFileNames: '[name]-[hash].d.ts',
    codeSplitting: {
      groups: [{ name: 'shapes', test: SHAPES, includeDependenciesRecursively: false }],
    },
  },
})
