import { type Html, html } from './html.ts'

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
