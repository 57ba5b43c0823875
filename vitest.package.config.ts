import { defineConfig } from 'vitest/config'

/** What takes minutes and builds what it tests: `npm run test:package`, `npm run test:image`. */
export default defineConfig({
  test: {
    include: ['test/{package,image}/**/*.test.ts'],
    globalSetup: 'test/support/built-folder.ts',
    testTimeout: 300_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
})
