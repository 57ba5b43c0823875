/**
 * Maps items with `act`. Starts the items in order, with at most `atOnce` items at the same time.
 * @returns the results in the order of the items
 * @example
 * ```ts
 * await inTurn([1, 2, 3], async (n) => n * 2, 2) // [2, 4, 6]
 * ```
 */
export async function inTurn<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
  atOnce = 1,
): Promise<Result[]> {
  const results: Result[] = []
  const left = items.entries()
  const work = async () => {
    for (const [index, item] of left) results[index] = await act(item)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}
