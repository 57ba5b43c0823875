/** Items in groups by `keyOf`, both in the order in which they first appear. */
export function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K): readonly (readonly [key: K, items: T[]])[] {
  const groups = new Map<K, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return [...groups]
}
