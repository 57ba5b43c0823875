import { type ConsoleFrame, renderConsolePage } from '../../http/console-page.ts'
import { renderInstant, renderSnippet, shortened } from '../../http/html/elements.ts'
import { type Html, html, type Renderable } from '../../http/html/html.ts'
import type { RenderedPage } from '../../http/html/layout.ts'
import { packageVersion } from '../../package-root.ts'
import { CATALOGUE_VERSION, findAuditRow } from '../../sandbox/outcomes/catalogue.ts'
import { type AuditReport, VERDICTS } from '../../sandbox/outcomes/report/audit-report.ts'
import { isFound, type Point, pointsOf, unshownOf } from '../../sandbox/outcomes/report/points.ts'
import { conclusionOf, describeChecks, describeReadings, summarise } from '../../sandbox/outcomes/report/totals.ts'
import { markOf, renderFindings, renderOthers, renderUnshown } from './point-list.ts'

/** The name of the file input. */
export const REPORT_FIELD = 'report'

/** A report, with what this sandbox knows about it. */
export interface OpenReport {
  /** The name of the file from which the report was read. */
  readonly name: string
  readonly report: AuditReport
  /** The ids of flows that are in the journal of this sandbox. */
  readonly linked: readonly string[]
}

/** The form that opens a report, below the verdicts of the current one. */
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

/** Rows on one page: the catalogue has 300, a file may have more. */
const MAX_ROWS = 1000

function renderReport({ report: given, name, linked }: OpenReport, { consolePath }: ConsoleFrame): Html {
  const rows = given.rows.slice(0, MAX_ROWS)
  const shown = { ...given, ...summarise(rows, given) }
  // Decision: the verdicts on top are counted from the rows, so that no report looks better than its rows.
  const report: AuditReport = { ...given, ...summarise(given.rows, given) }
  const place = { consolePath, linked: new Set(linked), audited: report }
  const points = pointsOf(shown)
  const isLinked = [...points, ...rows].every(({ flows }) => flows.every((id) => place.linked.has(id)))
  // Rows that may be handled either way, or are not for this app, belong to no check.
  const ofChecks = new Set(points.flatMap((point) => point.rows))
  return html`${renderSummary(report, remarksOn(given, report, isLinked), name)}
${renderFindings(points.filter(isFound), place)}
${renderUnshown(unshownOf(shown))}
${renderReadings(report, points)}
${
  rows.length > 0 &&
  renderOthers(
    points.filter((point) => !isFound(point)),
    rows.filter((row) => !ofChecks.has(row)),
    place,
  )
}`
}

function renderReadings({ readings }: AuditReport, points: readonly Point[]): Html | false {
  if (!readings) return false
  const works = points.filter(({ flow, state }) => flow === 'readings' && state === 'passed')
  return html`<section class="card" aria-labelledby="readings-title">
<h2 id="readings-title">Readings</h2>
<p data-testid="readings">${shortened(describeReadings(readings), MAX_TEXT)}</p>
<p class="hint">A reading is what the specification leaves open, and how the sandbox reads it. ${readings.counted ? 'What the app depends on counts for the exit code.' : 'Nothing here counts for the exit code.'}</p>
${works.length > 0 && html`<details class="raw"><summary>${works.length} under which the app works</summary><p>${works.map(({ title }) => html`<code>${shortened(title, MAX_TEXT)}</code> `)}</p></details>`}
</section>`
}

function renderSummary(report: AuditReport, remarks: readonly string[], name: string): Html {
  const { readings, checks } = report
  const ofReadings = readings && report.rows.length === 0 && describeReadings(readings)
  const conclusion = conclusionOf(report)
  // An audit that does not count is no success.
  const word = ofReadings && conclusion === 'passed' && pointsOf(report).some(isFound) ? 'depends' : conclusion
  const headline = ofReadings || describeChecks(checks) || 'Nothing could be shown'
  return html`<section class="card" aria-labelledby="verdict-title">
<h2 id="verdict-title" data-testid="headline"><span class="mark ${markOf(word)}">${word}</span> ${shortened(headline, MAX_TEXT)}</h2>
<ul class="row marks" aria-label="Rows by verdict" data-testid="totals">${Object.entries(report.totals).map(
    ([verdict, count]) => html`<li class="mark ${markOf(verdict)}">${count} ${verdict}</li>`,
  )}</ul>
${remarks.length > 0 && html`<ul class="notice" data-testid="remarks">${remarks.map((remark) => html`<li>${remark}</li>`)}</ul>`}
<dl>${factsOf(report, name).map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
${renderLearned(report)}
${
  report.notes.length > 0 &&
  html`<h3>Notes</h3>
<ul class="steps">${report.notes.map((note) => html`<li>${shortened(note, MAX_TEXT)}</li>`)}</ul>`
}
</section>`
}

const MAX_TEXT = 300

const renderLearned = ({ learned }: AuditReport): Html =>
  html`<details class="raw"><summary>What was learned</summary>
<dl>${Object.entries(learned).flatMap(([flow, signs]) =>
    signs === undefined
      ? []
      : html`<div><dt>${flow}</dt><dd>Yes is ${shortened(signs.yes, MAX_TEXT)}<ul class="steps">${signs.no.map((one) => html`<li>No is ${shortened(one, MAX_TEXT)}</li>`)}</ul></dd></div>`,
  )}</dl></details>`

function factsOf(report: AuditReport, name: string): readonly (readonly [term: string, value: Renderable])[] {
  const { app, agent, started_at: startedAt, first_started_at: first, seconds, version, catalogue } = report
  return [
    ['App', html`<code>${shortened(app, MAX_TEXT)}</code>`],
    ['Agent', agent],
    ['When', html`${renderInstant(startedAt)}, ${seconds.toFixed(1)} seconds`],
    ...(first === undefined ? [] : [['Earliest rows', renderInstant(first)] as const]),
    ['By', html`agekey-sandbox ${shortened(version, MAX_TEXT)}, catalogue ${shortened(catalogue, MAX_TEXT)}`],
    ['File', html`<code>${name}</code>`],
  ]
}

/** What to know before believing the report. */
function remarksOn(given: AuditReport, counted: AuditReport, isLinked: boolean): string[] {
  const { version, catalogue, rows } = given
  const strangers = rows.filter(({ row }) => !findAuditRow(row)).length
  const isOther = VERDICTS.some((verdict) => (given.totals[verdict] ?? 0) !== (counted.totals[verdict] ?? 0))
  return [
    version !== packageVersion() &&
      `agekey-sandbox ${shortened(version, MAX_TEXT)} wrote this report, and this is ${packageVersion()}.`,
    catalogue !== CATALOGUE_VERSION &&
      `It was judged by catalogue ${shortened(catalogue, MAX_TEXT)}; this sandbox has ${CATALOGUE_VERSION}.`,
    strangers > 0 && `Rows that this catalogue does not have: ${strangers}. Each has a mark.`,
    isOther && 'Its totals are not those of its rows. What stands here was counted from the rows.',
    given.exit_code !== counted.exit_code &&
      `It says exit code ${given.exit_code}; its rows come to ${counted.exit_code}.`,
    rows.length > MAX_ROWS && `The first ${MAX_ROWS} of ${rows.length} rows are shown.`,
    !isLinked &&
      'Flows without a link are not in the journal here: the audit used another sandbox or tenant, or this one was started or emptied since.',
  ].filter((remark) => remark !== false)
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
