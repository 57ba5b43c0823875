import { type Html, html, type Renderable } from './html.ts'

/** One row: its cells in the order of the columns, an id for links, and a name for tests. */
export interface TableRow {
  readonly id?: string
  readonly testId?: string
  readonly cells: readonly Renderable[]
}

/**
 * A table whose first column names the row. Screen readers read `caption`; a heading stands above
 * the table.
 */
export function renderTable(
  caption: string,
  columns: readonly string[],
  rows: readonly TableRow[],
): Html {
  return html`<table>
<caption class="unseen">${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => renderRow(row, columns))}</tbody>
</table>`
}

function renderRow({ id, testId, cells }: TableRow, columns: readonly string[]): Html {
  const [name, ...rest] = cells
  return html`<tr${id !== undefined && html` id="${id}"`}${testId !== undefined && html` data-testid="${testId}"`}><th scope="row">${name}</th>${rest.map(
    (cell, index) => html`<td data-label="${columns[index + 1]}">${cell}</td>`,
  )}</tr>
`
}

interface FoldedTable {
  readonly title: string
  /** What screen readers read; `title` when absent. */
  readonly caption?: string
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
  readonly isOpen: boolean
}

/** A part of a long list, folded until the reader opens it or follows a link to one of its rows. */
export const renderFoldedTable = ({
  title,
  caption = title,
  columns,
  rows,
  isOpen,
}: FoldedTable): Html =>
  html`<details class="dense"${isOpen && html` open`}>
<summary><h3>${title}</h3> <span class="count">${rows.length}</span></summary>
${renderTable(caption, columns, rows)}
</details>
`

/** Each requested age with yes or no, up to `max` ages. */
export function renderAnswers(
  answers: Readonly<Record<string, boolean>>,
  max?: number,
): Html | false {
  const shown = Object.entries(answers).slice(0, max)
  return (
    shown.length > 0 &&
    html`<ul class="row marks">${shown.map(
      ([threshold, satisfied]) =>
        html`<li class="mark ${satisfied ? 'yes' : 'no'}">${threshold}: ${satisfied ? 'yes' : 'no'}</li>`,
    )}</ul>`
  )
}

/** An instant by the clock of the sandbox, ISO 8601, without its milliseconds. */
export const renderInstant = (instant: string): Html =>
  html`<time datetime="${instant}">${instant.replace('T', ' ').replace(/(?:\.\d+)?Z$/, 'Z')}</time>`

/** An HTTP status, coloured by its hundred; 0 is the status of a call that got no response. */
export const renderStatus = (status: number): Html =>
  html`<span class="mark ${status >= 400 || status === 0 ? 'no' : 'yes'}">${status === 0 ? '0 (dropped)' : status}</span>`

/** A name that may break only behind a dot or an underscore: `id_token.signature_bit_flipped`. */
export const renderName = (name: string): Html => html`<code class="name">${breakable(name)}</code>`

/** A text that may break only behind a dot, an underscore or a slash: a name, an address. */
export const breakable = (text: string): readonly Renderable[] =>
  text.split(/(?<=[._/])(?=\w)/).map((part, index) => (index === 0 ? part : html`<wbr>${part}`))

/** A count in words: `1 call`, `3 calls`. */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/**
 * Maximum number of characters of one value on a page, where a token of 64 KB may appear three
 * times. The control API has the whole value.
 */
const MAX_CHARACTERS = 2_000

/** A long text is cut off, followed by its length. */
export const shortened = (text: string, max = MAX_CHARACTERS): string =>
  text.length > max ? `${text.slice(0, max)}… (${text.length} characters)` : text

/** Items in groups by `keyOf`, both in the order in which they first appear. */
export function grouped<T, K>(
  items: readonly T[],
  keyOf: (item: T) => K,
): readonly (readonly [key: K, items: T[]])[] {
  const groups = new Map<K, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return [...groups]
}

/** Text to copy; a script adds the button. */
export const renderSnippet = (text: string): Html =>
  html`<div class="snippet" data-copy><pre><code>${text}</code></pre></div>`
