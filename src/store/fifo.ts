/** Items in the order in which they came, of which the oldest goes first. */
export interface Fifo<Item> {
  push(item: Item): void
  /** The oldest one that is still there; it is removed. */
  shift(): Item | undefined
}

/** Items that are gone are removed when there are more of them than of the others, and so many. */
const MIN_GONE = 20

/**
 * Creates a queue from which the oldest item is taken in the same time however many have gone: a Map or Set finds its first entry
 * behind all that were deleted.
 * @param options.isThere whether an item still counts @param options.count how many do
 */
export function createFifo<Item>({ isThere, count }: { isThere(item: Item): boolean; count(): number }): Fifo<Item> {
  let items: (Item | undefined)[] = []
  let first = 0
  return {
    push(item) {
      if (items.length > 2 * count() + MIN_GONE) {
        items = items.slice(first).filter((one) => one !== undefined && isThere(one))
        first = 0
      }
      items.push(item)
    },
    shift() {
      while (first < items.length) {
        const item = items[first]
        // What has gone is not kept from being collected.
        items[first] = undefined
        first += 1
        if (item !== undefined && isThere(item)) return item
      }
      return undefined
    },
  }
}
