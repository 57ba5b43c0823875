import { messageOf } from '../../files/caught.ts'
import { guardControl } from '../../http/guard/guard.ts'
import type { Handler, HttpHost } from '../../http/handler.ts'
import { consoleFrame } from '../../http/html/console-page.ts'
import { page } from '../../http/reply.ts'
import { Refusal } from '../../oidc/refusal.ts'
import type { AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import { LAST_AUDIT, readReport } from '../../sandbox/outcomes/report/read-report.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { ConsoleRoute } from '../console-route.ts'
import { type OpenReport, renderAudit } from './audit-page.ts'
import { flowsInJournal } from './flows-in-journal.ts'
import { readUpload } from './read-upload.ts'

/** `console/audit`: the report of an audit, at first the last one of the folder that the sandbox was started in. */
export const auditPage: ConsoleRoute = {
  name: 'audit',
  async render({ tenant, frame, host }) {
    try {
      const text = await host.lastAudit()
      if (text === undefined) return renderAudit(frame, {})
      const read = readReport(text)
      if (!read.ok) return renderAudit(frame, { problem: `${LAST_AUDIT} ${read.problem}; run the audit again` })
      return renderAudit(frame, { opened: await openedIn(tenant, read.report, LAST_AUDIT) })
    } catch (error) {
      return renderAudit(frame, { problem: messageOf(error) })
    }
  },
}

/** Answers with the report that a form brings. Nothing of it is kept. */
export const showUploadedReport =
  (host: HttpHost): Handler =>
  async (request, tenant) => {
    guardControl(request, host.guard)
    const frame = await consoleFrame(request, tenant, host)
    try {
      const { report, name } = await readUpload(request)
      return { reply: page(200, renderAudit(frame, { opened: await openedIn(tenant, report, name) })) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { reply: page(error.status, renderAudit(frame, { problem: error.message })) }
    }
  }

const openedIn = async (tenant: Tenant, report: AuditReport, name: string): Promise<OpenReport> => ({
  report,
  name,
  linked: await flowsInJournal(report, tenant),
})
