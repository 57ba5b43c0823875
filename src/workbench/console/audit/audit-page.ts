import { type AuditedRow, type AuditReport, VERDICTS } from '../../../audit/report/audit-report.ts'
import { conclusionOf, describeChecks, describeReadings } from '../../../audit/report/conclusion.ts'
import {
  type Fact,
  findingLevel,
  isFound,
  type Point,
  pointsOf,
  type Unshown,
  unshownOf,
} from '../../../audit/report/points.ts'
import { summarise } from '../../../audit/report/summarise.ts'
import { packageVersion } from '../../../package-root.ts'
import { CATALOGUE_VERSION, findAuditRow, findRow } from '../../../sandbox/outcomes/catalogue.ts'
import { type ConsoleFrame, renderConsolePage } from '../../../server/http/console-page.ts'
import {
  breakable,
  counted,
  renderInstant,
  renderSnippet,
  shortened,
} from '../../../server/http/html/elements.ts'
import { filterOptions, renderSelect, renderTextField } from '../../../server/http/html/fields.ts'
import { type Html, html, type Renderable } from '../../../server/http/html/html.ts'
import type { RenderedPage } from '../../../server/http/html/layout.ts'
import { shellWord } from '../../../service/text/shell-word.ts'
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

function renderReport(
  { report: given, name, linked }: OpenReport,
  { consolePath }: ConsoleFrame,
): Html {
  const rows = given.rows.slice(0, MAX_ROWS)
  const shown = { ...given, ...summarise(rows, given) }
  // Decision: the verdicts on top are counted from the rows, so that no report looks better than
  // its rows.
  const report: AuditReport = { ...given, ...summarise(given.rows, given) }
  const place = { consolePath, linked: new Set(linked), audited: report }
  const points = pointsOf(shown)
  const isLinked = [...points, ...rows].every(({ flows }) =>
    flows.every((id) => place.linked.has(id)),
  )
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

/** What to know before believing the report. */
function remarksOn(given: AuditReport, counted: AuditReport, isLinked: boolean): string[] {
  const { version, catalogue, rows } = given
  const strangers = rows.filter(({ row }) => !findAuditRow(row)).length
  const isOther = VERDICTS.some(
    (verdict) => (given.totals[verdict] ?? 0) !== (counted.totals[verdict] ?? 0),
  )
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

/** The page that shows the rows of a report. */
interface RowPlace {
  readonly consolePath: string
  /** Flows that are in the journal of this sandbox. */
  readonly linked: ReadonlySet<string>
  /** The app as the report names it, and what drove it. */
  readonly audited: Pick<AuditReport, 'app' | 'agent'>
}

/** Characters of a text of a point or a row. */
const MAX_POINT_TEXT = 600
const MAX_ROW_TEXT = 200

/**
 * The findings: missing checks, right answers that were refused, and dependencies. The worst come
 * first, with their rows folded.
 */
const renderFindings = (points: readonly Point[], place: RowPlace): Html | false =>
  points.length > 0 &&
  html`<section class="card" aria-labelledby="findings-title">
<h2 id="findings-title">${counted(points.length, 'finding')}</h2>
<ol class="audit-findings">${points.map(
    (point, index) => html`<li data-testid="finding">
<details${index === 0 && html` open`}><summary><h3>${renderVerdict(point.verdict)} ${shortened(point.title, MAX_POINT_TEXT)} <span class="hint">${point.weight}</span></h3></summary>
<dl>${point.facts.map(renderFact)}${renderLog(point)}${
      point.flows.length > 0 && html`<div><dt>Flows</dt><dd>${renderFlows(point, place)}</dd></div>`
    }</dl>
${renderRows('Shown by', point.rows, place)}</details>
</li>
`,
  )}</ol>
</section>`

const renderFact = ({ kind, label, text }: Fact): Html =>
  html`<div><dt>${label}</dt><dd>${
    kind === 'write' ? html`<pre><code>${text}</code></pre>` : shortened(text, MAX_POINT_TEXT)
  }</dd></div>`

const renderLog = ({ rows: [worst] }: Point): Html | false =>
  worst?.log !== undefined &&
  html`<div><dt>The app wrote</dt><dd><pre><code>${shortened(worst.log.join('\n'), MAX_POINT_TEXT)}</code></pre></dd></div>`

/** Points that could not be judged, by reason. */
const renderUnshown = (unshown: readonly Unshown[]): Html | false =>
  unshown.length > 0 &&
  html`<section class="card" aria-labelledby="undetermined-title">
<h2 id="undetermined-title">Undetermined</h2>
<ul class="steps">${unshown.map(
    ({ verdict, reason, count, names }) =>
      html`<li><b>${count}</b> ${verdict}: ${shortened(reason, MAX_ROW_TEXT)} <span class="muted">${shortened(names.join(', '), MAX_ROW_TEXT)}</span></li>`,
  )}</ul>
</section>`

/**
 * The checks without a finding, which are folded, then rows without a check. The filter needs
 * scripts.
 */
function renderOthers(
  points: readonly Point[],
  rows: readonly AuditedRow[],
  place: RowPlace,
): Html {
  const holding = points.filter((point) => point.state === 'passed' && point.rows.length > 0)
  const renderChecks = (checks: readonly Point[]) =>
    checks.map((point) =>
      renderRows(html`${point.title} ${renderVerdict(point.verdict)}`, point.rows, place),
    )
  return html`<section class="card" aria-labelledby="checks-title">
<h2 id="checks-title">Other checks</h2>
<form class="row" data-audit-filter hidden>
${renderSelect({ name: 'verdict', label: 'Verdict', options: filterOptions(VERDICTS) })}
${renderTextField({ name: 'q', label: 'Find' })}
</form>
<p class="hint" role="status" data-audit-shown></p>
${renderChecks(points.filter((point) => !holding.includes(point)))}
${
  holding.length > 0 &&
  html`<details class="dense"><summary><strong>Checks that hold</strong> <span class="count">${holding.length}</span></summary>
${renderChecks(holding)}</details>`
}
${renderRows('Other rows', rows, place)}
</section>`
}

/** A folded table of rows. */
function renderRows(title: Renderable, rows: readonly AuditedRow[], place: RowPlace): Html | false {
  const [first] = rows
  if (first === undefined) return false
  return html`<details class="dense audit-family" data-testid="rows">
<summary><strong>${title}</strong> <span class="muted">${counted(rows.length, 'row')}</span></summary>
<table>
<thead><tr><th scope="col">Row</th><th scope="col">Verdict</th><th scope="col">What the app did</th><th scope="col">Flows</th></tr></thead>
<tbody>
${rows.map((row) => renderRow(row, place))}</tbody>
</table>
${findAuditRow(first.row) && renderRunAgain(first.row, place)}
</details>
`
}

const renderRow = (row: AuditedRow, place: RowPlace): Html =>
  html`<tr><th scope="row">${renderRowName(row, place)}</th><td>${renderVerdict(row.verdict)} <span class="muted">${findingLevel(row)} ${row.severity}${!row.counted && ', not counted'}</span></td><td>${whatIsKnown(row)}</td><td>${renderFlows(row, place)}</td></tr>
`

const whatIsKnown = ({ reason, evidence }: AuditedRow): string =>
  shortened([reason, evidence].filter((text) => text !== undefined).join(': '), MAX_ROW_TEXT)

const MARKS = {
  yes: ['refused', 'accepted', 'holds', 'works', 'passed'],
  no: [
    'let in',
    'missing',
    'ignored',
    'broke',
    'too strict',
    'stale',
    'failed',
    'nothing was judged',
  ],
  wait: ['undetermined', 'depends on', 'fails under', 'depends'],
}

/** The colour of a verdict, or of the result of an audit. */
const markOf = (verdict: string): string =>
  Object.entries(MARKS).find(([, verdicts]) => verdicts.includes(verdict))?.[0] ?? 'none'

const renderVerdict = (verdict: string): Html =>
  html`<span class="mark ${markOf(verdict)}" data-verdict>${verdict}</span>`

/** The name of a row, linked to its page if the catalogue has the row. */
function renderRowName({ row }: AuditedRow, { consolePath }: RowPlace): Html {
  const name = html`<code class="name">${breakable(row.slice(0, MAX_NAME))}</code>`
  return findRow(row)
    ? html`<a class="target" href="${consolePath}/outcomes/${row}">${name}</a>`
    : html`${name} <span class="tag warn">unknown</span>`
}

const MAX_NAME = 120
/** Flows of one row: one for each role and repetition. */
const MAX_FLOWS = 12

/** The flows of a row; those in the journal of this sandbox are links. */
const renderFlows = (
  { flows }: Pick<AuditedRow, 'flows'>,
  { consolePath, linked }: RowPlace,
): readonly Html[] =>
  flows
    .slice(0, MAX_FLOWS)
    .map((id) =>
      linked.has(id)
        ? html`<a class="target" href="${consolePath}/flows/${id}">${id}</a> `
        : html`<span class="muted">${id.slice(0, MAX_NAME)}</span> `,
    )

/**
 * The command that runs rows again: a row, or `family:nonce`. An audit in a test suite is run by
 * its test.
 */
const renderRunAgain = (selected: string, { audited: { app, agent } }: RowPlace): Html | false =>
  agent !== 'function' &&
  renderSnippet(
    `npx agekey-sandbox audit ${isPage(app) ? `${shellWord(app)} ` : ''}--only ${shellWord(selected)}`,
  )

/**
 * A URL that is one word in every shell. A URL with a placeholder stands in agekey-audit.yaml,
 * which the command reads.
 */
const isPage = (app: string) =>
  /^https?:\/\/[\w.~:/?#@!$()*+,;=%[\]-]+$/.test(app) && URL.canParse(app)
