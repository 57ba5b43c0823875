import type { SandboxApi } from './client/sandbox-api.ts'
import { openTestSandbox, type TestSandboxOptions } from './server/test-sandbox.ts'

export type { TestSandboxOptions }

/** Hooks of a test runner; those of Vitest, Jest and node:test fit. */
export interface TestHooks {
  afterEach(run: () => Promise<void>): unknown
  afterAll(run: () => Promise<void>): unknown
}

/** The options of `createSandbox`, or the `url` of a sandbox that runs already. */
export type SetupOptions = TestSandboxOptions & {
  /** Those of Vitest when absent. */
  readonly hooks?: TestHooks
}

/**
 * Starts a sandbox for one test file; it resets after each test and closes after the last one. With `url` it drives the sandbox
 * that runs there, and with `ownTenant` a new tenant of that one, which no other file uses.
 * ```ts
 * const sandbox = await setupSandbox()
 * test('a teen is refused', async () => {
 *   await sandbox.next({ persona: 'teen-16' })
 * })
 * ```
 * A reset restores personas, expectations, clock, journal, codes and tokens; what `configure` changed stays.
 */
export async function setupSandbox({ hooks, ...options }: SetupOptions = {}): Promise<SandboxApi> {
  const { afterEach, afterAll } = hooks ?? (await import('vitest'))
  const { api, close } = await openTestSandbox(options)
  afterEach(() => api.reset())
  afterAll(close)
  return api
}
