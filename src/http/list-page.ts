import { createPause } from '../sandbox/take-turn.ts'

/** Of one page of a list, as JSON: it ends before the item that passes them, and holds at least one. */
export const MAX_PAGE_BYTES = 1024 * 1024

/** The first items of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[]
  /** The id of the last one, when there are more. */
  readonly next: string | undefined
}

/**
 * Reads the first page of a list, and gives way to other requests while it does.
 * @param items read one by one, no more of them than needed
 * @param page.show makes of an item what is shown of it
 */
export async function readPage<Item, Shown>(
  items: AsyncIterable<Item> | Iterable<Item>,
  { limit, idOf, show }: { limit: number; idOf(item: Item): string; show(item: Item): Shown | Promise<Shown> },
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
