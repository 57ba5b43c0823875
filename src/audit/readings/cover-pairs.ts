/**
 * Combinations of one choice for each factor that together hold every pair of choices, unless `isAllowed` leaves a pair no combination.
 * Each begins with a missing pair and takes the choices that add most missing pairs. The result is small, and the same each time.
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
    const possible = next.filter((one) => chosen.every((other) => isAllowed(one, other)))
    const byGain = (a: Choice, b: Choice) => gainOf(b, chosen) - gainOf(a, chosen) || shortageOf(b) - shortageOf(a)
    for (const one of possible.toSorted(byGain)) {
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
