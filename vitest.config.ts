import { defineConfig } from 'vitest/config'

/** The rooms that decide what a client is told. */
const CORE = { lines: 95, branches: 95 }

/** They take minutes and build what they test: `npm run test:package`, `npm run test:image`. */
const BUILDING = ['test/package/**', 'test/image/**']

/** Each takes minutes: begun last, it would run alone at the end while the other cores wait. */
const AUDITS = ['test/audit/audit.*.test.ts', 'test/clients/audits/**/*.test.ts', 'test/cli/audit/audit.test.ts']

/** They change nothing that outlives a test: neither the process, its environment and clock, nor the state of a module. */
export const SHARING = [
  ...['age', 'oidc', 'sandbox', 'rules', 'outcomes', 'config'],
  ...['http', 'hosted', 'backchannel', 'control', 'console', 'demo', 'documents', 'mcp', 'client'],
  ...['agent', 'drive', 'judge', 'learn', 'plan'].map((folder) => `audit/${folder}`),
].map((folder) => `test/${folder}/**/*.test.ts`)

export default defineConfig({
  test: {
    // In the order of their names.
    projects: [
      { extends: true, test: { name: 'audits', include: AUDITS } },
      {
        extends: true,
        test: {
          name: 'each by itself',
          include: ['test/**/*.test.ts'],
          exclude: [...BUILDING, ...AUDITS, ...SHARING],
        },
      },
      // These files share a process, which loads the sources once.
      { extends: true, test: { name: 'sharing', include: SHARING, isolate: false } },
    ],
    // As many as there are cores: by default one core is left for the runner, which on two of them is half of all.
    maxWorkers: '100%',
    globalSetup: 'test/support/built-folder.ts',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // openapi-typescript reads its types by the API of TypeScript, which version 7 does not have.
    alias: { typescript: '@typescript/typescript6' },
    server: { deps: { inline: ['openapi-typescript'] } },
    coverage: {
      provider: 'v8',
      // Counting slows every test down, so `npm test` counts in these rooms, and only while "sharing" runs.
      include: ['src/age/**/*.ts', 'src/oidc/**/*.ts'],
      reporter: [['text', { skipFull: true }], 'json-summary'],
      thresholds: { 'src/age/**/*.ts': CORE, 'src/oidc/**/*.ts': CORE },
    },
  },
})
