import type { AuditChoices } from './audit/choices.ts'
import type { VisitFunction } from './audit/drive/visited-by.ts'
import { type RegisterTest, registerTests } from './audit/kit/audit-tests.ts'
import type { SandboxApi } from './server/client/sandbox-api.ts'
import { openTestSandbox, type TestSandboxOptions, testFileOf } from './tools/kits/test-sandbox.ts'

export type { TestSandboxOptions }

/** Hooks of a test runner, such as Vitest, Jest or node:test. */
export interface TestHooks {
  afterEach(run: () => Promise<void>): unknown
  afterAll(run: () => Promise<void>): unknown
}

/** The options of `createSandbox`, or the `url` of a running sandbox. */
export type SetupOptions = TestSandboxOptions & {
  /** Default: the hooks of Vitest. */
  readonly hooks?: TestHooks
}

/**
 * Starts a sandbox for one test file. It is reset after each test and closed after the last test.
 * With `url` the sandbox that runs there is used, and with `ownTenant` a new tenant of that
 * sandbox, which no other test file uses. A reset restores personas, expectations, clock, journal,
 * codes and tokens, but not the settings that `configure` changed. With `coverage` a file below
 * `.agekey-coverage` is written at the end, which `agekey-sandbox coverage` reads.
 * @example
 * ```ts
 * const sandbox = await setupSandbox()
 * test('a teen is refused', async () => {
 *   await sandbox.next({ persona: 'teen-16' })
 * })
 * ```
 */
export async function setupSandbox({ hooks, ...options }: SetupOptions = {}): Promise<SandboxApi> {
  const { afterEach, afterAll } = hooks ?? (await import('vitest'))
  const { api, close } = await openTestSandbox(options, hooks === undefined ? 'vitest' : 'tests')
  let testFile: string | undefined
  // The hook declares no parameters: Jest would wait for a callback, and Vitest would look for
  // fixtures.
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
  /** Default: the `test` function of Vitest. */
  readonly test?: RegisterTest
}

/**
 * Registers one test for each row of the catalogue. `visit` drives one flow of the app and says
 * whether the app let the user in. The first tests check that the app lets an adult in, and refuses
 * a minor and a user who declines. Tests with unusual right answers follow, then tests with wrong
 * answers. Without `only`, rows of level `must` (or of `failOn`) become tests. The caller must
 * await the result, as for `setupSandbox`.
 * @example
 * ```ts
 * const sandbox = await setupSandbox()
 * await auditTests(
 *   sandbox,
 *   async ({ open }) => (await open('http://localhost:3000/verify')).status === 200,
 * )
 * ```
 * @throws ConfigError with one line for invalid options
 */
export async function auditTests(
  sandbox: SandboxApi,
  visit: VisitFunction,
  { test, ...choices }: AuditTestsOptions = {},
): Promise<void> {
  registerTests({ sandbox, visit, test: test ?? (await import('vitest')).test }, choices)
}
