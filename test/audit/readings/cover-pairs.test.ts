import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coverPairs } from '../../../src/audit/readings/cover-pairs.ts'

/** Choices as `f1=v0`. */
const factorsOf = (sizes: readonly number[]) =>
  sizes.map((size, index) => Array.from({ length: size }, (_, value) => `f${index}=v${value}`))

const pairsOf = (words: readonly string[]) =>
  words.flatMap((one, index) => words.slice(index + 1).map((other) => `${one} ${other}`))

/** All combinations, by brute force. */
const allOf = (factors: readonly string[][]): string[][] =>
  factors.reduce<string[][]>((found, choices) => found.flatMap((words) => choices.map((one) => [...words, one])), [[]])

const cover = (factors: readonly string[][], excluded: ReadonlySet<string> = new Set()) =>
  coverPairs(factors, (one, other) => !excluded.has([one, other].toSorted().join(' ')))

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
      expect([...new Set(cover(factors, refused).flatMap(pairsOf))].toSorted()).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})

test('A covering set of pairs gives each combination a value for each factor', () => {
  const factors = factorsOf([2, 3, 1, 2])
  for (const found of cover(factors)) expect(found.map((one) => one.slice(0, 2))).toEqual(['f0', 'f1', 'f2', 'f3'])
})

test('A covering set of pairs of 25 choices of two has at most 12 of the 33 million combinations', () => {
  expect(cover(factorsOf(Array.from({ length: 25 }, () => 2))).length).toBeLessThanOrEqual(12)
})

test('A covering set of pairs is empty for one factor alone, and for no factor', () => {
  expect(cover(factorsOf([3]))).toEqual([])
  expect(cover([])).toEqual([])
})
