import { grouped, shortened } from '../../http/html/elements.ts'
import { filterOptions, renderSelect, renderTextField } from '../../http/html/fields.ts'
import { type Html, html } from '../../http/html/html.ts'
import { type AuditedRow, VERDICTS } from '../../sandbox/outcomes/audit-report.ts'
import { OUTCOMES } from '../../sandbox/outcomes/catalogue.ts'
import { isFinding, levelOf } from '../../sandbox/outcomes/report/findings.ts'
import { meaningOf } from '../../sandbox/outcomes/report/row-texts.ts'
import { totalsInOrder } from '../../sandbox/outcomes/report/summary.ts'
import { totalsOf } from '../../sandbox/outcomes/report/totals.ts'
import { markOf, type RowPlace, renderFlows, renderRowName, renderRunAgain, renderVerdict } from './row-cells.ts'

/** Characters of one text of a row. */
const MAX_TEXT = 200

/** The reasons for which rows could not be judged, with what each means. */
export function renderUndetermined(
  reasons: readonly (readonly [reason: string, rows: readonly AuditedRow[]])[],
): Html | false {
  if (reasons.length === 0) return false
  return html`<section class="card" aria-labelledby="undetermined-title">
<h2 id="undetermined-title">Undetermined</h2>
<ul class="steps">${reasons.map(
    ([reason, rows]) =>
      html`<li><b>${rows.length}</b> <code>${shortened(reason, MAX_TEXT)}</code> ${meaningOf(reason)}</li>`,
  )}</ul>
</section>`
}

/** Every row, in its family; families with findings come first. Without scripts there is no filter. */
export function renderFamilies(rows: readonly AuditedRow[], place: RowPlace): Html {
  const families = grouped(rows, ({ family }) => family).toSorted(([, one], [, other]) => rankOf(one) - rankOf(other))
  return html`<section class="card" aria-labelledby="families-title">
<h2 id="families-title">By family</h2>
<form class="form-row" data-audit-filter hidden>
${renderSelect({ name: 'verdict', label: 'Verdict', options: filterOptions(VERDICTS) })}
${renderTextField({ name: 'q', label: 'Find' })}
</form>
<p class="hint" role="status" data-audit-shown></p>
${families.map(([family, members]) => renderFamily(family, members, place))}
</section>`
}

/** Families with findings first, then those with rows that could not be judged. */
function rankOf(rows: readonly AuditedRow[]): number {
  if (rows.some(isFinding)) return 0
  return rows.some(({ verdict }) => verdict === 'undetermined') ? 1 : 2
}

const FAMILIES: ReadonlySet<string> = new Set(OUTCOMES.map(({ family }) => family))

function renderFamily(family: string, rows: readonly AuditedRow[], place: RowPlace): Html {
  const title = shortened(family.replaceAll('_', ' '), MAX_TEXT)
  const totals = totalsInOrder({ totals: totalsOf(rows) })
  return html`<details class="audit-family" data-testid="family">
<summary><strong>${title}</strong> ${totals.map(([verdict, count]) => html`<span class="mark ${markOf(verdict)}">${count} ${verdict}</span> `)}</summary>
<table>
<caption class="unseen">Rows of ${title}</caption>
<thead><tr><th scope="col">Row</th><th scope="col">Verdict</th><th scope="col">What the app did</th><th scope="col">Flows</th></tr></thead>
<tbody>
${rows.map((row) => renderRow(row, place))}</tbody>
</table>
${FAMILIES.has(family) && renderRunAgain(`family:${family}`, place)}
</details>
`
}

const renderRow = (row: AuditedRow, place: RowPlace): Html =>
  html`<tr><th scope="row">${renderRowName(row, place)}</th><td>${renderVerdict(row.verdict)} <span class="muted">${levelOf(row)} ${row.severity}${!row.counted && ', not counted'}</span></td><td>${whatIsKnown(row)}</td><td>${renderFlows(row, place)}</td></tr>
`

const whatIsKnown = ({ reason, evidence }: AuditedRow): string =>
  shortened([reason, evidence].filter((text) => text !== undefined).join(': '), MAX_TEXT)
