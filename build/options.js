import { withoutUnusedParts } from './without-unused-parts.js'

// Express and commander are CommonJS: what esbuild keeps of their `require` calls needs a `require`.
const BANNER = `import { createRequire as createRequireOfBundle } from 'node:module'
const require = createRequireOfBundle(import.meta.url)`

/** How esbuild bundles the modules of the project at `root`: readable stack traces, no dependency left. */
export const bundleOptions = (root) => ({
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  banner: { js: BANNER },
  plugins: [withoutUnusedParts],
  logLevel: 'warning',
})
