import { type Html, html } from './html.ts'

/** One line of text in a form, with its label and a hint. */
export interface TextFieldView {
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  readonly hint?: string
  /** The id of a list of suggestions. */
  readonly list?: string
}

export function renderTextField({ name, label, value = '', hint, list }: TextFieldView): Html {
  const hintId = `${name}-hint`
  return html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="text" value="${value}" autocomplete="off" autocapitalize="none" spellcheck="false"${list !== undefined && html` list="${list}"`}${hint !== undefined && html` aria-describedby="${hintId}"`}>
${hint !== undefined && html`<p class="hint" id="${hintId}">${hint}</p>`}
</div>`
}

/** A choice of one option; the option with `value` is selected. */
export interface SelectView {
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

export function renderSelect({ name, label, value = '', options }: SelectView): Html {
  return html`<div class="field">
<label for="${name}">${label}</label>
<select id="${name}" name="${name}">${options.map(
    (option) =>
      html`<option value="${option.value}"${option.value === value && html` selected`}>${option.label}</option>`,
  )}</select>
</div>`
}

/** Suggestions for a text field. */
export const renderSuggestions = (id: string, values: readonly string[]): Html =>
  html`<datalist id="${id}">${values.map((value) => html`<option value="${value}"></option>`)}</datalist>`

/**
 * A field that filters the list with the id `list` by the words of the user. A script shows the field, filters, and
 * announces the number of matches.
 */
export function renderListFilter({ list, label }: { readonly list: string; readonly label: string }): Html {
  return html`<div class="filter" data-filter="${list}" hidden>
<label for="find-${list}">${label}</label>
<input id="find-${list}" type="search" autocomplete="off" autocapitalize="none" spellcheck="false" aria-controls="${list}">
<p class="hint" role="status"></p>
</div>`
}
