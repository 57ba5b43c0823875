import { shortened } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import type { ReadingsReport, TriedVariant } from '../../sandbox/outcomes/report/readings-report.ts'
import {
  describeReadings,
  namesOfCombination,
  reasonsOf,
  variantName,
  variantsThat,
  whatTogetherDid,
  whatVariantDid,
} from '../../sandbox/outcomes/report/readings-text.ts'
import { type RowPlace, renderFlows } from './row-cells.ts'

/** Characters of one text. */
const MAX_TEXT = 600

/** What `audit --readings` found: what the app depends on, then what was not shown, then what works. */
export function renderReadings({ readings }: AuditReport, place: RowPlace): Html | false {
  if (!readings) return false
  const broken = variantsThat('depends', readings)
  const works = variantsThat('works', readings)
  return html`<section class="card" aria-labelledby="readings-title">
<h2 id="readings-title">Readings</h2>
<p data-testid="readings">${shortened(describeReadings(readings), MAX_TEXT)}</p>
<p class="hint">A reading is what the specification leaves open, and how the sandbox reads it. ${readings.counted ? 'What the app depends on counts for the exit code.' : 'Nothing here counts for the exit code.'}</p>
${broken.length > 0 && renderBroken(broken, place)}
${readings.combinations.failed.length > 0 && renderTogether(readings, place)}
${reasonsOf(readings).map(
  ({ verdict, reason, count, names }) => html`<h3>${count} ${verdict}</h3>
<p>${shortened(reason, MAX_TEXT)}</p>
${names.length > 0 && html`<p>${renderNames(names)}</p>`}
`,
)}
${works.length > 0 && html`<details class="raw"><summary>${works.length} under which the app works</summary><p>${renderNames(works.map(variantName))}</p></details>`}
</section>`
}

const renderBroken = (broken: readonly TriedVariant[], place: RowPlace): Html =>
  html`<ol class="audit-findings">${broken.map(
    (one) => html`<li data-testid="dependence">
<h3>Depends on <code>${shortened(`${one.reading}=${one.usual}`, MAX_TEXT)}</code>, fails under <code>${shortened(variantName(one), MAX_TEXT)}</code></h3>
<p>${shortened(whatVariantDid(one), MAX_TEXT)}</p>
<dl class="audit-facts"><div><dt>Left open by</dt><dd>${shortened(one.silent, MAX_TEXT)}</dd></div><div><dt>Flows</dt><dd>${renderFlows(one, place)}</dd></div></dl>
</li>
`,
  )}</ol>`

const renderTogether = ({ combinations }: ReadingsReport, place: RowPlace): Html => html`<h3>Only together</h3>
<ul class="steps">${combinations.failed.map(
  (one) =>
    html`<li data-testid="combination"><code>${shortened(namesOfCombination(one), MAX_TEXT)}</code> ${shortened(whatTogetherDid(one), MAX_TEXT)} ${renderFlows(one, place)}</li>`,
)}</ul>`

const renderNames = (names: readonly string[]): readonly Html[] =>
  names.map((name) => html`<code>${shortened(name, MAX_TEXT)}</code> `)
