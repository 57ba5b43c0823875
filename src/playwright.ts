import type { AuditChoices } from './audit/choices.ts'
import type { VisitDetails } from './audit/drive/visited-by.ts'
import {
  auditTestsOf,
  checkChoices,
  createTestRun,
  testTimeoutMs,
} from './audit/kit/audit-tests.ts'
import { pathOf } from './sandbox/addresses/addresses.ts'
import {
  ACTING_COOKIE,
  actingValue,
  OUTCOME_COOKIE,
  PERSONA_COOKIE,
} from './sandbox/decision/sources.ts'
import { rowId } from './sandbox/outcomes/catalogue.ts'
import { describeFlow } from './server/client/describe-flow.ts'
import type { SandboxApi } from './server/client/sandbox-api.ts'
import type { KnownOutcome, KnownPersona } from './server/client/shapes.ts'
import { openTestSandbox, type TestSandboxOptions } from './tools/kits/test-sandbox.ts'

export type { TestSandboxOptions }

/** The sandbox of one Playwright test. */
export interface PlaywrightSandbox extends SandboxApi {
  /**
   * Makes the browser of this test act as a persona, without a choice page. With an outcome of Use
   * or Create, its flows end with that outcome until the next call of `as`.
   * @throws SandboxError for an unknown persona; an unknown outcome is answered by an error page
   */
  as(persona: KnownPersona, how?: { readonly outcome?: KnownOutcome | undefined }): Promise<void>
}

/** The fixtures of one test. */
export interface SandboxFixtures {
  readonly sandbox: PlaywrightSandbox
}

/** The fixtures of one worker process, whose tests use the sandbox one after the other. */
export interface SandboxWorkerFixtures {
  readonly workerSandbox: SandboxApi
}

/** The members of a browser context that the fixtures use. */
interface CookieJar {
  addCookies(cookies: { name: string; value: string; url: string }[]): Promise<void>
}

/** The members of Playwright's test info that the fixtures use. */
interface TestReport {
  readonly status?: string | undefined
  readonly expectedStatus: string
  attach(name: string, attachment: { body: string; contentType: string }): Promise<void>
}

type Use<Fixture> = (fixture: Fixture) => Promise<void>

/** The members of Playwright's worker info that the fixtures use. */
interface WorkerInfo {
  /** Counts from 0. Only concurrent workers have an index greater than 0. */
  readonly parallelIndex: number
  /** Unique in a run. */
  readonly workerIndex: number
}

/**
 * Creates fixtures for `base.extend`. After each test, `sandbox` is reset. If the test failed, its
 * flows are attached to the report: `agekey-flows.txt` explains what happened, and
 * `agekey-flows.json` has all details. Each worker starts its own sandbox; with `url` it uses the
 * sandbox that runs there (for example by `webServer`), and with `ownTenant` a new tenant of that
 * sandbox. With `coverage` each worker writes a file below `.agekey-coverage`, which
 * `agekey-sandbox coverage` reads.
 * @example
 * ```ts
 * export const test = base.extend<SandboxFixtures, SandboxWorkerFixtures>(sandboxFixtures())
 * test('an adult enters', async ({ page, sandbox }) => {
 *   await sandbox.as('adult-passport')
 * })
 * ```
 */
export function sandboxFixtures(options: TestSandboxOptions = {}) {
  const workerSandbox = async (
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from it
    {}: object,
    use: Use<SandboxApi>,
    { parallelIndex, workerIndex }: WorkerInfo,
  ) => {
    if (parallelIndex > 0) warnOfSharing(options)
    const { api, close } = await openTestSandbox(options, 'playwright')
    await use(api)
    await close(`worker ${workerIndex}`)
  }
  const sandbox = async (
    { workerSandbox: api, context }: SandboxWorkerFixtures & { context: CookieJar },
    use: Use<PlaywrightSandbox>,
    testInfo: TestReport,
  ) => {
    await use({ ...api, as: (persona, how) => actAs({ persona, ...how }, api, context) })
    if (testInfo.status !== testInfo.expectedStatus) await attachFlows(api, testInfo)
    await api.reset()
  }
  // Playwright does not accept a readonly tuple.
  const ofWorker: [typeof workerSandbox, { scope: 'worker' }] = [workerSandbox, { scope: 'worker' }]
  return { workerSandbox: ofWorker, sandbox }
}

/** Maximum number of flows in the report of one test. */
const MAX_ATTACHED = 20

/** Attaches the flows before the reset removes them from the journal. */
async function attachFlows({ flows }: SandboxApi, report: TestReport): Promise<void> {
  const newest = await flows.list({ audit: 'also', limit: MAX_ATTACHED })
  if (newest.length === 0) return
  const attached = await Promise.all(newest.reverse().map(({ id }) => flows.get(id)))
  const text = attached
    .map((flow) => [...describeFlow(flow).map((line) => line.text), ''].join('\n'))
    .join('\n')
  await report.attach('agekey-flows.txt', { body: text, contentType: 'text/plain' })
  const json = JSON.stringify(attached, undefined, 2)
  await report.attach('agekey-flows.json', { body: json, contentType: 'application/json' })
}

function warnOfSharing({ url, ownTenant }: TestSandboxOptions): void {
  if (url === undefined || ownTenant) return
  process.emitWarning(
    `several Playwright workers use the sandbox at ${url}, and each resets it after every test. ` +
      'Set workers: 1 in the Playwright config, or ownTenant: true for apps that take sandbox.baseUrl.',
    'AgekeySandboxWarning',
  )
}

async function actAs(
  { persona, outcome = '' }: { persona: string; outcome?: string | undefined },
  api: SandboxApi,
  context: CookieJar,
): Promise<void> {
  const { name } = await api.personas.get(persona)
  // Only the paths of the browser flows receive the cookies that decide.
  const url = `${api.baseUrl}/v1/oidc/`
  // A cookie with an empty value names no outcome.
  await context.addCookies([
    { name: PERSONA_COOKIE, value: name, url },
    { name: OUTCOME_COOKIE, value: outcome, url },
    {
      name: ACTING_COOKIE,
      value: encodeURIComponent(actingValue(pathOf(api.baseUrl), { persona: name, outcome })),
      url: `${api.baseUrl}/`,
    },
  ])
}

/** The details of a visit, and the page for it. */
export interface PageVisit<Page> extends VisitDetails {
  /**
   * A page in a fresh browser context. The row itself uses the page of the test; other visits of
   * the same test use another page.
   */
  readonly page: Page
  readonly sandbox: SandboxApi
}

/** The members of a page that an audit uses. */
interface VisitedPage {
  close(): Promise<void>
}

/** The fixtures of an audit test, and the members of a browser that an audit uses. */
interface AuditFixtures<Page> {
  readonly page: Page
  readonly browser: { newContext(): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }> }
  readonly sandbox: SandboxApi
}

type AuditBody<Page> = (
  fixtures: AuditFixtures<Page>,
  info: { setTimeout(milliseconds: number): void; skip(condition: boolean, reason: string): void },
) => Promise<void>

/**
 * The signatures of `test` that an audit uses. The compiler infers the type of a page from the
 * second signature.
 */
interface PageTest<Page> {
  (title: string, body: AuditBody<Page>): void
  (title: string, details: { tag?: string }, body: AuditBody<Page>): void
}

/**
 * Registers one test for each row of the catalogue. `visit` drives one flow of the app in a page,
 * and says whether the app let the user in. Without `only`, rows of level `must` (or of `failOn`)
 * become tests.
 * @example
 * ```ts
 * const test = base.extend<SandboxFixtures, SandboxWorkerFixtures>(sandboxFixtures())
 * auditTests(test, async ({ page }) => {
 *   await page.goto('/verify')
 *   return page.getByText('Welcome').isVisible()
 * })
 * ```
 * @param test extended by `sandboxFixtures`
 * @throws ConfigError with one line for invalid options
 */
export function auditTests<Page extends VisitedPage>(
  test: PageTest<Page>,
  visit: (details: PageVisit<Page>) => boolean | Promise<boolean>,
  choices: AuditChoices = {},
): void {
  checkChoices('auditTests', visit, choices)
  let run: ReturnType<typeof createTestRun> | undefined
  /** The fixtures of the running test, and the row that uses its page. */
  let current: (AuditFixtures<Page> & { row?: string | undefined }) | undefined

  async function visitInPage(details: VisitDetails): Promise<boolean> {
    if (!current) throw new Error('a visit is made in a test')
    const { browser, sandbox, row } = current
    const context = details.row === row ? undefined : await browser.newContext()
    const page = (await context?.newPage()) ?? current.page
    if (!context) delete current.row
    // Closing the page ends a visit that is still running. Otherwise this visit would use the
    // decisions of the next visit.
    details.signal.addEventListener('abort', () => void (context ?? page).close().catch(() => {}))
    try {
      return await visit({ ...details, page, sandbox })
    } finally {
      await context?.close()
    }
  }

  for (const one of auditTestsOf(choices)) {
    test(one.name, async ({ page, browser, sandbox }, info) => {
      info.setTimeout(testTimeoutMs(choices))
      current = { page, browser, sandbox, row: one.row && rowId(one.row) }
      run ??= createTestRun({ sandbox, visit: visitInPage }, choices)
      const reason = await run(one)
      if (reason !== undefined) info.skip(true, reason)
    })
  }
}
