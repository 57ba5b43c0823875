import { type Html, html } from './html.ts'

/** A text field with its label and hint. */
interface TextFieldView {
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  readonly hint?: string
  /** The id of a `datalist` with suggestions. */
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

export function renderTextArea({
  name,
  label,
  value = '',
  hint,
}: Omit<TextFieldView, 'list'>): Html {
  const rows = Math.min(24, Math.max(8, value.split('\n').length + 1))
  return html`<div class="field">
<label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="${rows}" autocomplete="off" autocapitalize="none" spellcheck="false"${hint !== undefined && html` aria-describedby="${name}-hint"`}>
${value}</textarea>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`
}

/** A choice of one option; the option with `value` is selected. */
interface SelectView {
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

export const filterOptions = (values: readonly string[]): SelectView['options'] => [
  { value: '', label: 'All' },
  ...values.map((value) => ({ value, label: value })),
]

export const renderSuggestions = (id: string, values: readonly string[]): Html =>
  html`<datalist id="${id}">${values.map((value) => html`<option value="${value}"></option>`)}</datalist>`
