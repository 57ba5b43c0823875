/** Calls `act` for each item, for at most `limit` of them at the same time. */
export async function forEach<Item>(
  items: readonly Item[],
  limit: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const work = async () => {
    for (const item of left) await act(item)
  }
  await Promise.all(Array.from({ length: limit }, work))
}
