import { type AuditReport, VERDICTS } from '../../../audit/report/audit-report.ts'
import { conclusionOf, describeChecks, describeReadings } from '../../../audit/report/conclusion.ts'
import { isFound, type Point, pointsOf } from '../../../audit/report/points.ts'
import { packageVersion } from '../../../package-root.ts'
import { CATALOGUE_VERSION, findAuditRow } from '../../../sandbox/outcomes/catalogue.ts'
import { renderInstant, shortened } from '../../../server/http/html/elements.ts'
import { type Html, html, type Renderable } from '../../../server/http/html/html.ts'
import { MAX_ROWS } from './report-rows.ts'
import { markOf } from './verdict-mark.ts'

/**
 * Renders the verdict of a report, its totals, and remarks on how far the report can be trusted.
 */
export function renderSummary(report: AuditReport, remarks: readonly string[], name: string): Html {
  const { readings, checks } = report
  const ofReadings = readings && report.rows.length === 0 && describeReadings(readings)
  const conclusion = conclusionOf(report)
  // If findings do not count for the exit code, the audit is still not shown as passed.
  const word =
    ofReadings && conclusion === 'passed' && pointsOf(report).some(isFound) ? 'depends' : conclusion
  const headline = ofReadings || describeChecks(checks) || 'Nothing could be shown'
  return html`<section class="card" aria-labelledby="verdict-title">
<h2 id="verdict-title" data-testid="headline"><span class="mark ${markOf(word)}">${word}</span> ${shortened(headline, MAX_TEXT)}</h2>
<ul class="row marks" aria-label="Rows by verdict" data-testid="totals">${Object.entries(
    report.totals,
  ).map(
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

function factsOf(
  report: AuditReport,
  name: string,
): readonly (readonly [term: string, value: Renderable])[] {
  const {
    app,
    agent,
    started_at: startedAt,
    first_started_at: first,
    seconds,
    version,
    catalogue,
  } = report
  return [
    ['App', html`<code>${shortened(app, MAX_TEXT)}</code>`],
    ['Agent', agent],
    ['When', html`${renderInstant(startedAt)}, ${seconds.toFixed(1)} seconds`],
    ...(first === undefined ? [] : [['Earliest rows', renderInstant(first)] as const]),
    [
      'By',
      html`agekey-sandbox ${shortened(version, MAX_TEXT)}, catalogue ${shortened(catalogue, MAX_TEXT)}`,
    ],
    ['File', html`<code>${name}</code>`],
  ]
}

/** Remarks on how far a report can be trusted, a sentence each. */
export function remarksOn(given: AuditReport, counted: AuditReport, isLinked: boolean): string[] {
  const { version, catalogue, rows } = given
  const unknownRows = rows.filter(({ row }) => !findAuditRow(row)).length
  const isOther = VERDICTS.some(
    (verdict) => (given.totals[verdict] ?? 0) !== (counted.totals[verdict] ?? 0),
  )
  return [
    version !== packageVersion() &&
      `agekey-sandbox ${shortened(version, MAX_TEXT)} wrote this report, and this is ${packageVersion()}.`,
    catalogue !== CATALOGUE_VERSION &&
      `It was judged by catalogue ${shortened(catalogue, MAX_TEXT)}; this sandbox has ${CATALOGUE_VERSION}.`,
    unknownRows > 0 && `Rows that this catalogue does not have: ${unknownRows}. Each has a mark.`,
    isOther && 'Its totals are not those of its rows. What stands here was counted from the rows.',
    given.exit_code !== counted.exit_code &&
      `It says exit code ${given.exit_code}; its rows come to ${counted.exit_code}.`,
    rows.length > MAX_ROWS && `The first ${MAX_ROWS} of ${rows.length} rows are shown.`,
    !isLinked &&
      'Flows without a link are not in the journal here: the audit used another sandbox or tenant, or this one was started or emptied since.',
  ].filter((remark) => remark !== false)
}

/** Renders which readings the audit tried, and under which the app works. */
export function renderReportedReadings(
  { readings }: AuditReport,
  points: readonly Point[],
): Html | false {
  if (!readings) return false
  const works = points.filter(({ flow, state }) => flow === 'readings' && state === 'passed')
  return html`<section class="card" aria-labelledby="readings-title">
<h2 id="readings-title">Readings</h2>
<p data-testid="readings">${shortened(describeReadings(readings), MAX_TEXT)}</p>
<p class="hint">A reading is what the specification leaves open, and how the sandbox reads it. ${readings.counted ? 'What the app depends on counts for the exit code.' : 'Nothing here counts for the exit code.'}</p>
${works.length > 0 && html`<details class="raw"><summary>${works.length} under which the app works</summary><p>${works.map(({ title }) => html`<code>${shortened(title, MAX_TEXT)}</code> `)}</p></details>`}
</section>`
}
