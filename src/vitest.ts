import type { AuditChoices } from './audit/choices.ts'
import type { VisitFunction } from './audit/drive/visited-by.ts'
import { type RegisterTest, registerTests } from './audit/kit/audit-tests.ts'
import type { SandboxApi } from './server/client/sandbox-api.ts'
import { openTestSandbox, type TestSandboxOptions, testFileOf } from './tools/kits/test-sandbox.ts'

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
 * Starts a sandbox for one test file; it resets after each test and closes after the last one. With
 * `url` it drives the sandbox that runs there, and with `ownTenant` a new tenant of that one, which
 * no other file uses.
 * ```ts
 * const sandbox = await setupSandbox()
 * test('a teen is refused', async () => {
 *   await sandbox.next({ persona: 'teen-16' })
 * })
 * ```
 * A reset restores personas, expectations, clock, journal, codes and tokens; what `configure`
 * changed stays. With `coverage` a file below `.agekey-coverage` says in the end what the tests
 * have seen, for `agekey-sandbox coverage`.
 */
export async function setupSandbox({ hooks, ...options }: SetupOptions = {}): Promise<SandboxApi> {
  const { afterEach, afterAll } = hooks ?? (await import('vitest'))
  const { api, close } = await openTestSandbox(options, hooks === undefined ? 'vitest' : 'tests')
  let testFile: string | undefined
  // Without parameters: Jest would wait for a callback, and Vitest look for fixtures.
  afterEach(async function () {
    // biome-ignore lint/complexity/noArguments: the context of the test
    testFile = testFileOf(arguments[0])
    await api.reset()
  })
  afterAll(() => close(testFile))
  return api
}

/** Options of `auditTests`. */
export interface AuditTestsOptions extends AuditChoices {
  /** That of Vitest when absent. */
  readonly test?: RegisterTest
}

/**
 * Makes one test for each row of the catalogue, by a function that drives one flow of the app and
 * says whether it let the user in: first that an adult is, and a minor and a user who declines are
 * not, then the right answers that look unusual, then the wrong ones. Without `only` the rows of
 * level `must` become tests, or those of `failOn`.
 * ```ts
 * const sandbox = await setupSandbox()
 * await auditTests(sandbox, async ({ open }) => (await open('http://localhost:3000/verify')).status === 200)
 * ```
 * It has to be awaited, as `setupSandbox` is.
 * @throws ConfigError with one line for options that cannot be used
 */
export async function auditTests(
  sandbox: SandboxApi,
  visit: VisitFunction,
  { test, ...choices }: AuditTestsOptions = {},
): Promise<void> {
  registerTests({ sandbox, visit, test: test ?? (await import('vitest')).test }, choices)
}
