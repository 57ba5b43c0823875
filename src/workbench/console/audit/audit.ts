import { type AuditReport, LAST_AUDIT, readReport } from '../../../audit/report/audit-report.ts'
import { judgedOf } from '../../../audit/report/points.ts'
import { messageOf } from '../../../sandbox/files/caught.ts'
import { type FlowFilter, isFlowId } from '../../../sandbox/journal/journal.ts'
import { createPause } from '../../../sandbox/take-turn.ts'
import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import { consoleFrame } from '../../../server/http/console-page.ts'
import { guardControl } from '../../../server/http/guard/guard.ts'
import type { Handler, HttpHost } from '../../../server/http/handler.ts'
import type { Incoming } from '../../../server/http/incoming.ts'
import { MAX_UPLOAD_BYTES } from '../../../server/http/read-body.ts'
import { page } from '../../../server/http/reply.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import type { ConsoleRoute } from '../console-route.ts'
import { type OpenReport, REPORT_FIELD, renderAudit } from './audit-page.ts'

/**
 * `console/audit`: the report of an audit. Without an upload it is the last report in the folder in
 * which the sandbox was started.
 */
export const auditPage: ConsoleRoute = {
  name: 'audit',
  async render({ tenant, frame, host }) {
    try {
      const text = await host.lastAudit()
      if (text === undefined) return renderAudit(frame, {})
      const read = readReport(text)
      if (!read.ok)
        return renderAudit(frame, { problem: `${LAST_AUDIT} ${read.problem}; run the audit again` })
      return renderAudit(frame, { opened: await openedIn(tenant, read.report, LAST_AUDIT) })
    } catch (error) {
      return renderAudit(frame, { problem: messageOf(error) })
    }
  },
}

/** Shows an uploaded report without storing it. */
export const showUploadedReport =
  (host: HttpHost): Handler =>
  async (request, tenant) => {
    guardControl(request, host.guard)
    const frame = await consoleFrame(request, tenant, host)
    try {
      const { report, name } = await readUpload(request)
      return {
        reply: page(200, renderAudit(frame, { opened: await openedIn(tenant, report, name) })),
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { reply: page(error.status, renderAudit(frame, { problem: error.message })) }
    }
  }

const openedIn = async (
  tenant: Tenant,
  report: AuditReport,
  name: string,
): Promise<OpenReport> => ({
  report,
  name,
  linked: await flowsInJournal(report, tenant),
})

const REMEDY = `choose the JSON report of an audit: ${LAST_AUDIT}, or the file that --json wrote`

/**
 * Reads the report in a `multipart/form-data` form, and the name of its file.
 * @throws Refusal 400, 413 or 415
 */
async function readUpload(request: Incoming): Promise<{ report: AuditReport; name: string }> {
  const file = await readFile(request)
  const name = file.name.slice(0, MAX_NAME)
  const read = readReport(await file.text())
  if (!read.ok) throw Refusal.invalidRequest(`${name} ${read.problem}; ${REMEDY}`)
  return { report: read.report, name }
}

const MAX_NAME = 80

async function readFile(request: Incoming): Promise<File> {
  const { contentType = 'absent', body } = request
  if (!/^multipart\/form-data *;/i.test(contentType)) {
    throw Refusal.byHttp(
      415,
      `Content-Type: must be multipart/form-data, not ${contentType.slice(0, MAX_NAME)}`,
      {
        title: 'Not a form with a file',
      },
    )
  }
  const length = Number(request.header('content-length'))
  if (length > MAX_UPLOAD_BYTES) {
    throw Refusal.byHttp(
      413,
      `the file is too large: the form has ${length} bytes, and ${MAX_UPLOAD_BYTES} are read at most; ${REMEDY}`,
      { title: 'Too large' },
    )
  }
  const fields = await new Response(new Uint8Array(body), {
    headers: { 'Content-Type': contentType },
  })
    .formData()
    .catch(() => {
      throw Refusal.invalidRequest(
        `the form cannot be read: it is no multipart/form-data; ${REMEDY}`,
      )
    })
  const file = fields.get(REPORT_FIELD)
  // Without a chosen file browsers send a file with an empty name.
  if (!(file instanceof File) || file.name === '')
    throw Refusal.invalidRequest(`no file came; ${REMEDY}`)
  return file
}

/** Milliseconds by which the clocks of the audit and the sandbox may differ. */
const TOLERANCE_MS = 15_000

/**
 * Finds the flows of a report that are in the journal of a tenant. Every sandbox numbers its flows
 * from f1, so an equal id proves nothing: the flow must also have begun while the audit ran.
 */
async function flowsInJournal(
  {
    started_at: startedAt,
    first_started_at: firstStartedAt = startedAt,
    seconds,
    rows,
    readings,
  }: AuditReport,
  { journal, name }: Pick<Tenant, 'journal' | 'name'>,
): Promise<readonly string[]> {
  const wanted = new Set(
    [...rows, ...judgedOf(readings)].flatMap(({ flows }) => flows.filter(isFlowId)),
  )
  const numbers = [...wanted].map((id) => Number(id.slice(1)))
  if (numbers.length === 0) return []
  const [least, greatest] = [
    numbers.reduce((a, b) => Math.min(a, b)),
    numbers.reduce((a, b) => Math.max(a, b)),
  ]
  const earliest = { started_at: firstStartedAt, seconds: 0 }
  const instants = [
    earliest,
    { started_at: startedAt, seconds },
    ...(readings ? [readings] : []),
  ].flatMap((one) => {
    const at = Date.parse(one.started_at)
    return [at, at + one.seconds * 1000]
  })
  const [from, to] = [Math.min(...instants) - TOLERANCE_MS, Math.max(...instants) + TOLERANCE_MS]
  const found: string[] = []
  const pause = createPause()
  const range: FlowFilter = {
    audit: 'also',
    before: `f${greatest + 1}`,
    ...(least > 1 && { after: `f${least - 1}` }),
  }
  for await (const { id, started_at: began } of journal.list(name, range)) {
    const at = Date.parse(began)
    if (wanted.has(id) && at >= from && at <= to) found.push(id)
    await pause()
  }
  return found
}
