import { type AuditedRow, type AuditReport, VERDICTS } from '../../../audit/report/audit-report.ts'
import { type Fact, findingLevel, type Point, type Unshown } from '../../../audit/report/points.ts'
import { findAuditRow, findRow } from '../../../sandbox/outcomes/catalogue.ts'
import { breakable, counted, renderSnippet, shortened } from '../../../server/http/html/elements.ts'
import { filterOptions, renderSelect, renderTextField } from '../../../server/http/html/fields.ts'
import { type Html, html, type Renderable } from '../../../server/http/html/html.ts'
import { shellWord } from '../../../service/text/shell-word.ts'
import { renderVerdictMark } from './verdict-mark.ts'

/** Maximum number of rows on a page: the catalogue has 300, but a file may have more. */
export const MAX_ROWS = 1000

/** The context of the rows of a report. */
export interface ReportContext {
  readonly consolePath: string
  /** Flows that are in the journal of this sandbox. */
  readonly linked: ReadonlySet<string>
  /** The app, and the agent that drove it. */
  readonly audited: Pick<AuditReport, 'app' | 'agent'>
}

/** Maximum number of characters of a text, in a point and in a row. */
const MAX_POINT_TEXT = 600
const MAX_ROW_TEXT = 200

/**
 * Renders the findings, worst first and with their rows folded: missing checks, right answers that
 * were refused, and dependencies.
 */
export const renderFindings = (points: readonly Point[], context: ReportContext): Html | false =>
  points.length > 0 &&
  html`<section class="card" aria-labelledby="findings-title">
<h2 id="findings-title">${counted(points.length, 'finding')}</h2>
<ol class="audit-findings">${points.map(
    (point, index) => html`<li data-testid="finding">
<details${index === 0 && html` open`}><summary><h3>${renderVerdictMark(point.verdict)} ${shortened(point.title, MAX_POINT_TEXT)} <span class="hint">${point.weight}</span></h3></summary>
<dl>${point.facts.map(renderFact)}${renderLog(point)}${
      point.flows.length > 0 &&
      html`<div><dt>Flows</dt><dd>${renderFlows(point, context)}</dd></div>`
    }</dl>
${renderRows('Shown by', point.rows, context)}</details>
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

/** Renders the points that could not be judged, by reason. */
export const renderUnshown = (unshown: readonly Unshown[]): Html | false =>
  unshown.length > 0 &&
  html`<section class="card" aria-labelledby="undetermined-title">
<h2 id="undetermined-title">Undetermined</h2>
<ul class="steps">${unshown.map(
    ({ verdict, reason, count, names }) =>
      html`<li><b>${count}</b> ${verdict}: ${shortened(reason, MAX_ROW_TEXT)} <span class="muted">${shortened(names.join(', '), MAX_ROW_TEXT)}</span></li>`,
  )}</ul>
</section>`

/**
 * Renders the folded checks without a finding, then the rows that belong to no check. The filter
 * needs scripts.
 */
export function renderOthers(
  points: readonly Point[],
  rows: readonly AuditedRow[],
  context: ReportContext,
): Html {
  const holding = points.filter((point) => point.state === 'passed' && point.rows.length > 0)
  const renderChecks = (checks: readonly Point[]) =>
    checks.map((point) =>
      renderRows(html`${point.title} ${renderVerdictMark(point.verdict)}`, point.rows, context),
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
${renderRows('Other rows', rows, context)}
</section>`
}

/** Renders a folded table of rows. */
function renderRows(
  title: Renderable,
  rows: readonly AuditedRow[],
  context: ReportContext,
): Html | false {
  const [first] = rows
  if (first === undefined) return false
  return html`<details class="dense audit-family" data-testid="rows">
<summary><strong>${title}</strong> <span class="muted">${counted(rows.length, 'row')}</span></summary>
<table>
<thead><tr><th scope="col">Row</th><th scope="col">Verdict</th><th scope="col">What the app did</th><th scope="col">Flows</th></tr></thead>
<tbody>
${rows.map((row) => renderRow(row, context))}</tbody>
</table>
${findAuditRow(first.row) && renderRunAgain(first.row, context)}
</details>
`
}

const renderRow = (row: AuditedRow, context: ReportContext): Html =>
  html`<tr><th scope="row">${renderRowName(row, context)}</th><td>${renderVerdictMark(row.verdict)} <span class="muted">${findingLevel(row)} ${row.severity}${!row.counted && ', not counted'}</span></td><td>${whatIsKnown(row)}</td><td>${renderFlows(row, context)}</td></tr>
`

const whatIsKnown = ({ reason, evidence }: AuditedRow): string =>
  shortened([reason, evidence].filter((text) => text !== undefined).join(': '), MAX_ROW_TEXT)

/** Renders the name of a row, linked to its page if the catalogue has the row. */
function renderRowName({ row }: AuditedRow, { consolePath }: ReportContext): Html {
  const name = html`<code class="name">${breakable(row.slice(0, MAX_NAME))}</code>`
  return findRow(row)
    ? html`<a class="target" href="${consolePath}/outcomes/${row}">${name}</a>`
    : html`${name} <span class="tag warn">unknown</span>`
}

const MAX_NAME = 120
/** Maximum number of flows in one row, which has one for each role and repetition. */
const MAX_FLOWS = 12

/** Renders the flows of a row. Flows in the journal of this sandbox are links. */
const renderFlows = (
  { flows }: Pick<AuditedRow, 'flows'>,
  { consolePath, linked }: ReportContext,
): readonly Html[] =>
  flows
    .slice(0, MAX_FLOWS)
    .map((id) =>
      linked.has(id)
        ? html`<a class="target" href="${consolePath}/flows/${id}">${id}</a> `
        : html`<span class="muted">${id.slice(0, MAX_NAME)}</span> `,
    )

/**
 * Renders the command that audits again a row, or a family such as `family:nonce`. For an audit in
 * a test suite nothing is rendered: its test runs it.
 */
const renderRunAgain = (
  selected: string,
  { audited: { app, agent } }: ReportContext,
): Html | false =>
  agent !== 'function' &&
  renderSnippet(
    `npx agekey-sandbox audit ${isPage(app) ? `${shellWord(app)} ` : ''}--only ${shellWord(selected)}`,
  )

/**
 * Whether the app is a URL that is one word in every shell. A URL with a placeholder is in
 * agekey-audit.yaml, which the command reads.
 */
const isPage = (app: string) =>
  /^https?:\/\/[\w.~:/?#@!$()*+,;=%[\]-]+$/.test(app) && URL.canParse(app)
