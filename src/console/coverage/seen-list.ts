import { breakable, counted, grouped, renderTable, shortened } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import {
  type CoverageDimension,
  type CoverageItem,
  type DimensionName,
  nameOfSide,
} from '../../sandbox/coverage/coverage.ts'
import { renderClaims } from './gap-list.ts'

/** What was seen of a dimension, with the tests that saw it. */
export function renderSeen(name: DimensionName, { covered, items }: CoverageDimension): Html | false {
  if (covered === 0) return false
  return html`<details class="raw"><summary>${counted(covered, 'side')} seen, and by which tests</summary>
${grouped(items, ({ claims }) => claims).map(([claims, those]) => {
  const rows = those.flatMap(rowsOf)
  return (
    rows.length > 0 &&
    html`${renderClaims(claims)}
${renderTable(`What was seen of ${name}`, ['What', 'How often', 'Tests'], rows)}`
  )
})}
</details>`
}

const MAX_NAME_LENGTH = 200

const rowsOf = (item: CoverageItem) =>
  Object.entries(item.sides).flatMap(([side, { count, tests = [] }]) => {
    if (count === 0) return []
    const names =
      tests.length === 0
        ? html`<span class="muted">no test gave its name</span>`
        : html`<ul>${tests.map((test) => html`<li>${shortened(test, MAX_NAME_LENGTH)}</li>`)}</ul>`
    return [{ cells: [breakable(nameOfSide(item, side)), count === 1 ? 'once' : `${count} times`, names] }]
  })
