import type { SandboxApi } from './client/sandbox-api.ts'
import { openTestSandbox, type TestSandboxOptions } from './server/test-sandbox.ts'

export type { TestSandboxOptions }

/** What a test runner calls around tests; those of Vitest, Jest and node:test fit. */
export interface TestHooks {
  afterEach(run: () => Promise<void>): unknown
  afterAll(run: () => Promise<void>): unknown
}

/** How a test file gets its sandbox: options of `createSandbox`, or the `url` of one that runs already. */
export type SetupOptions = TestSandboxOptions & {
  /** In place of those of Vitest. */
  readonly hooks?: TestHooks
}

/**
 * A sandbox for one test file: it starts here, is reset after each test and closed after the last one. With `url` it is a
 * tenant of a sandbox that runs already, which no other file sees.
 * ```ts
 * const sandbox = await setupSandbox()
 * test('a teen is refused', async () => {
 *   await sandbox.next({ persona: 'teen-16' })
 * })
 * ```
 * Personas, expectations, clock, journal, codes and tokens begin anew with each test; what `configure` changed stays.
 */
export async function setupSandbox({ hooks, ...options }: SetupOptions = {}): Promise<SandboxApi> {
  const { afterEach, afterAll } = hooks ?? (await import('vitest'))
  const { api, close } = await openTestSandbox(options)
  afterEach(() => api.reset())
  afterAll(close)
  return api
}
