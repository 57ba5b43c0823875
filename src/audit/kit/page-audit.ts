import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { AuditChoices } from '../../client/shapes/audit.ts'
import type { VisitDetails } from '../drive/call-visit.ts'
import type { AuditTest } from './audit-tests.ts'
import { createRowAudit, type RowAudit } from './row-audit.ts'

/** The part of a page that is used here. */
export interface VisitedPage {
  close(): Promise<void>
}

/** The part of a browser that is used here. */
export interface PageBrowser<Page> {
  newContext(): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }>
}

interface Fixtures<Page> {
  readonly page: Page
  readonly browser: PageBrowser<Page>
  readonly sandbox: SandboxApi
}

/** Judges rows in pages, in each worker: the first test learns, by contexts of its own. */
export interface PageAudit<Page> {
  /** Of a test. */
  readonly timeoutMs: number
  /** The page of the test is for the row itself. @returns why it was not judged. @throws AuditFinding or AuditProblem */
  run(test: AuditTest, fixtures: Fixtures<Page>): Promise<string | undefined>
}

/** Visits of the longest test. */
const MAX_VISITS = 40
const TIMEOUT_SECONDS = 10

type Visit<Page> = (details: VisitDetails & { page: Page; sandbox: SandboxApi }) => boolean | Promise<boolean>

export function createPageAudit<Page extends VisitedPage>(visit: Visit<Page>, choices: AuditChoices): PageAudit<Page> {
  let audit: RowAudit | undefined
  let current: (Fixtures<Page> & { own: Page | undefined; row: string | undefined }) | undefined

  async function visitInPage(details: VisitDetails): Promise<boolean> {
    if (!current) throw new Error('a visit is made in a test')
    const { browser, sandbox, own, row } = current
    if (own && details.row === row) {
      current.own = undefined
      return visitPage(own, details, { sandbox, close: () => own.close() })
    }
    const context = await browser.newContext()
    const close = () => context.close()
    return visitPage(await context.newPage(), details, { sandbox, close }).finally(close)
  }

  /** What waits in a page ends with it: a visit that goes on would take the decisions of the next one. */
  async function visitPage(
    page: Page,
    details: VisitDetails,
    { sandbox, close }: { sandbox: SandboxApi; close(): Promise<void> },
  ): Promise<boolean> {
    const end = () => void close().catch(() => {})
    details.signal.addEventListener('abort', end)
    try {
      return await visit({ ...details, page, sandbox })
    } finally {
      details.signal.removeEventListener('abort', end)
    }
  }

  return {
    timeoutMs: (choices.timeoutSeconds ?? TIMEOUT_SECONDS) * MAX_VISITS * 1000,
    async run(test, fixtures) {
      current = { ...fixtures, own: undefined, row: test.row }
      audit ??= createRowAudit({ sandbox: fixtures.sandbox, visit: visitInPage }, choices)
      await audit.learn()
      current.own = fixtures.page
      return test.run(audit, fixtures.sandbox)
    },
  }
}
