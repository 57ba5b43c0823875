import { counted, shortened } from '../../http/html/elements.ts'
import { type Html, html, type Renderable } from '../../http/html/html.ts'
import type { AuditedRow } from '../../sandbox/outcomes/audit-report.ts'
import { findRow } from '../../sandbox/outcomes/catalogue.ts'
import { referencesOf, weightOf, whatHappened } from '../../sandbox/outcomes/report/row-texts.ts'
import { type RowPlace, renderFlows, renderRowName, renderRunAgain, renderVerdict } from './row-cells.ts'

/** Findings that are explained. An app that checks nothing has hundreds, which the families below name. */
const MAX_EXPLAINED = 40

/** Characters of one text of a finding. */
const MAX_TEXT = 600

/** What an app let in, refused wrongly or broke at, the worst first. */
export function renderFindings(findings: readonly AuditedRow[], place: RowPlace): Html | false {
  if (findings.length === 0) return false
  const shown = findings.slice(0, MAX_EXPLAINED)
  return html`<section class="card" aria-labelledby="findings-title">
<h2 id="findings-title">${counted(findings.length, 'finding')}</h2>
${shown.length < findings.length && html`<p class="hint">The ${shown.length} worst are explained; the others stand in their families.</p>`}
<ol class="audit-findings">${shown.map((row) => renderFinding(row, place))}</ol>
</section>`
}

const renderLog = (log: readonly string[]): Html => html`<pre><code>${shortened(log.join('\n'), MAX_TEXT)}</code></pre>`

const NONE = html`<span class="muted">none</span>`

function renderFinding(row: AuditedRow, place: RowPlace): Html {
  const facts: readonly (readonly [term: string, value: Renderable])[] = [
    ['Check', shortened(row.rule, MAX_TEXT)],
    ['Harm', shortened(row.harm, MAX_TEXT)],
    ['Demanded by', shortened(referencesOf(row), MAX_TEXT) || NONE],
    ...(row.log === undefined ? [] : [['The app wrote', renderLog(row.log)] as const]),
    ['Flows', row.flows.length === 0 ? NONE : renderFlows(row, place)],
  ]
  return html`<li data-testid="finding">
<h3>${renderVerdict(row.verdict)} ${renderRowName(row, place)} <span class="muted small-text">${weightOf(row)}</span></h3>
<p>${shortened(whatHappened(row), MAX_TEXT)}</p>
<dl class="audit-facts">${facts.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
${findRow(row.row) && renderRunAgain(row.row, place)}
</li>
`
}
