import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { AuditChoices } from '../../client/shapes/audit.ts'
import { rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { VisitDetails } from '../drive/visited-by.ts'
import { type AuditTest, createTestRun } from './audit-tests.ts'

/** The part of a page that is used here. */
export interface VisitedPage {
  close(): Promise<void>
}

/** The fixtures that a test of an audit takes, with the part of a browser that is used here. */
export interface AuditFixtures<Page> {
  readonly page: Page
  readonly browser: { newContext(): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }> }
  readonly sandbox: SandboxApi
}

/** What a visit is for, and the page to make it in. */
export interface PageVisit<Page> extends VisitDetails {
  /** Of a fresh browser context: that of the test for the row itself, another one for what is compared with it. */
  readonly page: Page
  readonly sandbox: SandboxApi
}

/**
 * Makes what runs tests in pages, in each worker: the first test learns. A row is visited in the page of its test, and all that it
 * is compared with in contexts of their own.
 */
export function createPageAudit<Page extends VisitedPage>(
  visit: (details: PageVisit<Page>) => boolean | Promise<boolean>,
  choices: AuditChoices,
) {
  let run: ReturnType<typeof createTestRun> | undefined
  /** The fixtures of the test that runs, and the row that its page waits for. */
  let current: (AuditFixtures<Page> & { row?: string | undefined }) | undefined

  async function visitInPage(details: VisitDetails): Promise<boolean> {
    if (!current) throw new Error('a visit is made in a test')
    const { browser, sandbox, row } = current
    const context = details.row === row ? undefined : await browser.newContext()
    const page = (await context?.newPage()) ?? current.page
    if (!context) delete current.row
    // What waits in a page ends with it: a visit that goes on would take the decisions of the next one.
    const end = () => void (context ?? page).close().catch(() => {})
    details.signal.addEventListener('abort', end)
    try {
      return await visit({ ...details, page, sandbox })
    } finally {
      details.signal.removeEventListener('abort', end)
      await context?.close()
    }
  }

  /** @returns why a row was not judged. @throws AuditFinding or AuditProblem */
  return async (test: AuditTest, fixtures: AuditFixtures<Page>): Promise<string | undefined> => {
    current = { ...fixtures, row: test.row && rowId(test.row) }
    run ??= createTestRun({ sandbox: fixtures.sandbox, visit: visitInPage }, choices)
    return run(test)
  }
}
