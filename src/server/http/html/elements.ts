import { type Html, html, type Renderable } from './html.ts'

/** A row: cells in the order of the columns, an id for links, a test id. */
export interface TableRow {
  readonly id?: string
  readonly testId?: string
  readonly cells: readonly Renderable[]
}

/**
 * Renders a table. The first column is the header of its row. `caption` is for screen readers,
 * because a visible heading stands above the table.
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
  /** The caption for screen readers; `title` when absent. */
  readonly caption?: string
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
  readonly isOpen: boolean
}

/**
 * Renders a part of a long list. It is folded until the reader opens it or follows a link to one of
 * its rows.
 */
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

/** Renders an ISO 8601 instant of the sandbox clock without milliseconds. */
export const renderInstant = (instant: string): Html =>
  html`<time datetime="${instant}">${instant.replace('T', ' ').replace(/(?:\.\d+)?Z$/, 'Z')}</time>`

/**
 * Renders an HTTP status, coloured as success or error. Status 0 means that no response was sent.
 */
export const renderStatus = (status: number): Html =>
  html`<span class="mark ${status >= 400 || status === 0 ? 'no' : 'yes'}">${status === 0 ? '0 (dropped)' : status}</span>`

/**
 * Renders a name that may wrap only after a dot or an underscore: `id_token.signature_bit_flipped`.
 */
export const renderName = (name: string): Html => html`<code class="name">${breakable(name)}</code>`

/** A text that may wrap only after a dot, an underscore or a slash: a name, an address. */
export const breakable = (text: string): readonly Renderable[] =>
  text.split(/(?<=[._/])(?=\w)/).map((part, index) => (index === 0 ? part : html`<wbr>${part}`))

/**
 * A count with its noun.
 * @example
 * counted(1, 'call') // '1 call'
 * counted(3, 'call') // '3 calls'
 */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/**
 * Maximum number of characters of one value on a page. A token of 64 KB may appear three times; the
 * control API has the whole value.
 */
const MAX_CHARACTERS = 2_000

/**
 * A long text, cut after `max` characters and followed by its length.
 * @example
 * shortened('abcdef', 3) // 'abc… (6 characters)'
 */
export const shortened = (text: string, max = MAX_CHARACTERS): string =>
  text.length > max ? `${text.slice(0, max)}… (${text.length} characters)` : text

/**
 * Groups items by `keyOf`. Groups and items keep the order of their first appearance.
 * @example
 * grouped(['ab', 'c', 'de'], (text) => text.length) // [[2, ['ab', 'de']], [1, ['c']]]
 */
export function grouped<T, K>(
  items: readonly T[],
  keyOf: (item: T) => K,
): readonly (readonly [key: K, items: T[]])[] {
  const groups = new Map<K, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return [...groups]
}

/** Renders a text to copy; a script adds the copy button. */
export const renderSnippet = (text: string): Html =>
  html`<div class="snippet" data-copy><pre><code>${text}</code></pre></div>`
