import { type ListPage, readPage } from '../http/list-page.ts'
import { Refusal } from '../oidc/refusal.ts'
import { quote } from '../text/message-parts.ts'
import { MAX_LISTED } from './contract/operation.ts'

interface Shape<Item, Shown> {
  idOf(item: Item): string
  show(item: Item): Shown | Promise<Shown>
}

/** The page of a list that follows the item of an id. @throws Refusal when the list holds no such item */
export function readPageAfter<Item, Shown>(
  items: readonly Item[],
  { limit = MAX_LISTED, after }: { limit?: number | undefined; after?: string | undefined },
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
