import type { Fields } from '../../server/http/form.ts'
import { type Html, html } from '../../server/http/html/html.ts'

/**
 * The items of one page: those after the item that the query names, or the first items when that
 * item is gone.
 * @returns `next`: the id after which the next page begins, if there are more
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
 * The number of shown items, and a link to the next ones.
 * @param search the filter of the list; an empty text filters nothing
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
