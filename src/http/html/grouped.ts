/** Items in groups, both in the order in which they first appear; those without a group stand under `undefined`. */
export function grouped<T extends { readonly group?: string }>(
  items: readonly T[],
): readonly (readonly [group: string | undefined, items: readonly T[]])[] {
  const groups = new Map<string | undefined, T[]>()
  for (const item of items) groups.set(item.group, [...(groups.get(item.group) ?? []), item])
  return [...groups]
}
