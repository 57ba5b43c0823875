/** One thing that can be chosen, and its choices. */
export interface Factor {
  readonly name: string
  readonly values: readonly string[]
}

/** The chosen value of each factor, by the name of the factor. */
export type Combination = Readonly<Record<string, string>>

/** One value of one factor. */
interface Choice {
  readonly factor: string
  readonly value: string
}

interface Options {
  readonly factors: readonly Factor[]
  /** Whether two choices may stand beside each other; asked with the earlier factor first. */
  isAllowed(one: Choice, other: Choice): boolean
}

/**
 * Combinations that together hold every pair of choices of two factors. A pair that no whole combination can hold is left out.
 * The result is small, not the smallest, and the same each time: each combination begins with a pair that is still missing and
 * takes the values that bring most of the others; of values that bring as many, the one that is missing in more pairs.
 */
export function coverPairs(options: Options): readonly Combination[] {
  const factors = options.factors.filter(({ values }) => values.length > 0)
  const pairs = pairsOf(factors).filter(([one, other]) => options.isAllowed(one, other))
  const missing = new Map(pairs.map((pair) => [keyOf(...pair), pair]))
  const found: Combination[] = []
  for (const pair of pairs) {
    if (!missing.has(keyOf(...pair))) continue
    const chosen = complete(pair, { ...options, factors, missing })
    if (!chosen) continue
    for (const [index, one] of chosen.entries()) {
      for (const other of chosen.slice(index + 1)) missing.delete(keyOf(one, other))
    }
    found.push(Object.fromEntries(chosen.map(({ factor, value }) => [factor, value])))
  }
  return found
}

function pairsOf(factors: readonly Factor[]): (readonly [Choice, Choice])[] {
  return factors.flatMap((first, index) =>
    factors
      .slice(index + 1)
      .flatMap((second) => choicesOf(first).flatMap((one) => choicesOf(second).map((other) => [one, other] as const))),
  )
}

const choicesOf = ({ name, values }: Factor): readonly Choice[] => values.map((value) => ({ factor: name, value }))

const keyOf = (one: Choice, other: Choice): string => JSON.stringify([one.factor, one.value, other.factor, other.value])

/** One choice for each factor, `pair` among them, in the order of the factors; `undefined` when what is excluded leaves none. */
function complete(
  pair: readonly [Choice, Choice],
  { factors, missing, isAllowed }: Options & { readonly missing: ReadonlyMap<string, unknown> },
): readonly Choice[] | undefined {
  const rank = new Map(factors.map(({ name }, index) => [name, index]))
  const inOrder = (one: Choice, other: Choice) =>
    (rank.get(one.factor) ?? 0) < (rank.get(other.factor) ?? 0) ? ([one, other] as const) : ([other, one] as const)
  const open = factors.filter(({ name }) => pair.every(({ factor }) => factor !== name))
  const gainOf = (choice: Choice, chosen: readonly Choice[]) =>
    chosen.filter((other) => missing.has(keyOf(...inOrder(choice, other)))).length
  const all = factors.flatMap(choicesOf)
  const shortageOf = (choice: Choice) =>
    gainOf(
      choice,
      all.filter(({ factor }) => factor !== choice.factor),
    )

  function extend(chosen: readonly Choice[]): readonly Choice[] | undefined {
    const next = open[chosen.length - pair.length]
    if (!next) return chosen
    const possible = choicesOf(next)
      .filter((choice) => chosen.every((other) => isAllowed(...inOrder(choice, other))))
      .map((choice) => ({ choice, gain: gainOf(choice, chosen), shortage: shortageOf(choice) }))
      .toSorted((one, other) => other.gain - one.gain || other.shortage - one.shortage)
    for (const { choice } of possible) {
      const whole = extend([...chosen, choice])
      if (whole) return whole
    }
    return undefined
  }

  return extend(pair)?.toSorted((one, other) => (rank.get(one.factor) ?? 0) - (rank.get(other.factor) ?? 0))
}
