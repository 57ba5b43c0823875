import { join } from 'node:path'
import { en } from '@faker-js/faker'
import { defineConfig, type Plugin } from 'rolldown'
import { bundledPackages } from './build/bundled-packages.ts'
import { readPersonas } from './src/sandbox/personas/persona-files.ts'

/**
 * Writes the built-in personas beside the bundle, parsed and checked: a start then reads no YAML
 * (docs/maintainers/performance.md).
 */
const parsedPersonas: Plugin = {
  name: 'parsed-personas',
  generateBundle() {
    this.emitFile({
      type: 'asset',
      fileName: 'personas.json',
      source: JSON.stringify(readPersonas(['personas'])),
    })
  },
}

/**
 * Personas take names from faker, and nothing else of its locale, which is a tenth of the package.
 */
const namesOfFaker: Plugin = {
  name: 'names-of-faker',
  resolveId: (id) => (id === '@faker-js/faker/locale/en' ? `\0${id}` : undefined),
  load(id) {
    if (id !== '\0@faker-js/faker/locale/en') return undefined
    const { first_name, last_name, last_name_pattern } = en.person ?? {}
    const locale = JSON.stringify({
      metadata: en.metadata,
      person: { first_name, last_name, last_name_pattern },
    })
    return `import { Faker } from '@faker-js/faker'\nexport const faker = new Faker({ locale: ${locale} })`
  },
}

/**
 * Takes modules of Node by `process.getBuiltinModule`. An `import` reads every export of a module,
 * and one export of `node:http` loads the client of `fetch`.
 */
const nodeModules: Plugin = {
  name: 'node-modules',
  renderChunk: (code) =>
    code.replaceAll(
      /^import (?:\* as )?(\{.*\}|\w+) from "(node:[\w/]+)";$/gm,
      (_, names: string, module: string) =>
        `const ${names.replaceAll(' as ', ': ')} = globalThis.process.getBuiltinModule("${module}");`,
    ),
}

/**
 * What a process loads as a whole, in this order: each module goes with all of its static imports
 * into the first chunk that reaches it. A command opens `settings` and `cli`; a start also opens
 * `server` and `start`; an import of the package opens `settings`, `server` and `library`.
 */
const LOADED_TOGETHER = {
  settings: /src[\\/]server[\\/]config[\\/]/,
  cli: /src[\\/]tools[\\/]cli[\\/]program\.ts$/,
  server: /src[\\/]server[\\/]create-sandbox\.ts$/,
  start: /src[\\/]tools[\\/]cli[\\/]start[\\/]start\.ts$/,
  library: /src[\\/]index\.ts$/,
}

/**
 * What is loaded on demand. A module that several parts share would otherwise be in a file for each
 * set of sharers.
 */
const SHARED_ON_DEMAND = {
  commands: /src[\\/]tools[\\/]/,
  audit: /src[\\/]audit[\\/]/,
  pages: /src[\\/]/,
}

/** Bundles the command line and the library with all dependencies. */
export default defineConfig({
  input: {
    bin: 'src/tools/cli/main.ts',
    index: 'src/index.ts',
    audit: 'src/audit.ts',
    playwright: 'src/playwright.ts',
    vitest: 'src/vitest.ts',
  },
  platform: 'node',
  logLevel: 'warn',
  external: ['vitest', 'playwright-core'],
  preserveEntrySignatures: 'allow-extension',
  resolve: {
    alias: {
      // What dependencies of Express read at the start and this server never uses;
      // docs/maintainers/performance.md says what each costs: the table of all media types, and the
      // decoders of bodies and queries, which are read as bytes here.
      'mime-db': join(import.meta.dirname, 'build/media-types.json'),
      'iconv-lite': false,
      qs: false,
      // The SDK of MCP would check answers of its clients by the first two; this server asks them
      // nothing. The third is for schemas of zod 3.
      ajv: false,
      'ajv-formats': false,
      'zod-to-json-schema': false,
    },
  },
  plugins: [parsedPersonas, namesOfFaker, nodeModules, bundledPackages],
  output: {
    dir: 'dist',
    cleanDir: true,
    chunkFileNames: 'chunk-[hash].js',
    // Node prints the name of its class with an error.
    minify: {
      compress: true,
      mangle: { keepNames: { class: true, function: false } },
      codegen: true,
    },
    codeSplitting: {
      groups: [
        ...Object.entries(LOADED_TOGETHER).map(([name, test]) => ({ name, test })),
        ...Object.entries(SHARED_ON_DEMAND).map(([name, test]) => ({
          name,
          test,
          minShareCount: 2,
          includeDependenciesRecursively: false,
        })),
      ],
    },
  },
})
