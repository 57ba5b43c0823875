import type { Fields } from '../../server/http/form.ts'
import { type Html, html } from '../../server/http/html/html.ts'

/**
 * Selects the items of one page: the items after the one that the query names (`after`), or the
 * first items when that item no longer exists.
 * @returns `next`: the id of the last item, if more items follow
 */
export function pageOf<Item>(
  items: readonly Item[],
  { fields, limit, idOf }: { fields: Fields; limit: number; idOf(item: Item): string },
) {
  const start = items.findIndex((item) => idOf(item) === fields['after']) + 1
  const shown = items.slice(start, start + limit)
  const last = shown.at(-1)
  return {
    items: shown,
    next: last !== undefined && start + limit < items.length ? idOf(last) : undefined,
  }
}

/**
 * Renders the number of shown items and a link to the next page.
 * @param search the filter of the list; an empty value filters nothing
 */
export function renderPaging(
  { shown, total, next }: { shown: number; total: number; next: string | undefined },
  search: Readonly<Record<string, string>> = {},
): Html | false {
  const used = Object.entries(search).filter(([, value]) => value !== '')
  const link =
    next !== undefined &&
    html` <a class="target" href="?${new URLSearchParams([...used, ['after', next]]).toString()}">Next</a>`
  return shown < total && html`<p class="hint">${shown} of ${total} are shown.${link}</p>`
}
