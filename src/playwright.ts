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
   * Makes this test's browser act as a persona, without a choice page. With an outcome of Use or
   * Create its flows end in that way, until the next call.
   * @throws SandboxError for an unknown persona; an unknown outcome is answered by an error page
   */
  as(persona: KnownPersona, how?: { readonly outcome?: KnownOutcome | undefined }): Promise<void>
}

/** Fixtures of one test. */
export interface SandboxFixtures {
  readonly sandbox: PlaywrightSandbox
}

/** Fixtures of one worker process, whose tests use the sandbox one after the other. */
export interface SandboxWorkerFixtures {
  readonly workerSandbox: SandboxApi
}

/** The members of a browser context that are used here. */
interface CookieJar {
  addCookies(cookies: { name: string; value: string; url: string }[]): Promise<void>
}

/** The members of Playwright's test info that are used here. */
interface TestReport {
  readonly status?: string | undefined
  readonly expectedStatus: string
  attach(name: string, attachment: { body: string; contentType: string }): Promise<void>
}

type Use<Fixture> = (fixture: Fixture) => Promise<void>

/** The members of Playwright's worker info that are used here. */
interface WorkerInfo {
  /** Counts from 0; only concurrent workers have a greater index. */
  readonly parallelIndex: number
  /** Unique in a run. */
  readonly workerIndex: number
}

/**
 * Creates fixtures for `base.extend`. `sandbox` resets after each test, and attaches the flows of
 * one that failed to its report: `agekey-flows.txt` with what happened and why, and all of it as
 * `agekey-flows.json`. Each worker starts a sandbox of its own; with `url` it drives the one that
 * runs there, for example by `webServer`, and with `ownTenant` a new tenant of that one. With
 * `coverage` each worker leaves a file below `.agekey-coverage`, which says what the tests have
 * seen, for `agekey-sandbox coverage`.
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

/** Flows of one test in a report. */
const MAX_ATTACHED = 20

/** The reset that follows removes the flows from the journal. */
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
  // No path but that of the browser flows gets the cookies that decide.
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

/** The details of a visit, and the page in which to make it. */
export interface PageVisit<Page> extends VisitDetails {
  /**
   * A page in a fresh browser context: that of the test for the row itself, another for what is
   * compared with it.
   */
  readonly page: Page
  readonly sandbox: SandboxApi
}

/** The members of a page that are used here. */
interface VisitedPage {
  close(): Promise<void>
}

/** The fixtures of a test of an audit, with the members of a browser that are used here. */
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
 * The signatures of `test` that are used here; the compiler reads the type of a page from the
 * second.
 */
interface PageTest<Page> {
  (title: string, body: AuditBody<Page>): void
  (title: string, details: { tag?: string }, body: AuditBody<Page>): void
}

/**
 * Makes one test for each row of the catalogue, by a function that drives one flow of the app in a
 * page and says whether it let the user in. Without `only` the rows of level `must` become tests,
 * or those of `failOn`.
 * ```ts
 * const test = base.extend<SandboxFixtures, SandboxWorkerFixtures>(sandboxFixtures())
 * auditTests(test, async ({ page }) => {
 *   await page.goto('/verify')
 *   return page.getByText('Welcome').isVisible()
 * })
 * ```
 * @param test extended by `sandboxFixtures`
 * @throws ConfigError with one line for options that cannot be used
 */
export function auditTests<Page extends VisitedPage>(
  test: PageTest<Page>,
  visit: (details: PageVisit<Page>) => boolean | Promise<boolean>,
  choices: AuditChoices = {},
): void {
  checkChoices('auditTests', visit, choices)
  let run: ReturnType<typeof createTestRun> | undefined
  /** The fixtures of the running test, and the row for which its page is reserved. */
  let current: (AuditFixtures<Page> & { row?: string | undefined }) | undefined

  async function visitInPage(details: VisitDetails): Promise<boolean> {
    if (!current) throw new Error('a visit is made in a test')
    const { browser, sandbox, row } = current
    const context = details.row === row ? undefined : await browser.newContext()
    const page = (await context?.newPage()) ?? current.page
    if (!context) delete current.row
    // Closing the page ends what waits in it: a visit that goes on would use the decisions of the
    // next one.
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
