import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { LeftOut } from './test/support/left-out.ts'

/** What decides without a server, a browser or a file: `npm run test:fast`. */
const DOMAIN = ['test/{service,sandbox}/**/*.test.ts', 'test/audit/{learn,trials}/**/*.test.ts']

/**
 * Tests that change something which outlives them: the environment, the working folder, a global.
 * Each file has its own process.
 */
const ALONE = ['test/**/*.alone.test.ts']

/**
 * What tests other people's code, the image, and the products of all broken apps with all rows:
 * `npm run test:others`.
 */
const OTHERS = ['test/**/*.others.test.ts']

/** What builds what it tests, and takes minutes. */
const BUILDING = ['test/package/**/*.test.ts']

/** The rooms that decide what a client is told. */
const CORE = { lines: 95, branches: 95 }

const project = (
  name: string,
  test: TestProjectInlineConfiguration['test'],
): TestProjectInlineConfiguration => ({
  test: {
    name,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // openapi-typescript reads its types by the API of TypeScript, which version 7 does not have.
    alias: { typescript: '@typescript/typescript6' },
    server: { deps: { inline: ['openapi-typescript'] } },
    ...test,
  },
})

/**
 * The files of a project share a process, which loads the sources once. The set-up file fails a
 * file that changes a global.
 */
const SHARING = { isolate: false, setupFiles: ['test/support/leaves-no-trace.ts'] }

export default defineConfig({
  test: {
    projects: [
      project('domain', { ...SHARING, include: DOMAIN, exclude: [...ALONE, ...OTHERS] }),
      project('product', {
        ...SHARING,
        include: ['test/**/*.test.ts'],
        exclude: [...DOMAIN, ...ALONE, ...OTHERS, ...BUILDING],
      }),
      project('alone', { include: ALONE, exclude: OTHERS }),
      project('others', { include: OTHERS, testTimeout: 120_000 }),
      project('building', {
        include: BUILDING,
        exclude: OTHERS,
        testTimeout: 300_000,
        hookTimeout: 900_000,
        fileParallelism: false,
      }),
    ],
    // More than there are cores, because many a test waits for a page or another process. On two
    // cores three take a tenth less time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    globalSetup: 'test/support/run.setup.ts',
    reporters: ['default', new LeftOut()],
    coverage: {
      provider: 'v8',
      // Counting slows every test down, so only the tests of the domain count, and only in these
      // rooms.
      include: ['src/service/age/**/*.ts', 'src/service/oidc/**/*.ts'],
      reporter: [['text', { skipFull: true }], 'json-summary'],
      thresholds: { 'src/service/age/**/*.ts': CORE, 'src/service/oidc/**/*.ts': CORE },
    },
  },
})
