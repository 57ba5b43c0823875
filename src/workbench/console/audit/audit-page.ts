import type { AuditReport } from '../../../audit/report/audit-report.ts'
import { isFound, pointsOf, unshownOf } from '../../../audit/report/points.ts'
import { summarise } from '../../../audit/report/summarise.ts'
import { type ConsoleFrame, renderConsolePage } from '../../../server/http/console-page.ts'
import { renderSnippet } from '../../../server/http/html/elements.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import type { RenderedPage } from '../../../server/http/html/layout.ts'
import { MAX_ROWS, renderFindings, renderOthers, renderUnshown } from './report-rows.ts'
import { remarksOn, renderReportedReadings, renderSummary } from './report-summary.ts'

/** The name of the file input. */
export const REPORT_FIELD = 'report'

/** A report, and the flows of it that this sandbox knows. */
export interface OpenReport {
  /** The name of the report's file. */
  readonly name: string
  readonly report: AuditReport
  /** The ids of its flows that are in the journal of this sandbox. */
  readonly linked: readonly string[]
}

/** Renders the verdicts of the opened report, and below them the form that opens a report. */
export function renderAudit(
  frame: ConsoleFrame,
  { opened, problem }: { opened?: OpenReport; problem?: string },
): RenderedPage {
  return renderConsolePage(frame, {
    title: 'Audit',
    current: 'audit',
    problem,
    lead: html`Which wrong answers an app lets in, by the report of an audit. The server keeps no report, and calls nothing.`,
    scripts: ['audit-filter.js', 'copy.js'],
    body: html`${opened && renderReport(opened, frame)}
${renderForm(frame, opened !== undefined)}`,
  })
}

function renderReport(
  { report: given, name, linked }: OpenReport,
  { consolePath }: ConsoleFrame,
): Html {
  const rows = given.rows.slice(0, MAX_ROWS)
  const shown = { ...given, ...summarise(rows, given) }
  // Decision: the totals are counted from the rows, so that no report looks better than its rows.
  const report: AuditReport = { ...given, ...summarise(given.rows, given) }
  const context = { consolePath, linked: new Set(linked), audited: report }
  const points = pointsOf(shown)
  const isLinked = [...points, ...rows].every(({ flows }) =>
    flows.every((id) => context.linked.has(id)),
  )
  // Rows of no check: either result is right, or the row does not apply to this app.
  const ofChecks = new Set(points.flatMap((point) => point.rows))
  return html`${renderSummary(report, remarksOn(given, report, isLinked), name)}
${renderFindings(points.filter(isFound), context)}
${renderUnshown(unshownOf(shown))}
${renderReportedReadings(report, points)}
${
  rows.length > 0 &&
  renderOthers(
    points.filter((point) => !isFound(point)),
    rows.filter((row) => !ofChecks.has(row)),
    context,
  )
}`
}

function renderForm({ consolePath }: ConsoleFrame, isOther: boolean): Html {
  return html`<section class="card" aria-labelledby="open-title">
<h2 id="open-title">Open ${isOther && 'another '}report</h2>
<form class="row" method="post" action="${consolePath}/audit" enctype="multipart/form-data">
<div class="field">
<label for="${REPORT_FIELD}">JSON report of an audit</label>
<input id="${REPORT_FIELD}" name="${REPORT_FIELD}" type="file" accept=".json,application/json" required aria-describedby="report-hint">
<p class="hint" id="report-hint"><code>.agekey-audit/last.json</code>, or the file that <code>--json</code> wrote</p>
</div>
<button class="primary" data-testid="open">Open</button>
</form>
${!isOther && html`<h3>Make one</h3>${renderSnippet('npx agekey-sandbox audit http://localhost:3000/verify')}`}
</section>`
}
