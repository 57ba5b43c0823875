import { type Html, html, type Renderable } from './html.ts'

/** One row: its cells in the order of the columns, and an id for links. */
export interface TableRow {
  readonly id?: string
  readonly cells: readonly Renderable[]
}

/**
 * A table whose first column names the row. On a phone each row becomes a block, and each cell shows the name of its column.
 * Screen readers read `caption`; it is not shown, because a heading stands above the table.
 */
export function renderTable(caption: string, columns: readonly string[], rows: readonly TableRow[]): Html {
  return html`<table>
<caption class="unseen">${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => renderRow(row, columns))}</tbody>
</table>`
}

function renderRow({ id, cells }: TableRow, columns: readonly string[]): Html {
  const [name, ...rest] = cells
  return html`<tr${id !== undefined && html` id="${id}"`}><th scope="row">${name}</th>${rest.map(
    (cell, index) => html`<td data-label="${columns[index + 1]}">${cell}</td>`,
  )}</tr>
`
}
