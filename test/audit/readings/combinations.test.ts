import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type ChosenVariant,
  chosenVariantName,
  mayMeet,
} from '../../../src/audit/readings/chosen-variants.ts'
import { coverPairs, tryCombinations } from '../../../src/audit/readings/combinations.ts'
import { READINGS } from '../../../src/sandbox/readings/readings.ts'

/** All variants except the defaults. */
const ALL = READINGS.flatMap((reading) =>
  reading.variants
    .filter(({ name }) => name !== reading.default)
    .map((variant): ChosenVariant => ({ reading, variant, usual: reading.default, flows: [] })),
)
const FOUR = ALL.filter(
  ({ reading }, index) => ALL.findIndex((one) => one.reading === reading) === index,
).slice(0, 4)
const setOf = (...indexes: number[]) => FOUR.filter((_variant, index) => indexes.includes(index))

type Pair = readonly [ChosenVariant, ChosenVariant]
const pairsOf = (set: readonly ChosenVariant[]) =>
  set.flatMap((one, index) => set.slice(index + 1).map((other): Pair => [one, other]))
const namesOf = (pairs: readonly Pair[]) => [
  ...new Set(pairs.map((pair) => pair.map(chosenVariantName).toSorted().join(' '))),
]

test('Combinations hold exactly the pairs of variants that may meet', () => {
  const table = fc.subarray(ALL, { minLength: 2 })
  fc.assert(
    fc.property(table, fc.subarray(pairsOf(ALL), { maxLength: 20 }), (variants, excluded) => {
      const mayStand = (pair: Pair) =>
        mayMeet(...pair) && !excluded.some((other) => other.every((one) => pair.includes(one)))
      const found = coverPairs(pairsOf(variants), variants, (set, one) =>
        set.every((other) => mayStand([one, other])),
      )
      const expected = namesOf(pairsOf(variants).filter(mayStand))
      expect(namesOf(found.flatMap(pairsOf)).toSorted()).toEqual(expected.toSorted())
    }),
    { numRuns: 60 },
  )
})

test('The combinations that hold every pair of all variants are at most 12', () => {
  const mayJoin = (set: readonly ChosenVariant[], one: ChosenVariant) =>
    set.every((other) => mayMeet(one, other))
  expect(coverPairs(pairsOf(ALL), ALL, mayJoin).length).toBeLessThanOrEqual(12)
})

/**
 * What is found when an app fails under all variants of a set together, and is lost after some
 * trials.
 */
async function find(
  variants: ChosenVariant[],
  { failing = [] as ChosenVariant[][], livesFor = 100 } = {},
) {
  const sets: (readonly ChosenVariant[])[] = []
  const heard: number[][] = []
  const tryOne = async (set: readonly ChosenVariant[]) => {
    sets.push(set)
    if (sets.length > livesFor)
      return {
        verdict: 'undetermined',
        reason: 'control_lost',
        evidence: 'it fell',
        flows: [],
      } as const
    const isFailure = failing.some((part) => part.every((one) => set.includes(one)))
    return {
      verdict: isFailure ? 'too strict' : 'accepted',
      evidence: 'it fails',
      flows: [],
    } as const
  }
  return {
    ...(await tryCombinations(variants, tryOne, (...counts) => heard.push(counts))),
    sets,
    heard,
  }
}

test('Each set of readings that fails is found once', async () => {
  const failing = [setOf(1, 3), setOf(0, 2, 3)]
  const { failed, sets, heard, ...counts } = await find(FOUR, { failing })
  const found = failed.map(({ variants }) => variants.toSorted())
  expect(found.toSorted()).toEqual(
    failing.map((set) => set.map(chosenVariantName).toSorted()).toSorted(),
  )
  const isFailing = (set: readonly ChosenVariant[]) =>
    failing.some((part) => part.every((one) => set.includes(one)))
  const passed = sets.filter((set) => !isFailing(set))
  const [first] = failing.map((set) => namesOf(pairsOf(set)))
  expect(namesOf(passed.flatMap(pairsOf)).toSorted()).toEqual(
    namesOf(pairsOf(FOUR))
      .filter((name) => !first?.includes(name))
      .toSorted(),
  )
  expect(counts.undetermined).toEqual([])
  expect(heard.at(-1)).toEqual([counts.tried, counts.tried])
})

test('Combinations of readings that an app is lost for are undetermined', async () => {
  // Without the first pair, two combinations contain the other five.
  const failing = pairsOf(FOUR).map((pair) => [...pair])
  const { failed, undetermined, tried, sets } = await find(FOUR, { failing, livesFor: 2 })
  expect(failed).toHaveLength(1)
  expect(tried).toBe(1)
  expect(undetermined).toEqual([{ reason: 'control_lost: it fell', count: 2 }])
  expect(sets).toHaveLength(3)
})
