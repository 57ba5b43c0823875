import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Combination, coverPairs, type Factor } from '../../../src/audit/readings/cover-pairs.ts'

const factorsOf = (sizes: readonly number[]): Factor[] =>
  sizes.map((size, index) => ({ name: `f${index}`, values: Array.from({ length: size }, (_, value) => `v${value}`) }))

/** Each choice as `f1=v0`, in the order of the factors. */
const wordsOf = (combination: Combination) => Object.entries(combination).map(([name, value]) => `${name}=${value}`)

const pairsOf = (words: readonly string[]) =>
  words.flatMap((one, index) => words.slice(index + 1).map((other) => `${one} ${other}`))

const pairsIn = (combinations: readonly Combination[]) => new Set(combinations.map(wordsOf).flatMap(pairsOf))

/** All combinations, by brute force. */
const allOf = (factors: readonly Factor[]): string[][] =>
  factors.reduce<string[][]>(
    (found, { name, values }) => found.flatMap((words) => values.map((value) => [...words, `${name}=${value}`])),
    [[]],
  )

const cover = (factors: readonly Factor[], excluded: ReadonlySet<string> = new Set()) =>
  coverPairs({
    factors,
    isAllowed: (one, other) => !excluded.has(`${one.factor}=${one.value} ${other.factor}=${other.value}`),
  })

const sizes = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 6 })

test('A covering set holds every pair that some whole combination may hold, and no excluded pair', () => {
  const table = sizes.chain((list) => {
    const pairs = [...new Set(allOf(factorsOf(list)).flatMap(pairsOf))]
    const excluded = fc.subarray(pairs, { maxLength: Math.ceil(pairs.length / 3) })
    return fc.record({ list: fc.constant(list), excluded })
  })
  fc.assert(
    fc.property(table, ({ list, excluded }) => {
      const factors = factorsOf(list)
      const refused = new Set(excluded)
      const possible = allOf(factors).filter((words) => pairsOf(words).every((pair) => !refused.has(pair)))
      const expected = [...new Set(possible.flatMap(pairsOf))].toSorted()
      expect([...pairsIn(cover(factors, refused))].toSorted()).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})

test('A covering set of pairs gives each combination a value for each factor', () => {
  fc.assert(
    fc.property(sizes, (list) => {
      const factors = factorsOf(list)
      for (const found of cover(factors)) expect(Object.keys(found)).toEqual(factors.map(({ name }) => name))
    }),
    { numRuns: 30 },
  )
})

test('A covering set of pairs of the same factors is the same each time', () => {
  const factors = factorsOf([2, 3, 2, 4, 2, 3])
  expect(cover(factors)).toEqual(cover(factors))
})

test('A covering set of pairs of 25 choices of two has at most 12 of the 33 million combinations', () => {
  expect(cover(factorsOf(Array.from({ length: 25 }, () => 2))).length).toBeLessThanOrEqual(12)
})

test('A covering set of pairs is empty for one factor alone, and for no factor', () => {
  expect(cover(factorsOf([3]))).toEqual([])
  expect(cover([])).toEqual([])
})
