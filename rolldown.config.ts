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
 * Settings, and what each command reads of other rooms: a start would load these rooms otherwise.
 */
const SETTINGS = [
  'server/config/',
  'package-root',
  'sandbox/addresses/',
  'server/tls/certificate',
  'sandbox/files/private-folder',
  'service/text/visible',
  'service/text/shell-word',
  'sandbox/files/reports/',
  'server/client/sandbox-error',
  'tools/cli/terminal',
  'tools/cli/remote/filter-flags',
]

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
      // A start opens `settings`, `start` and `server`; a command that only reads settings opens
      // the first.
      groups: [
        {
          name: 'settings',
          test: (id) => SETTINGS.some((part) => id.replaceAll('\\', '/').includes(`/src/${part}`)),
        },
        // A start calls no other server, and neither runs nor audits an app.
        {
          name: 'remote',
          test: /src[\\/]server[\\/]client[\\/]exchange/,
          includeDependenciesRecursively: false,
        },
        {
          name: 'start',
          // A start watches its files, so it looks at them and at the folders of personas.
          test: /src[\\/](tools[\\/]cli[\\/]start[\\/](start|report|until|watch)|sandbox[\\/]files[\\/]file-states|sandbox[\\/]personas[\\/]persona-folder)/,
          includeDependenciesRecursively: false,
        },
        {
          name: 'server',
          test: /^(?!.*(?:src[\\/](?:tools|audit)[\\/]|src[\\/](?:audit|vitest|playwright)\.ts|commander|parse5|entities|tough-cookie|tldts))/,
          tags: ['$initial'],
        },
        // Parts that are loaded later. What several of them share would else be a file for each set
        // of sharers.
        {
          name: 'commands',
          test: /src[\\/]tools[\\/]/,
          minShareCount: 2,
          includeDependenciesRecursively: false,
        },
        {
          name: 'audit',
          test: /src[\\/]audit[\\/]/,
          minShareCount: 2,
          includeDependenciesRecursively: false,
        },
        {
          name: 'pages',
          test: /src[\\/]/,
          minShareCount: 2,
          includeDependenciesRecursively: false,
        },
      ],
    },
  },
})
