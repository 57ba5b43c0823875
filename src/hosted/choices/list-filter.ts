import { type Html, html } from '../../http/html/html.ts'
import type { Translate } from '../../http/html/messages.ts'

/**
 * A search field for the list with the id `list`: only entries with every word stay visible. A script shows the field, opens groups with
 * matches, and names the nearest entries and matches `elsewhere` when there are none; Enter takes the first match.
 */
export function renderListFilter(
  {
    list,
    label,
    testId,
    elsewhere,
  }: { readonly list: string; readonly label: string; readonly testId?: string; readonly elsewhere?: Html },
  t: Translate,
): Html {
  return html`<div class="filter" data-filter="${list}" data-none="${t('find.none')}" data-nearest="${t('find.nearest')}" hidden>
<label class="unseen" for="find-${list}">${label}</label>
<input id="find-${list}" type="search" placeholder="${label}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-controls="${list}"${testId !== undefined && html` data-testid="${testId}"`}>
<p class="hint" role="status"></p>${elsewhere && html`<p class="hint" data-elsewhere hidden>${elsewhere}</p>`}
</div>`
}
