import { JOURNAL_BUDGET } from '../../sandbox/journal/journal.ts'
import { createPause } from '../../sandbox/take-turn.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { quote } from '../../service/text/message-parts.ts'

/**
 * Maximum size of one page of a list as JSON, in bytes. The page ends before the item that exceeds
 * the limit, but holds at least one item.
 */
export const MAX_PAGE_BYTES = 1024 * 1024

/** One page of a list. `next` is the id of its last item if more items follow. */
interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly next: string | undefined
}

interface Shape<Item, Shown> {
  idOf(item: Item): string
  show(item: Item): Shown | Promise<Shown>
}

/**
 * Reads the first page of a list. Other requests run between the items.
 * @param items read one by one, only as many as needed
 * @param page.show converts an item to the value that the page shows
 */
export async function readPage<Item, Shown>(
  items: AsyncIterable<Item> | Iterable<Item>,
  { limit, idOf, show }: Shape<Item, Shown> & { limit: number },
): Promise<ListPage<Shown>> {
  const shown: Shown[] = []
  let last = ''
  let bytes = 0
  const pause = createPause()
  for await (const item of items) {
    if (shown.length === limit) return { items: shown, next: last }
    const one = await show(item)
    bytes += Buffer.byteLength(JSON.stringify(one))
    if (bytes > MAX_PAGE_BYTES && shown.length > 0) return { items: shown, next: last }
    shown.push(one)
    last = idOf(item)
    await pause()
  }
  return { items: shown, next: undefined }
}

/**
 * Reads the page that follows the item with the id `after`.
 * @throws Refusal when the list has no item with this id
 */
export function readPageAfter<Item, Shown>(
  items: readonly Item[],
  {
    limit = JOURNAL_BUDGET.maxFlows,
    after,
  }: { limit?: number | undefined; after?: string | undefined },
  shape: Shape<Item, Shown>,
): Promise<ListPage<Shown>> {
  const last = after === undefined ? -1 : items.findIndex((item) => shape.idOf(item) === after)
  if (after !== undefined && last < 0) {
    throw Refusal.invalidRequest(
      `after: the list does not hold ${quote(after)} (any more); give the next of the page before, or leave it out to read from the beginning`,
    )
  }
  return readPage(items.slice(last + 1), { limit, ...shape })
}
