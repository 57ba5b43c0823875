import { defineConfig } from 'vitest/config'

/** The rooms that decide what a client is told. */
const CORE = { lines: 95, branches: 95 }

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They take minutes and build what they test: `npm run test:package`, `npm run test:image`.
    exclude: ['test/package/**', 'test/image/**'],
    // As many as there are cores: by default one core is left for the runner, which on two of them is half of all.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // openapi-typescript reads its types by the API of TypeScript, which version 7 does not have.
    alias: { typescript: '@typescript/typescript6' },
    server: { deps: { inline: ['openapi-typescript'] } },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: [['text', { skipFull: true }], 'json-summary'],
      thresholds: { 'src/age/**/*.ts': CORE, 'src/oidc/**/*.ts': CORE },
    },
  },
})
