/**
 * Combinations, of one choice of each factor, that together hold every pair of choices of two factors. A pair that no whole combination
 * can hold is left out. The result is small, not the smallest, and the same each time: each combination begins with a pair that is still
 * missing and takes the choices that bring most of the others; of choices that bring as many, the one that is missing in more pairs.
 * @param isAllowed whether two choices may stand beside each other, in either order
 */
export function coverPairs<Choice>(
  factors: readonly (readonly Choice[])[],
  isAllowed: (one: Choice, other: Choice) => boolean,
): readonly (readonly Choice[])[] {
  const filled = factors.filter((choices) => choices.length > 0)
  const missing = new Map<Choice, Set<Choice>>()
  for (const choices of filled) {
    const others = filled.filter((factor) => factor !== choices).flat()
    for (const one of choices) missing.set(one, new Set(others.filter((other) => isAllowed(one, other))))
  }
  const gainOf = (one: Choice, chosen: readonly Choice[]) =>
    chosen.filter((other) => missing.get(one)?.has(other)).length
  const shortageOf = (one: Choice) => missing.get(one)?.size ?? 0

  /** One choice for each factor; `undefined` when what is excluded leaves none. */
  function complete(chosen: readonly Choice[]): readonly Choice[] | undefined {
    const next = filled.find((choices) => !choices.some((one) => chosen.includes(one)))
    if (!next) return filled.flatMap((choices) => choices.filter((one) => chosen.includes(one)))
    const possible = next
      .filter((one) => chosen.every((other) => isAllowed(one, other)))
      .map((one) => ({ one, gain: gainOf(one, chosen), shortage: shortageOf(one) }))
      .toSorted((a, b) => b.gain - a.gain || b.shortage - a.shortage)
    for (const { one } of possible) {
      const whole = complete([...chosen, one])
      if (whole) return whole
    }
    return undefined
  }

  const found: (readonly Choice[])[] = []
  for (const [one, others] of missing) {
    for (const other of [...others]) {
      const whole = others.has(other) ? complete([one, other]) : undefined
      if (!whole) continue
      for (const choice of whole) for (const beside of whole) missing.get(choice)?.delete(beside)
      found.push(whole)
    }
  }
  return found
}
