import { type Html, html } from './html.ts'

/**
 * A field that narrows the list with the id `list` down to what contains the written words. It stays hidden until a script
 * makes it work; the number of what is left is announced.
 */
export function renderListFilter({ list, label }: { readonly list: string; readonly label: string }): Html {
  return html`<div class="filter" data-filter="${list}" hidden>
<label for="find-${list}">${label}</label>
<input id="find-${list}" type="search" autocomplete="off" autocapitalize="none" spellcheck="false" aria-controls="${list}">
<p class="hint" role="status"></p>
</div>`
}
